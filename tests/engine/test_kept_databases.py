"""That a database which one test leaves to the next is as a new one; where it could not be, the next gets another."""

from datetime import timedelta

import asyncpg
import pytest

from corral.engine.database import Database
from tests.engine.farm import Farm
from tests.postgres import Server

TABLES = "select relname from pg_class where relnamespace = 'corral'::regnamespace and relkind = 'r' order by 1"
SEQUENCES = "select sequencename, last_value from pg_sequences where schemaname = 'corral' order by 1"


async def contents(database: Database) -> dict[str, object]:
    """Every row and the state of every sequence."""
    tables = [row["relname"] for row in await database.fetch(TABLES)]
    rows = {name: await database.fetch(f"select t::text from corral.{name} t order by 1") for name in tables}
    return {**rows, "sequences": await database.fetch(SEQUENCES)}


async def test_nothing_of_one_test_reaches_the_next(cluster: Server) -> None:
    async with cluster.database() as first, first.engine() as engine:
        new = await contents(first.database)
        farm = Farm(engine)
        await farm.let_verdicts_open()
        node, grant = await farm.given_leased_job()
        await node.start(grant)
        await node.finish(grant)
        await farm.clock.freeze()
        await farm.clock.advance(timedelta(days=400))
        assert await contents(first.database) != new

    async with cluster.database() as second, second.engine() as engine:
        assert second.dsn == first.dsn
        assert await contents(second.database) == new
        assert await engine.database.fetch_value("select corral.fn_now() = now()")
        assert await engine.upkeep.check_invariants() == []


@pytest.mark.parametrize(
    "statement",
    [
        "create or replace function corral.fn_now() returns timestamptz language sql as 'select now()'",
        "alter table corral.jobs add column more integer",
        "drop view corral.device_states cascade",
        "create index on corral.jobs (attempt)",
    ],
)
async def test_a_database_that_was_altered_is_left_to_nobody(cluster: Server, statement: str) -> None:
    async with cluster.database() as first:
        await first.database.fetch(statement)

    async with cluster.database() as second:
        assert second.dsn != first.dsn


async def test_a_database_to_which_somebody_is_still_connected_is_left_to_nobody(cluster: Server) -> None:
    async with cluster.database() as first:
        stranger = await asyncpg.connect(first.dsn)

    async with cluster.database() as second:
        assert second.dsn != first.dsn
        assert stranger.is_closed()
