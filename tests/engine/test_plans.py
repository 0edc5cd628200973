"""The hot calls read what they need and no more, however big the farm and whatever the planner believes of it."""

from collections.abc import AsyncIterator
from uuid import UUID, uuid4

import pytest
import pytest_asyncio

from corral.engine import Engine
from corral.model.records import Json, NewStep, StepGrant, StepResult
from corral.model.states import StepStatus
from tests.engine.farm import Farm, SimulatedNode
from tests.engine.load import analyze, load_farm, load_runs
from tests.engine.reads import Reads, Session, reads_of, reads_of_a_cycle

MOST_ROWS = 1_000  # of 100,000 jobs; a call deals with 20 of them, on a node of 50 devices

_WITHOUT_AUTOVACUUM = """
do $$
declare v_table regclass;
begin
    for v_table in select c.oid from pg_class c where c.relnamespace = 'corral'::regnamespace and c.relkind = 'r' loop
        execute format('alter table %s set (autovacuum_enabled = off)', v_table);
    end loop;
end $$
"""


@pytest_asyncio.fixture
async def engine(new_dsn: str) -> AsyncIterator[Engine]:
    """One connection, so that what it planned early is what it uses late."""
    async with Engine.connect(new_dsn, max_connections=1) as engine:
        await engine.database.fetch(_WITHOUT_AUTOVACUUM)
        yield engine


@pytest_asyncio.fixture
async def session(engine: Engine) -> AsyncIterator[Session]:
    """Another connection, whose reads are counted."""
    async with engine.database.own_connection() as session:
        yield session


async def load_big_farm(engine: Engine) -> None:
    await load_farm(engine, nodes=100, devices_per_node=50)
    await load_runs(engine, 20)


def assert_frugal(cycle: dict[str, Reads]) -> None:
    assert len(cycle["pull"].rows) == 20
    assert {row["outcome"] for call in ("artifact", "finish") for row in cycle[call].rows} == {"applied"}
    assert {call: reads.seq_scans for call, reads in cycle.items() if reads.seq_scans} == {}
    greedy = {call: reads.rows_read for call, reads in cycle.items() if max(reads.rows_read.values()) > MOST_ROWS}
    assert greedy == {}


async def test_hot_calls_read_by_key_whether_or_not_statistics_are_stale(engine: Engine, session: Session) -> None:
    await load_big_farm(engine)

    for _ in range(8):  # past the point where PostgreSQL may turn to generic plans
        assert_frugal(await reads_of_a_cycle(session, "node-7"))

    await analyze(engine)
    async with engine.database.own_connection() as newcomer:
        for _ in range(8):
            assert_frugal(await reads_of_a_cycle(newcomer, "node-8"))


async def test_plans_made_while_the_farm_was_small_still_read_by_key(engine: Engine, session: Session) -> None:
    await load_farm(engine, nodes=1, devices_per_node=20)
    await load_runs(engine, 10)
    await analyze(engine)
    for _ in range(8):
        await reads_of_a_cycle(session, "node-1")

    await engine.database.fetch("update corral.nodes set node_id = 'first'")
    await engine.database.fetch("update corral.lanes set node_id = 'first'")
    await engine.database.fetch("update corral.devices set node_id = 'first', serial = 'first-' || serial")
    await load_big_farm(engine)

    for _ in range(3):
        assert_frugal(await reads_of_a_cycle(session, "node-7"))


async def test_calls_about_steps_read_by_key_with_plans_made_when_the_farm_was_empty(engine: Engine) -> None:
    node = await Farm(engine).given_node()
    job = await engine.jobs.create("drain")
    await engine.steps.create_steps(job.job_id, [NewStep(f"s{n}") for n in range(30 * 60 + 1)])
    await analyze(engine)  # so that it is known that nothing was ever leased

    async def work() -> None:
        grants = await engine.steps.claim_ready_steps(node.node_id, epoch=node.epoch, want=20)
        await engine.steps.complete_steps(node.node_id, [success(grant) for grant in grants])
        exchanged = await engine.steps.exchange_steps(node.node_id, [], epoch=node.epoch, want=20)
        await engine.steps.exchange_steps(
            node.node_id, [success(grant) for grant in exchanged.grants], epoch=node.epoch, want=0
        )
        grants = await engine.steps.claim_ready_steps(node.node_id, epoch=node.epoch, want=20)
        await engine.events.apply_node_events(node.node_id, [success_event(grant) for grant in grants])

    for _ in range(29):
        await work()
    before = {table: await rows_read(engine, table) for table in ("job_steps", "leases", "jobs")}
    await work()

    read = {table: await rows_read(engine, table) - count for table, count in before.items()}
    assert {table: count for table, count in read.items() if count > 1_000} == {}
    assert (await engine.jobs.get(job.job_id)).steps_done == 30 * 60


async def test_a_claim_with_phones_reads_what_it_grants_and_the_nodes_phones(engine: Engine, session: Session) -> None:
    await load_farm(engine, nodes=100, devices_per_node=50)
    job = await engine.jobs.create("drain")
    await engine.steps.create_steps(
        job.job_id, [NewStep(f"s{n}", requires=["phone"] if n % 2 else []) for n in range(4_000)]
    )
    phones = [f"node-7-{n}" for n in range(1, 6)]

    for _ in range(8):
        claim = "select * from corral.fn_claim_with_phones('node-7', 1, $1, 20, gen_random_uuid())"
        reads = await reads_of(session, claim, phones)

        assert len(reads.rows) == 20
        assert reads.seq_scans == {}
        assert {table: count for table, count in reads.rows_read.items() if count > MOST_ROWS} == {}
        await engine.database.fetch(
            "update corral.job_steps set status = 'succeeded', finished_at = now() where status = 'running'"
        )


