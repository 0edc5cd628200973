"""Explain: for each job that waits, the rule that holds it back, since when, and what may be expected."""

from datetime import datetime, timedelta
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from corral.model.errors import NotFoundError
from corral.model.reasons import WaitReason
from corral.model.records import Explanation
from tests.engine.farm import LEASE_TIME, SECOND, Farm, SimulatedNode

MINUTE = timedelta(minutes=1)
A_WHILE = timedelta(seconds=20)  # what a test may take on a busy machine; far from all that is told apart here


async def explained(farm: Farm, run_id: UUID) -> Explanation:
    """The one job of the run that waits."""
    (explanation,) = await farm.engine.runs.explain_run(run_id)
    return explanation


async def now(farm: Farm) -> datetime:
    at: datetime = await farm.value("select corral.fn_now()")
    return at


async def given_history(farm: Farm, node: SimulatedNode, took: timedelta) -> None:
    """The farm executed one job, which took that long."""
    await farm.given_run()
    (grant, *_) = await node.pull(1)
    await node.start(grant)
    await farm.clock.advance(took)
    await node.finish(grant)


async def test_a_job_that_nothing_holds_back_waits_to_be_pulled(farm: Farm) -> None:
    await farm.given_node(devices=["a"])
    run = await farm.given_run()

    job = await explained(farm, run.run_id)

    assert (job.reason, job.message, job.ahead) == ("ready", "next when node node-1 asks for work", 0)
    assert (job.serial, job.node_id, job.index_no) == ("a", "node-1", 1)
    assert job.expected_start_at is not None
    assert job.expected_start_at - await now(farm) < A_WHILE


async def test_a_job_that_was_handed_out_waits_for_its_node(farm: Farm) -> None:
    _, grant = await farm.given_leased_job()

    job = await explained(farm, grant.run_id)

    assert (job.reason, job.status) == ("handed_out", "leased")
    assert job.since == (await farm.job(grant)).leased_at


async def test_a_job_that_started_is_not_explained(farm: Farm) -> None:
    node, grant = await farm.given_leased_job()
    await node.start(grant)

    assert await farm.engine.runs.explain_run(grant.run_id) == []


@pytest.mark.parametrize(
    ("trouble", "reason", "message"),
    [
        ({"connection": "offline"}, "device_offline", "device is offline"),
        ({"connection": "not_booted"}, "device_offline", "device is not booted"),
        ({"health": "quarantined", "health_reason": "hot"}, "device_quarantined", "device is quarantined: hot"),
    ],
)
async def test_a_job_waits_for_its_device(farm: Farm, trouble: dict[str, str], reason: str, message: str) -> None:
    node = await farm.given_node(devices=["a"])
    run = await farm.given_run()
    await node.beat(devices=[{"serial": "a", **trouble}])
    since = await now(farm)

    job = await explained(farm, run.run_id)

    assert (job.reason, job.message, job.expected_start_at) == (reason, message, None)
    assert abs(job.since - since) < A_WHILE


async def test_a_job_waits_for_its_silent_node(farm: Farm) -> None:
    await farm.given_node(devices=1)
    other = await farm.given_node("other")
    run = await farm.given_run()
    silent_from = await farm.value("select lease_until from corral.nodes where node_id = 'node-1'")

    await farm.pass_time(LEASE_TIME + 10 * SECOND, other)
    await farm.let_verdicts_open()

    job = await explained(farm, run.run_id)
    assert (job.reason, job.message, job.since) == ("node_silent", "node node-1 is silent", silent_from)


async def test_a_job_waits_while_verdicts_are_suspended(farm: Farm) -> None:
    for name in ("node-1", "node-2"):
        await farm.given_node(name, devices=1)
    run = await farm.given_run({"nodes": ["node-1"]})

    await farm.pass_time(LEASE_TIME + 10 * SECOND)

    job = await explained(farm, run.run_id)
    assert job.reason == "verdicts_suspended"
    assert job.message.startswith("node node-1 is silent; nothing is skipped or expired")
    assert job.since == (await farm.engine.upkeep.tick_upkeep()).silence_since


async def test_a_job_waits_on_a_draining_node(farm: Farm) -> None:
    await farm.given_node(devices=1)
    run = await farm.given_run()
    await farm.engine.nodes.drain_node("node-1")

    job = await explained(farm, run.run_id)

    assert (job.reason, job.message) == ("node_draining", "node node-1 is draining")
    assert abs(job.since - await now(farm)) < A_WHILE


async def test_a_job_waits_on_a_contested_device(farm: Farm) -> None:
    node = await farm.given_node("old", devices=["a"])
    first = await farm.given_run()
    (grant,) = await node.pull()
    await node.start(grant)
    second = await farm.given_run()
    await farm.given_node("new", devices=["a"])

    job = await explained(farm, second.run_id)

    assert (job.reason, job.message) == ("device_contested", "device is contested by node new")
    assert (job.ahead, job.ahead_run_id) == (1, first.run_id)
    await node.finish(grant)


