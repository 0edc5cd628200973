"""Real PostgreSQL for the engine's tests: each version in turn, a database as if new for every test."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import pytest_asyncio

from corral.engine import Engine
from corral.engine.embedded import find_binaries
from tests.engine.farm import Farm
from tests.postgres import KeptDatabase, Server, Servers, execute, with_database

DEBIAN_POSTGRES_15 = Path("/usr/lib/postgresql/15/bin")
_EVERYTHING = bool(os.environ.get("CORRAL_EVERY_POSTGRES"))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The oldest PostgreSQL gets every test once: what differs there is the SQL, not the values that are tried with it.

    CORRAL_EVERY_POSTGRES=1 asks for all of them on both.
    """
    seen: set[str] = set()
    kept = []
    for item in items:
        if "postgres15" in item.nodeid and not _EVERYTHING:
            name = item.nodeid.partition("[")[0]
            if name in seen:
                continue
            seen.add(name)
        kept.append(item)
    items[:] = kept


@pytest_asyncio.fixture(scope="session", params=["postgres18", "postgres15"])
async def cluster(request: pytest.FixtureRequest, servers: Servers) -> Server:
    """The embedded PostgreSQL and the oldest one that is supported."""
    bin_dir = find_binaries()
    if request.param == "postgres15":
        bin_dir = DEBIAN_POSTGRES_15
        if not bin_dir.exists():
            pytest.skip("PostgreSQL 15 is not installed")
    return await servers.find(bin_dir)


@pytest_asyncio.fixture
async def empty_dsn(cluster: Server) -> AsyncIterator[str]:
    """A database with nothing in it."""
    name = cluster.new_name("empty")
    await execute(cluster.dsn, f"create database {name}")
    yield with_database(cluster.dsn, name)
    await execute(cluster.dsn, f"drop database {name} with (force)")


@pytest_asyncio.fixture
async def kept_database(cluster: Server) -> AsyncIterator[KeptDatabase]:
    """A migrated database of one's own, as if new."""
    async with cluster.database() as kept:
        yield kept


@pytest.fixture
def farm_dsn(kept_database: KeptDatabase) -> str:
    return kept_database.dsn


@pytest_asyncio.fixture
async def new_dsn(cluster: Server) -> AsyncIterator[str]:
    """A migrated database that nobody has used or is connected to, for who looks at plans, dead rows or sessions."""
    async with cluster.new_database() as dsn:
        yield dsn


@pytest_asyncio.fixture
async def new_farm(new_dsn: str) -> AsyncIterator[Farm]:
    """The same as `farm`, in a database that nobody has used."""
    async with Engine.connect(new_dsn, max_connections=4) as engine, _judged_farm(engine) as farm:
        yield farm


@pytest_asyncio.fixture
async def farm(kept_database: KeptDatabase) -> AsyncIterator[Farm]:
    """A farm with a movable clock. Whatever a test does to it, the invariants must hold at the end."""
    async with kept_database.engine() as engine, _judged_farm(engine) as farm:
        yield farm


@asynccontextmanager
async def _judged_farm(engine: Engine) -> AsyncIterator[Farm]:
    farm = Farm(engine)
    await farm.let_verdicts_open()
    yield farm
    assert await engine.upkeep.check_invariants() == []
