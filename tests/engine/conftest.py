"""Real PostgreSQL for the engine's tests: one cluster per version and run, one database per test, from a template."""

import itertools
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import asyncpg
import pytest
import pytest_asyncio

from corral.engine import Engine
from corral.engine.embedded import EmbeddedPostgres, find_binaries
from tests.engine.farm import MOVABLE_CLOCK, Farm

DEBIAN_POSTGRES_15 = Path("/usr/lib/postgresql/15/bin")
_EVERYTHING = bool(os.environ.get("CORRAL_EVERY_POSTGRES"))
_numbers = itertools.count()


def with_database(dsn: str, name: str) -> str:
    """The same server, another database."""
    head, _, query = dsn.partition("?")
    return f"{head.rsplit('/', 1)[0]}/{name}" + (f"?{query}" if query else "")


async def execute(dsn: str, statement: str) -> None:
    connection = await asyncpg.connect(dsn)
    try:
        await connection.execute(statement)
    finally:
        await connection.close()


@asynccontextmanager
async def template_cluster(bin_dir: Path) -> AsyncIterator[str]:
    """A server with a migrated database `template_farm`, whose clock can be moved."""
    async with EmbeddedPostgres.ephemeral(bin_dir=bin_dir) as cluster:
        await execute(cluster.dsn, "create database template_farm")
        async with Engine.connect(with_database(cluster.dsn, "template_farm"), max_connections=1) as engine:
            await engine.migrate()
        await execute(with_database(cluster.dsn, "template_farm"), MOVABLE_CLOCK)
        yield cluster.dsn


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


@pytest_asyncio.fixture(scope="session", loop_scope="session", params=["postgres18", "postgres15"])
async def cluster_dsn(request: pytest.FixtureRequest) -> AsyncIterator[str]:
    """The embedded PostgreSQL and the oldest one that is supported."""
    bin_dir = find_binaries()
    if request.param == "postgres15":
        bin_dir = DEBIAN_POSTGRES_15
        if not bin_dir.exists():
            pytest.skip("PostgreSQL 15 is not installed")
    async with template_cluster(bin_dir) as dsn:
        yield dsn


@pytest_asyncio.fixture
async def empty_dsn(cluster_dsn: str) -> AsyncIterator[str]:
    """A database with nothing in it."""
    name = f"empty_{next(_numbers)}"
    await execute(cluster_dsn, f"create database {name}")
    yield with_database(cluster_dsn, name)
    await execute(cluster_dsn, f"drop database {name} with (force)")


@pytest_asyncio.fixture
async def farm_dsn(cluster_dsn: str) -> AsyncIterator[str]:
    """A migrated database of one's own."""
    name = f"farm_{next(_numbers)}"
    await execute(cluster_dsn, f"create database {name} template template_farm strategy file_copy")
    yield with_database(cluster_dsn, name)
    await execute(cluster_dsn, f"drop database {name} with (force)")


@pytest_asyncio.fixture
async def farm(farm_dsn: str) -> AsyncIterator[Farm]:
    """A farm with a movable clock. Whatever a test does to it, the invariants must hold at the end."""
    async with Engine.connect(farm_dsn, max_connections=24) as engine:
        farm = Farm(engine)
        await farm.let_verdicts_open()
        yield farm
        assert await engine.upkeep.check_invariants() == []
