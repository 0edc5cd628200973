"""PostgreSQL's own programs, of the same version as the server that a test uses."""

import asyncio
import subprocess

import asyncpg

from corral.engine.embedded import find_binaries


async def run_program(name: str, *options: str, dsn: str) -> subprocess.CompletedProcess[str]:
    """Run psql or pg_dump on a database; the caller judges how it ended."""
    connection = await asyncpg.connect(dsn)
    try:
        version = connection.get_server_version().major
    finally:
        await connection.close()
    return await asyncio.to_thread(_run, [str(find_binaries(version) / name), *options, dsn])


def _run(command: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
