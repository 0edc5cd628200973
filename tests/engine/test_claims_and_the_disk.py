"""Which commits wait for the disk: results always do, a claim only where what it grants must not be done twice."""

from collections.abc import AsyncIterator
from uuid import UUID

import asyncpg
import pytest
import pytest_asyncio

from corral.model.records import NewStep
from tests.engine.farm import Farm, SimulatedNode
from tests.engine.test_steps import claim, given_job

WITH_PHONES = "select lease_token from corral.fn_claim_with_phones($1, $2, '{}', 20, null)"
CLAIM = "select lease_token from corral.fn_claim_ready_steps($1, $2, null, null, 20, null)"
EXCHANGE = "select lease_token from corral.fn_exchange_steps($1, $2, $3, $4, $5, $6, null, null, null, 20, null)"


@pytest_asyncio.fixture
async def connection(farm: Farm) -> AsyncIterator["asyncpg.Connection[asyncpg.Record]"]:
    async with farm.engine.database.own_connection() as connection:
        yield connection


async def waits_after(
    connection: "asyncpg.Connection[asyncpg.Record]", query: str, node: SimulatedNode, *args: object
) -> tuple[list[UUID], bool]:
    """The tokens that a call gives out, and whether its commit would wait for the disk."""
    async with connection.transaction():
        rows = await connection.fetch(query, node.node_id, node.epoch, *args)
        setting = await connection.fetchval("show synchronous_commit")
    assert await connection.fetchval("show synchronous_commit") == "on"
    return [row["lease_token"] for row in rows if row["lease_token"]], setting == "on"


CLAIMS = pytest.mark.parametrize("query", [CLAIM, WITH_PHONES], ids=["plain", "with phones"])


@CLAIMS
async def test_a_claim_of_what_may_be_done_again_does_not_wait(
    farm: Farm, connection: "asyncpg.Connection[asyncpg.Record]", query: str
) -> None:
    node = await farm.given_node()
    await given_job(farm, NewStep("a"), NewStep("b"))

    tokens, waits = await waits_after(connection, query, node)

    assert (len(tokens), waits) == (2, False)


@CLAIMS
@pytest.mark.parametrize("requires", [[], ["gpu"]], ids=["of one queue", "of several"])
async def test_a_claim_waits_if_one_of_its_steps_must_not_be_done_twice(
    farm: Farm, connection: "asyncpg.Connection[asyncpg.Record]", requires: list[str], query: str
) -> None:
    node = await farm.given_node(capabilities=["gpu"])
    await given_job(farm, NewStep("a", requires=requires), NewStep("b", is_repeatable=False))

    tokens, waits = await waits_after(connection, query, node)

    assert (len(tokens), waits) == (2, True)


async def test_a_report_that_claims_in_the_same_transaction_waits(
    farm: Farm, connection: "asyncpg.Connection[asyncpg.Record]"
) -> None:
    node = await farm.given_node()
    await given_job(farm, NewStep("a"), NewStep("b"))
    (grant,) = await claim(node, 1)

    tokens, waits = await waits_after(
        connection, EXCHANGE, node, [grant.job_id], [grant.name], [grant.lease_token], ["succeeded"]
    )

    assert (len(tokens), waits) == (1, True)
