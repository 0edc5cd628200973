"""Many connections at once: what one connection can never show. Nothing here depends on who comes first."""

import asyncio
from collections import Counter, defaultdict
from collections.abc import AsyncIterator
from uuid import UUID, uuid4

import pytest_asyncio

from corral.engine import Engine
from corral.engine.migrate import list_migrations
from corral.model.records import Grant, Run
from tests.engine.farm import Farm, SimulatedNode

NODES, DEVICES = 20, 100
CAP = 7


@pytest_asyncio.fixture
async def other_farm(farm_dsn: str, farm: Farm) -> AsyncIterator[Farm]:
    """A second server process on the same database."""
    async with Engine.connect(farm_dsn, max_connections=8) as engine:
        yield Farm(engine)


class Watch:
    """Looks at the farm over and over while others work on it, and keeps what it should not have seen."""

    def __init__(self, farm: Farm, capped: Run) -> None:
        self.farm = farm
        self.capped = capped
        self.faults: list[object] = []
        self.looks = 0

    async def look(self) -> None:
        self.looks += 1
        self.faults += await self.farm.engine.upkeep.check_invariants()
        in_flight = await self.farm.value(
            "select count(*) from corral.jobs where run_id = $1 and status in ('leased', 'running')",
            self.capped.run_id,
        )
        if in_flight > CAP:
            self.faults.append(f"{in_flight} jobs in flight")

    async def go_on_until(self, done: asyncio.Event) -> None:
        while not done.is_set():
            await self.look()


async def is_over(farm: Farm) -> bool:
    return bool(await farm.value("select not exists (select 1 from corral.runs where finished_at is null)"))


async def work(node: SimulatedNode, done: asyncio.Event) -> None:
    """Pull, start, finish and beat until there is nothing left on the whole farm."""
    while not done.is_set():
        grants = await node.pull(want=20)
        if grants:
            await asyncio.gather(node.start(*grants), node.beat())
            await asyncio.gather(node.finish(*grants[::2]), node.finish(*grants[1::2], outcome="failed"))
        elif await is_over(node.farm):
            done.set()


async def given_busy_farm(farm: Farm) -> list[SimulatedNode]:
    return list(await asyncio.gather(*(farm.given_node(f"node-{n:02d}", devices=DEVICES) for n in range(NODES))))


async def test_a_whole_farm_at_once_breaks_no_rule(farm: Farm, other_farm: Farm) -> None:
    nodes = await given_busy_farm(farm)
    workflow_id = await farm.given_workflow()
    everything = {"target": {"all": True}}
    capped = await farm.engine.runs.create_run(
        workflow_id, {"target": {"indexes": [[1, 60]]}, "policy": {"concurrency": CAP}}
    )
    plain = await farm.engine.runs.create_run(workflow_id, everything)
    doomed = await farm.engine.runs.create_run(workflow_id, everything)
    watch, done = Watch(other_farm, capped), asyncio.Event()

    async def hurry() -> UUID:
        run = await other_farm.engine.runs.create_run(workflow_id, {**everything, "policy": {"priority": 9}})
        return run.run_id

    async def cancel() -> None:
        await other_farm.engine.runs.cancel_run(doomed.run_id)

    hurrying = asyncio.ensure_future(hurry())
    await asyncio.gather(hurrying, cancel(), watch.go_on_until(done), *(work(node, done) for node in nodes))
    urgent = hurrying.result()

    assert watch.faults == []
    assert watch.looks > 0
    assert {(await farm.run(run_id)).status for run_id in (capped.run_id, plain.run_id, urgent)} == {
        "completed_with_errors"
    }
    assert (await farm.run(doomed.run_id)).finished_at is not None
    await assert_each_job_was_finished_by_one_token(farm)
    await assert_devices_started_their_jobs_in_order(farm)


async def assert_each_job_was_finished_by_one_token(farm: Farm) -> None:
    rows = await farm.engine.database.fetch(
        "select j.status, count(l.lease_token) filter (where l.ending = 'finished') as finishers, count(l.lease_token) as leases"
        "  from corral.jobs j left join corral.leases l using (job_id) group by j.job_id, j.status"
    )
    assert {(row["finishers"], row["leases"]) for row in rows if row["status"] in ("succeeded", "failed")} == {(1, 1)}
    assert {(row["finishers"], row["leases"]) for row in rows if row["status"] == "cancelled"} <= {(0, 0)}


async def assert_devices_started_their_jobs_in_order(farm: Farm) -> None:
    """Jobs of one priority were granted in the order of their positions.

    A more urgent job may be overtaken while its fan-out has not committed yet, and no column tells when that was.
    """
    overtaken = await farm.value(
        "select count(*) from corral.jobs ahead join corral.leases a on a.job_id = ahead.job_id"
        "  join corral.jobs j on j.device_id = ahead.device_id"
        "   and j.priority = ahead.priority and j.position > ahead.position"
        "  join corral.leases l on l.job_id = j.job_id"
        " where l.fence < a.fence"
    )
    assert overtaken == 0