STEP_QUESTIONS = {
    "pull": "select * from corral.fn_pull_job($1, 1, 20, gen_random_uuid())",
    "beat": "select * from corral.fn_heartbeat($1, 1, $2)",
    "count": "select corral.fn_count_step_leases($1) as held",
    "lost": "select corral.fn_list_lost_steps($1, $2) as lost",
    "cancels": "select corral.fn_list_cancels($1) as cancel",
}
MOST_ROWS_OF_A_NODE = (
    200  # of 3,000 steps and 1,500 runs; a node holds 20 steps, and a heartbeat looks at them several times
)


async def test_questions_about_steps_follow_the_node_with_plans_made_when_there_was_one_step(
    engine: Engine, session: Session
) -> None:
    node = await Farm(engine).given_node()
    (only,) = await given_held_steps(engine, node, of=1)
    await analyze(engine)  # so that it is known that there is next to nothing
    for _ in range(8):
        await ask_about_steps(session, held=[])
        await ask_about_steps(session, held=[only.lease_token])
    await engine.steps.complete_steps(node.node_id, [success(only)])

    stopped = await given_held_steps(engine, node, of=1_500)
    await engine.runs.cancel_run(stopped[0].run_id)
    tokens = [grant.lease_token for grant in (*stopped, *await given_held_steps(engine, node, of=1_500))]
    await load_runs(engine, 1_500)
    unnamed = await ask_about_steps(session, held=[])  # counts every step as unnamed
    named = await ask_about_steps(session, held=tokens)  # takes that back

    for asked in (unnamed, named):
        assert {name: reads.seq_scans for name, reads in asked.items() if reads.seq_scans} == {}
        read = {name: reads.rows_read for name, reads in asked.items()}
        assert {name: rows for name, rows in read.items() if max(rows.values()) > MOST_ROWS_OF_A_NODE} == {}
        assert asked["count"].rows[0]["held"] == len(tokens)
        for name in ("beat", "cancels"):
            assert set(asked[name].rows[0]["cancel"]) == {grant.lease_token for grant in stopped}
    assert set(unnamed["lost"].rows[0]["lost"]) == set(tokens)
    assert named["lost"].rows[0]["lost"] == []


async def ask_about_steps(session: Session, *, held: list[UUID]) -> dict[str, Reads]:
    """What pulls and heartbeats of a node ask, and the questions about steps in them."""
    return {
        name: await reads_of(session, query, "node-1", *([held] if "$2" in query else []))
        for name, query in STEP_QUESTIONS.items()
    }


async def given_held_steps(engine: Engine, node: SimulatedNode, *, of: int) -> list[StepGrant]:
    """A job of so many steps, ten of which the node holds."""
    job = await engine.jobs.create("drain")
    await engine.steps.create_steps(job.job_id, [NewStep(f"s{n}") for n in range(of)])
    return await engine.steps.claim_ready_steps(node.node_id, epoch=node.epoch, want=10)


def success(grant: StepGrant) -> StepResult:
    return StepResult(grant.job_id, grant.name, grant.lease_token, StepStatus.SUCCEEDED)


def success_event(grant: StepGrant) -> Json:
    return {
        "event_id": str(uuid4()),
        "job_id": str(grant.job_id),
        "lease_token": str(grant.lease_token),
        "step": grant.name,
        "seq": 1,
        "type": "step_finished",
        "status": "succeeded",
    }


async def rows_read(engine: Engine, table: str) -> int:
    await engine.database.fetch("select pg_stat_force_next_flush()")
    row = await engine.database.fetch_one(
        "select seq_tup_read + idx_tup_fetch as rows from pg_stat_all_tables where schemaname = 'corral' and relname = $1",
        table,
    )
    assert row is not None
    count: int = row["rows"]
    return count


@pytest.mark.parametrize("table", ["lanes", "nodes"])
async def test_grants_finishes_and_heartbeats_update_in_place(new_dsn: str, table: str) -> None:
    async with Engine.connect(new_dsn, max_connections=1) as engine:
        farm = Farm(engine)
        node = await farm.given_node(devices=20)
        await load_runs(engine, 150)
        await analyze(engine)
        await engine.database.fetch("select pg_stat_reset_single_table_counters($1::text::regclass)", f"corral.{table}")

        for _ in range(150):
            grants = await node.pull()
            await node.start(*grants)
            await node.beat()
            await node.finish(*grants)

        await engine.database.fetch("select pg_stat_force_next_flush()")
        updated, in_place = await updates_of(engine, table)
        assert updated >= {"lanes": 150 * 20 * 2, "nodes": 150 * 2}[table]
        assert in_place >= 0.9 * updated


async def updates_of(engine: Engine, table: str) -> tuple[int, int]:
    row = await engine.database.fetch_one(
        "select n_tup_upd, n_tup_hot_upd from pg_stat_all_tables where schemaname = 'corral' and relname = $1", table
    )
    assert row is not None
    return row["n_tup_upd"], row["n_tup_hot_upd"]
