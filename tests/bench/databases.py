"""Databases for measurements: one each, so that none inherits the dead rows of another."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from corral.engine import Engine
from tests.postgres import execute, with_database


async def make_database(dsn: str, name: str) -> str:
    """Make an empty database on the same server; return its URL."""
    await execute(dsn, f"create database {name}")
    return with_database(dsn, name)


@asynccontextmanager
async def made_engine(dsn: str, name: str, *, max_connections: int = 4) -> AsyncIterator[Engine]:
    """An engine on a migrated database of its own, which is gone at the end."""
    url = await make_database(dsn, name)
    try:
        async with Engine.connect(url, max_connections=max_connections) as engine:
            await engine.migrate()
            yield engine
    finally:
        await execute(dsn, f"drop database {name} with (force)")