async def test_two_last_jobs_that_finish_at_the_same_moment_end_the_run(farm: Farm, other_farm: Farm) -> None:
    one = await farm.given_node("node-1", devices=1)
    two = await other_farm.given_node("node-2", devices=1)
    for _ in range(60):
        run = await farm.given_run()
        (first,), (second,) = await one.pull(), await two.pull()

        await asyncio.gather(one.finish(first), two.finish(second))

        assert (await farm.run(run.run_id)).status == "succeeded"


async def test_a_callback_that_arrives_twice_at_once_is_applied_once(farm: Farm, other_farm: Farm) -> None:
    node = await farm.given_node(devices=20)
    for outcome in ("succeeded", "failed", "interrupted") * 5:
        run = await farm.given_run()
        grants = await node.pull()
        events = [node.event(grant, kind) for grant in grants for kind in ("job_started", "step_started")]
        events = [{**event, "step": "look"} for event in events]
        events += [node.event(grant, "log", lines=[{"message": "hello"}]) for grant in grants]
        events += [node.event(grant, "job_finished", outcome=outcome) for grant in grants]

        answers = await asyncio.gather(
            farm.engine.events.apply_node_events(node.node_id, events),
            other_farm.engine.events.apply_node_events(node.node_id, events[::-1]),
        )

        by_event: dict[str | None, list[str]] = defaultdict(list)
        for result in [*answers[0], *answers[1]]:
            by_event[result.event_id].append(result.outcome)
        assert {tuple(sorted(outcomes)) for outcomes in by_event.values()} == {("applied", "duplicate")}
        assert await farm.value(
            "select count(*) from corral.log_lines join corral.jobs using (job_id) where run_id = $1",
            run.run_id,
        ) == len(grants)
        assert await farm.value("select max(attempt) from corral.jobs where run_id = $1", run.run_id) == 1
        await farm.engine.runs.cancel_run(run.run_id)


async def test_a_pull_sent_twice_at_once_is_granted_once(farm: Farm, other_farm: Farm) -> None:
    node = await farm.given_node(devices=40, max_concurrency=20, lookahead=20)
    for _ in range(20):
        run = await farm.given_run()
        request_id = uuid4()

        async def ask(engine: Engine, request_id: UUID = request_id) -> list[Grant]:
            return await engine.nodes.pull_job(node.node_id, epoch=node.epoch, want=10, request_id=request_id)

        first, second = await asyncio.gather(ask(farm.engine), ask(other_farm.engine))

        assert {grant.lease_token for grant in first} == {grant.lease_token for grant in second}
        assert await farm.value("select count(*) from corral.lanes where lease_token is not null") == 10
        await farm.engine.runs.cancel_run(run.run_id)
        await node.finish(*first)


async def test_pulls_at_once_never_exceed_the_nodes_slots(farm: Farm, other_farm: Farm) -> None:
    node = await farm.given_node(devices=30, max_concurrency=5, lookahead=2)
    await farm.given_run()

    async def ask(engine: Engine) -> list[Grant]:
        return await engine.nodes.pull_job(node.node_id, epoch=node.epoch, want=3, request_id=uuid4())

    grants = await asyncio.gather(*(ask(engine) for engine in (farm.engine, other_farm.engine) * 6))

    assert sum(map(len, grants)) == 7


async def test_nodes_that_meet_the_same_new_devices_number_them_without_gaps(farm: Farm, other_farm: Farm) -> None:
    shared = [f"shared-{n}" for n in range(10)]
    farms = [farm, other_farm] * 5

    await asyncio.gather(
        *(
            farms[n].given_node(f"node-{n}", devices=[*shared[n:], *(f"own-{n}-{m}" for m in range(10)), *shared[:n]])
            for n in range(10)
        )
    )

    numbers = [device.index_no for device in await farm.engine.devices.list()]
    assert numbers == list(range(1, 111))


async def test_five_may_migrate_an_empty_database_at_once(empty_dsn: str) -> None:
    async def migrate() -> list[str]:
        async with Engine.connect(empty_dsn, max_connections=1) as engine:
            applied = await engine.migrate()
            await engine.check_migrated()
            return applied

    applied = await asyncio.gather(*(migrate() for _ in range(5)))

    assert sorted(map(len, applied)) == [0, 0, 0, 0, len(list_migrations())]


async def test_fan_outs_of_one_run_at_once_make_each_job_once(farm: Farm, other_farm: Farm) -> None:
    await farm.given_node(devices=90)
    workflow_id = await farm.given_workflow()
    run_id = await farm.value(
        "select (corral.fn_create_run($1, $2, null)).run_id", workflow_id, {"target": {"all": True}}
    )

    made = await asyncio.gather(
        *(engine.runs.fan_out_run(run_id, chunk=7) for engine in (farm.engine, other_farm.engine) * 2)
    )

    assert sum(made) == 90
    rows = await farm.engine.database.fetch("select device_id from corral.jobs where run_id = $1", run_id)
    assert set(Counter(row["device_id"] for row in rows).values()) == {1}
    assert len(rows) == 90
