"""On what, and with which versions: a number without them says nothing."""

import os
import platform
import re
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

import asyncpg

import corral
from tests.bench.others.programs import Program, run
from tests.bench.others.rivals import Rival

_SETTINGS = ("fsync", "synchronous_commit", "full_page_writes", "shared_buffers", "max_wal_size", "wal_level", "jit")
_PYTHON_VERSIONS = "import importlib.metadata as m; print(m.version('pgqueuer'), m.version('procrastinate'))"
_NODE_VERSIONS = (
    "const load = (n) => require(`${process.env.NODE_MODULES}/node_modules/${n}/package.json`).version;"
    "console.log(load('pg-boss'), load('graphile-worker'), process.version.slice(1))"
)


def today() -> str:
    return datetime.now(UTC).date().isoformat()


def describe_machine() -> dict[str, str]:
    """The computer."""
    kilobytes = int(_first(r"^MemTotal:\s+(\d+) kB", "/proc/meminfo") or 0)
    return {
        "processor": _first(r"^model name\s*: (.+)$", "/proc/cpuinfo") or platform.processor() or "unknown",
        "cores": str(os.cpu_count()),
        "memory": f"{kilobytes / 2**20:.0f} GB",
        "system": f"{platform.system()} {platform.release()}",
    }


async def describe_postgresql(dsn: str) -> dict[str, str]:
    """The settings of the server that matter here; all others are PostgreSQL's own."""
    connection = await asyncpg.connect(dsn)
    try:
        rows = await connection.fetch(
            "select name, current_setting(name) as value from unnest($1::text[]) name", _SETTINGS
        )
    finally:
        await connection.close()
    return {row["name"]: row["value"] for row in rows}


async def describe_versions(dsn: str, rivals: list[Rival]) -> dict[str, str]:
    """Of everybody who was measured, and of what they ran on."""
    connection = await asyncpg.connect(dsn)
    try:
        versions = {"PostgreSQL": str(await connection.fetchval("show server_version"))}
    finally:
        await connection.close()
    versions |= {
        "Corral": corral.__version__,
        "Python": platform.python_version(),
        "asyncpg": metadata.version("asyncpg"),
    }
    for suffix, flag, code, names in (
        (".py", "-c", _PYTHON_VERSIONS, ("PgQueuer", "Procrastinate")),
        (".mjs", "-e", _NODE_VERSIONS, ("pg-boss", "Graphile Worker", "Node.js")),
    ):
        programs = [rival.program for rival in rivals if rival.suffix == suffix]
        if programs:
            told: Program = programs[0].told(flag, code)
            versions |= dict(zip(names, (await run(told, within_s=30)).split(), strict=True))
    return versions


def _first(pattern: str, file: str) -> str | None:
    try:
        found = re.search(pattern, Path(file).read_text(encoding="utf-8"), re.MULTILINE)
    except OSError:
        return None
    return found[1].strip() if found else None