async def test_a_job_waits_behind_others_on_its_device(farm: Farm) -> None:
    node = await farm.given_node(devices=1, lookahead=0)
    await given_history(farm, node, 4 * MINUTE)
    running = await farm.given_run()
    (grant,) = await node.pull()
    await node.start(grant)
    await farm.clock.advance(MINUTE)
    await node.beat()
    await farm.given_run()
    last = await farm.given_run()
    urgent = await farm.given_run(policy={"priority": 5})

    job = await explained(farm, last.run_id)

    assert (job.reason, job.message, job.ahead) == ("behind_others", "behind 3 jobs on its device", 3)
    assert job.ahead_run_id == running.run_id
    assert (await explained(farm, urgent.run_id)).ahead == 1
    assert job.expected_start_at is not None
    # One minute of the first is over; the farm's average is known by buckets of a factor of 2^(1/4).
    assert 9 * MINUTE < job.expected_start_at - await now(farm) < 13 * MINUTE


async def test_nothing_is_expected_where_nothing_is_known(farm: Farm) -> None:
    node = await farm.given_node(devices=1)
    await farm.given_run()
    await node.start(*await node.pull())
    run = await farm.given_run()

    job = await explained(farm, run.run_id)

    assert (job.reason, job.expected_start_at) == ("behind_others", None)


async def test_a_job_waits_for_a_place_in_its_runs_gate(farm: Farm) -> None:
    node = await farm.given_node(devices=3)
    run = await farm.given_run(policy={"concurrency": 1})
    (grant,) = await node.pull()
    await node.start(grant)

    waiting = await farm.engine.runs.explain_run(run.run_id)

    assert [job.reason for job in waiting] == ["gate_full"] * 2
    assert {job.message for job in waiting} == {"the run has 1 of 1 allowed jobs in flight"}
    assert [job.expected_start_at for job in waiting] == [None, None]

    await farm.clock.advance(MINUTE)
    await node.beat()
    await node.finish(grant)
    await node.start(*await node.pull())
    (last,) = await farm.engine.runs.explain_run(run.run_id)
    assert last.expected_start_at is not None
    assert abs(last.expected_start_at - await now(farm) - MINUTE) < A_WHILE


async def test_a_job_waits_for_a_slot_of_its_node(farm: Farm) -> None:
    node = await farm.given_node(devices=4, max_concurrency=1, lookahead=1)
    await given_history(farm, node, MINUTE)
    await node.beat()
    await farm.engine.runs.cancel_run((await farm.engine.runs.list())[0].run_id)
    run = await farm.given_run()
    await node.start((await node.pull())[0])

    waiting = await farm.engine.runs.explain_run(run.run_id)

    assert [job.reason for job in waiting] == ["handed_out", "slots_full", "slots_full"]
    assert waiting[1].message == "node node-1 holds 2 of 2 jobs"
    starts = [job.expected_start_at for job in waiting[1:]]
    assert starts[0] is not None
    assert starts[1] is not None
    assert starts[0] < starts[1]


async def test_a_job_waits_for_its_cancellation(farm: Farm) -> None:
    await farm.given_node(devices=1)
    run = await farm.given_run()
    await farm.value("select (corral.fn_cancel_run($1, null)).run_id", run.run_id)

    assert (await explained(farm, run.run_id)).reason == "cancelling"


async def test_a_pools_job_waits_for_a_device_that_matches(farm: Farm) -> None:
    node = await farm.given_node(devices=["a"])
    run = await farm.given_run({"any": 2, "tags": ["pixel"]})
    (device,) = await farm.engine.devices.list()

    async def reasons() -> list[str]:
        return [job.reason for job in await farm.engine.runs.explain_run(run.run_id)]

    assert await reasons() == ["pool_no_match"] * 2

    await farm.engine.devices.update_device(device.device_id, tags=["pixel"])
    assert await reasons() == ["ready"] * 2

    await farm.given_run()
    (grant,) = await node.pull()
    assert await reasons() == ["pool_busy"] * 2

    await node.finish(grant)
    await node.pull()
    assert await reasons() == ["handed_out", "pool_no_match"]


async def test_a_pools_job_waits_for_a_place_in_its_runs_gate(farm: Farm) -> None:
    node = await farm.given_node(devices=2)
    run = await farm.given_run({"any": 2}, policy={"concurrency": 1})
    await node.start(*await node.pull())

    assert (await explained(farm, run.run_id)).reason == "gate_full"


async def test_the_job_of_a_distributed_run_waits_for_its_steps_to_be_claimed(farm: Farm) -> None:
    workflow_id = await farm.given_workflow("far", mode="distributed")
    run = await farm.engine.runs.create_run(workflow_id)

    assert (await explained(farm, run.run_id)).reason == "steps_waiting"


async def test_explanations_come_by_device_a_page_at_a_time(farm: Farm) -> None:
    await farm.given_node(devices=5)
    run = await farm.given_run()

    first = await farm.engine.runs.explain_run(run.run_id, limit=3)
    second = await farm.engine.runs.explain_run(run.run_id, after=first[-1].index_no or 0, limit=3)

    assert [job.index_no for job in [*first, *second]] == [1, 2, 3, 4, 5]


async def test_a_run_that_does_not_exist_is_not_explained(farm: Farm) -> None:
    with pytest.raises(NotFoundError):
        await farm.engine.runs.explain_run(uuid4())


@pytest.mark.parametrize("reason", list(WaitReason))
def test_every_reason_is_documented(reason: WaitReason) -> None:
    text = (Path(__file__).parents[2] / "docs" / "monitor.md").read_text()

    assert f"`{reason}`" in text.split("# Explain")[1]
