"""On what, and with which versions and settings: a number without them says nothing."""

import os
import platform
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from msgspec import Struct

from corral import __version__
from corral.engine import Engine

_SETTINGS: Final = (
    "fsync",
    "synchronous_commit",
    "full_page_writes",
    "shared_buffers",
    "max_connections",
    "max_wal_size",
    "wal_level",
    "wal_compression",
    "checkpoint_timeout",
    "autovacuum_naptime",
    "jit",
)
"""Of PostgreSQL, what matters to what is measured; all others are its own."""


class Machine(Struct, frozen=True, kw_only=True):
    """Where it was measured, and with what."""

    processor: str
    cores: int
    memory_gb: float
    system: str
    python: str
    postgresql: str
    corral: str
    settings: dict[str, str]
    """Of PostgreSQL, as the server told them."""


async def describe_machine(dsn: str) -> Machine:
    """This machine, and the PostgreSQL at `dsn`."""
    async with Engine.connect(dsn, max_connections=1) as engine:
        version = await engine.database.fetch_value("show server_version")
        rows = await engine.database.fetch(
            "select name, current_setting(name) as value from unnest($1::text[]) name", list(_SETTINGS)
        )
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return Machine(
        processor=_processor(),
        cores=os.cpu_count() or 0,
        memory_gb=round(memory / 2**30, 1),
        system=f"{platform.system()} {platform.release()}",
        python=platform.python_version(),
        postgresql=str(version),
        corral=__version__,
        settings={row["name"]: row["value"] for row in rows},
    )


def today() -> str:
    return datetime.now(UTC).date().isoformat()


def _processor() -> str:
    """As the kernel names it, where it does."""
    try:
        books = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        books = ""
    found = re.search(r"^model name\s*: (.+)$", books, re.MULTILINE)
    return found[1].strip() if found else platform.processor() or platform.machine()
