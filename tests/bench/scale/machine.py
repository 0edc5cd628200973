"""Where it was measured, and with what."""

import os
import platform
import re
from pathlib import Path
from typing import Final

from corral import __version__
from corral.config import ServerConfig
from corral.engine import Engine
from tests.bench.scale.records import Machine

_SETTINGS: Final = (
    "shared_buffers",
    "max_connections",
    "fsync",
    "synchronous_commit",
    "full_page_writes",
    "wal_compression",
    "max_wal_size",
    "checkpoint_timeout",
    "autovacuum_naptime",
)


async def describe_machine(dsn: str) -> Machine:
    """This machine, and the PostgreSQL at `dsn`."""
    async with Engine.connect(dsn, max_connections=1) as engine:
        version = await engine.database.fetch_value("show server_version")
        rows = await engine.database.fetch(
            "select name, current_setting(name) as value from pg_settings where name = any ($1)", list(_SETTINGS)
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
        server_processes=ServerConfig().workers,
        database_connections=ServerConfig().database_connections,
    )


def _processor() -> str:
    found = re.search(r"^model name\s*: (.+)$", Path("/proc/cpuinfo").read_text(encoding="utf-8"), re.MULTILINE)
    return found[1] if found else platform.machine()
