"""Distributed runs under their policies: caps, timeouts, retries, repetitions, phones; and why steps wait."""

from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from corral.model.coordinator import TaskStatus
from corral.model.errors import ConflictError, InvalidRequestError
from corral.model.records import Job, NewStep, StepGrant
from tests.engine.farm import SECOND, Farm, SimulatedNode
from tests.engine.test_steps import claim, event, finish, given_job, reload, statuses, the_step


async def given_run(farm: Farm, *steps: NewStep, **request: Any) -> Job:  # noqa: ANN401 - of the request
    """A run whose steps are made with it, as the API asks for them."""
    workflow_id = await farm.given_workflow("spread", mode="distributed")
    plain = [{"name": step.name, "needs": step.needs, "requires": step.requires} for step in steps]
    run = await farm.engine.runs.create_run(workflow_id, {"steps": plain, **request})
    (job,) = await farm.engine.jobs.list(run_id=run.run_id)
    return job


async def in_flight(farm: Farm, job: Job) -> int:
    return list((await statuses(farm, job)).values()).count("running")


# Caps.


async def test_a_capped_run_never_has_more_steps_in_flight_than_it_may(farm: Farm) -> None:
    nodes = [await farm.given_node(f"node-{n}") for n in range(3)]
    job = await given_job(
        farm, *(NewStep(f"s{n}", needs=[f"s{n - 4}"] if n > 3 else []) for n in range(12)), concurrency=2
    )
    done = 0

    while (await reload(farm, job)).finished_at is None:
        grants = [(node, grant) for node in nodes for grant in await claim(node)]
        assert 0 < await in_flight(farm, job) <= 2
        for node, grant in grants:
            done += len(await finish(node, grant))

    assert done == 12
    assert (await reload(farm, job)).status == "succeeded"


async def test_a_full_run_holds_nobody_else_up(farm: Farm) -> None:
    node = await farm.given_node()
    await given_job(farm, *(NewStep(f"s{n}") for n in range(50)), concurrency=1)
    other = await given_job(farm, NewStep("mine"))

    grants = await claim(node, 5)

    assert sorted(grant.name for grant in grants) == ["mine", "s0"]
    assert [grant.job_id for grant in grants if grant.name == "mine"] == [other.job_id]


async def test_a_lost_step_keeps_its_place_in_a_capped_run(farm: Farm) -> None:
    node = await farm.given_node()
    job = await given_job(farm, NewStep("a"), NewStep("b"), concurrency=1)
    await claim(node)

    node = await node.reboot()

    assert [grant.name for grant in await claim(node)] == ["a"]
    assert await statuses(farm, job) == {"a": "running", "b": "ready"}


async def test_a_step_that_waits_for_its_retry_keeps_its_place(farm: Farm) -> None:
    node = await farm.given_node()
    await given_job(farm, NewStep("a", max_attempts=2, backoff_s=10), NewStep("b"), concurrency=1)
    await finish(node, *await claim(node), status="failed")
    assert await claim(node) == []

    await farm.clock.advance(11 * SECOND)

    (again,) = await claim(node)
    assert again.name == "a"
    await finish(node, again)
    assert [grant.name for grant in await claim(node)] == ["b"]


# Timeouts.


async def test_a_job_that_takes_too_long_fails_and_its_worker_is_told(farm: Farm) -> None:
    node = await farm.given_node()
    job = await given_run(farm, NewStep("a"), NewStep("b", needs=["a"]), timeout_s=100)
    (grant,) = await claim(node)
    await farm.engine.steps.mark_running(node.node_id, grant)
    await farm.pass_time(99 * SECOND, node)
    assert await farm.engine.upkeep.time_out_jobs() == 0

    await farm.pass_time(2 * SECOND, node)
    assert await farm.engine.upkeep.time_out_jobs() == 1

    ended = await reload(farm, job)
    assert (ended.status, ended.failure_reason, ended.error_message) == (
        "failed",
        "job_timeout",
        "the job took longer than 100 s",
    )
    assert await statuses(farm, job) == {"a": "cancelled", "b": "cancelled"}
    assert (await node.beat(held=[grant.lease_token])).lost == [grant.lease_token]
    assert await finish(node, grant) == ["stale"]
    assert (await farm.run(job.run_id)).status == "failed"


async def test_time_that_passes_before_the_first_step_starts_is_not_the_jobs(farm: Farm) -> None:
    node = await farm.given_node()
    job = await given_run(farm, NewStep("a"), timeout_s=100)

    await farm.pass_time(200 * SECOND, node)

    assert await farm.engine.upkeep.time_out_jobs() == 0
    assert (await reload(farm, job)).status == "queued"


async def test_a_chain_has_no_time_limit(farm: Farm) -> None:
    node = await farm.given_node()
    channel = await farm.engine.channels.create_channel("inbox")
    await farm.engine.tasks.append_task("first", channel_id=channel.id)
    await farm.engine.tasks.claim_task(node.node_id, channel_id=channel.id)

    await farm.clock.advance(timedelta(hours=2))
    await node.beat()
    await farm.let_verdicts_open()

    assert await farm.engine.upkeep.time_out_jobs() == 0
    assert await farm.engine.database.fetch_value("select corral.fn_verdicts_are_open()")


# Retries and losses.


@pytest.mark.parametrize(
    ("factor", "longest", "waits"), [(1, 100, [8, 8, 8]), (3, 100, [8, 24, 72]), (3, 20, [8, 20, 20])]
)
async def test_waits_between_retries_grow_by_the_factor_up_to_the_maximum(
    farm: Farm, factor: float, longest: float, waits: list[float]
) -> None:
    node = await farm.given_node()
    await given_job(farm, NewStep("a", max_attempts=4, backoff_s=8, backoff_factor=factor, backoff_max_s=longest))

    for wait in waits:
        await finish(node, *await claim(node), status="failed")
        await farm.clock.advance(timedelta(seconds=wait - 1))
        assert await claim(node) == []
        await farm.clock.advance(2 * SECOND)

    assert len(await claim(node)) == 1


async def test_jitter_spreads_retries_around_their_wait(farm: Farm) -> None:
    node = await farm.given_node(max_concurrency=200)
    steps = (NewStep(f"s{n}", max_attempts=2, backoff_s=100, backoff_jitter=0.5) for n in range(100))
    await given_job(farm, *steps)
    await finish(node, *await claim(node, 100), status="failed")

    await farm.clock.advance(49 * SECOND)
    assert await claim(node, 100) == []
    await farm.clock.advance(51 * SECOND)
    early = await claim(node, 100)
    await farm.clock.advance(51 * SECOND)
    late = await claim(node, 100)

    assert len(early) + len(late) == 100
    assert len(early) > 10
    assert len(late) > 10


async def test_a_step_that_must_not_be_repeated_fails_with_its_worker(farm: Farm) -> None:
    node = await farm.given_node()
    job = await given_job(farm, NewStep("pay", is_repeatable=False), NewStep("read"))
    for grant in await claim(node):
        await farm.engine.steps.mark_running(node.node_id, grant)

    await node.reboot()

    assert await statuses(farm, job) == {"pay": "failed", "read": "ready"}
    assert (await the_step(farm, job, "pay")).failure_reason == "node_lost"


async def test_a_job_whose_first_step_fails_and_is_retried_has_begun(farm: Farm) -> None:
    node = await farm.given_node()
    job = await given_job(farm, NewStep("a", max_attempts=2))

    await finish(node, *await claim(node), status="failed")

    assert (await reload(farm, job)).status == "running"


# Repetitions.


async def given_expanded(
    farm: Farm, node: SimulatedNode, *children: NewStep, **policy: object
) -> tuple[Job, StepGrant]:
    job = await given_job(farm, NewStep("each"), NewStep("after", needs=["each"]), **policy)
    (grant,) = await claim(node)
    assert await farm.engine.steps.expand_step(node.node_id, grant, children)
    return job, grant


async def test_a_step_waits_for_its_repetitions_and_ends_after_them(farm: Farm) -> None:
    node = await farm.given_node()
    job, old = await given_expanded(farm, node, NewStep("each[0]"), NewStep("each[1]"))
    assert await statuses(farm, job) == {"each": "pending", "after": "pending", "each[0]": "ready", "each[1]": "ready"}
    assert await finish(node, old) == ["stale"]

    await finish(node, *await claim(node), output={"x": 1})
    (parent,) = await claim(node)
    assert (parent.name, parent.input, parent.attempt) == ("each", {"items": 2}, 1)
    await finish(node, parent, output={"all": True})
    await finish(node, *await claim(node))

    ended = await reload(farm, job)
    assert (ended.status, ended.output, ended.steps_total) == ("succeeded", None, 4)


async def test_a_failed_repetition_fails_the_job_and_skips_the_step(farm: Farm) -> None:
    node = await farm.given_node()
    job, _ = await given_expanded(farm, node, NewStep("each[0]"), NewStep("each[1]", needs=["each[0]"]))

    await finish(node, *await claim(node), status="failed", error_message="no")

    assert await statuses(farm, job) == {
        "each": "skipped",
        "after": "skipped",
        "each[0]": "failed",
        "each[1]": "skipped",
    }
    assert (await reload(farm, job)).error_message == "step each[0] failed: no"


async def test_repetitions_keep_to_the_runs_cap(farm: Farm) -> None:
    node = await farm.given_node()
    job, _ = await given_expanded(farm, node, *(NewStep(f"each[{n}]") for n in range(3)), concurrency=1)

    names = []
    while grants := await claim(node):
        names += [grant.name for grant in grants]
        await finish(node, *grants)

    assert names == ["each[0]", "each[1]", "each[2]", "each", "after"]
    assert (await reload(farm, job)).status == "succeeded"


async def test_only_the_holder_of_a_step_that_still_runs_may_repeat_it(farm: Farm) -> None:
    node = await farm.given_node()
    job = await given_job(farm, NewStep("each"))
    (grant,) = await claim(node)
    assert not await farm.engine.steps.expand_step("somebody-else", grant, [NewStep("each[0]")])

    await farm.engine.runs.cancel_run(job.run_id)

    assert not await farm.engine.steps.expand_step(node.node_id, grant, [NewStep("each[0]")])
    await farm.engine.steps.release_step(node.node_id, grant)
    assert (await reload(farm, job)).status == "cancelled"


# Phones.


async def offer(node: SimulatedNode, *serials: str, want: int = 5, **fields: Any) -> list[str]:  # noqa: ANN401 - of the claim
    """What a node claims that offers these phones."""
    grants = await node.engine.steps.claim_with_phones(
        node.node_id, epoch=node.epoch, want=want, phones=serials, **fields
    )
    return [grant.name for grant in grants]


async def test_a_step_that_requires_a_phone_goes_to_a_node_that_offers_one(farm: Farm) -> None:
    node = await farm.given_node(devices=2)
    bare = await farm.given_node("bare")
    first, second = await farm.engine.devices.list()
    await farm.engine.devices.update_device(second.device_id, tags=["pixel"])
    await given_job(farm, NewStep("any", requires=["phone"]), NewStep("one", requires=["phone:pixel"]))
    assert await claim(bare) == []
    assert [news.node_id for news in await farm.engine.steps.list_step_news(["node-1", "bare"])] == ["node-1"]

    assert await offer(node, first.serial) == ["any"]
    assert await offer(node, "not-a-phone-of-this-node") == []
    assert await offer(node, second.serial) == ["one"]
    (phone,) = await farm.engine.steps.list_phones(node.node_id, [second.serial])
    assert phone.capabilities == ["phone", "phone:pixel"]


async def test_a_step_needs_one_phone_that_has_all_it_requires(farm: Farm) -> None:
    node = await farm.given_node(devices=2, capabilities=["x"])
    first, second = await farm.engine.devices.list()
    await farm.engine.devices.update_device(first.device_id, tags=["a"])
    await farm.engine.devices.update_device(second.device_id, tags=["b"])
    await given_job(farm, NewStep("both", requires=["phone:a", "phone:b", "x"]))
    assert await farm.engine.steps.list_step_news([node.node_id]) == []
    assert await offer(node, first.serial, second.serial) == []

    await farm.engine.devices.update_device(second.device_id, tags=["a", "b"])

    assert [news.has_work for news in await farm.engine.steps.list_step_news([node.node_id])] == [True]
    assert await offer(node, first.serial) == []
    assert await offer(node, first.serial, second.serial) == ["both"]


async def test_each_phone_that_is_offered_brings_one_step_and_the_rest_is_left_to_others(farm: Farm) -> None:
    node = await farm.given_node(devices=3, capabilities=["x"], max_concurrency=20)
    first, second, _ = await farm.engine.devices.list()
    await farm.engine.devices.update_device(first.device_id, tags=["a"])
    await given_job(
        farm,
        *(NewStep(f"any {n}", requires=["phone"]) for n in range(8)),
        *(NewStep(f"one {n}", requires=["phone:a"]) for n in range(2)),
        *(NewStep(f"plain {n}", requires=["x"]) for n in range(2)),
    )

    got = await offer(node, first.serial, second.serial, want=6)

    assert got == ["any 0", "any 1", "plain 0", "plain 1"]
    assert await offer(node, first.serial, want=1) == ["any 2"]


async def test_a_step_that_any_phone_can_do_leaves_the_special_ones_to_those_that_need_them(farm: Farm) -> None:
    node = await farm.given_node(devices=2)
    first, second = await farm.engine.devices.list()
    await farm.engine.devices.update_device(first.device_id, tags=["a"])
    await given_job(
        farm, NewStep("any", requires=["phone"]), *(NewStep(f"{n}", requires=["phone:a"]) for n in range(2))
    )

    assert await offer(node, first.serial, second.serial) == ["any", "0"]


async def test_a_repeated_claim_with_phones_returns_the_same_steps(farm: Farm) -> None:
    node = await farm.given_node(devices=1, capabilities=["x"])
    (device,) = await farm.engine.devices.list()
    steps = [NewStep(f"s{n}", requires=["phone"]) for n in range(2)]
    await given_job(farm, *steps, NewStep("plain", requires=["x"]))
    request_id = uuid4()

    first = await offer(node, device.serial, request_id=request_id)

    assert first == ["s0", "plain"]
    assert await offer(node, device.serial, request_id=request_id) == first
    assert await offer(node, device.serial, want=0) == []


async def test_a_phone_nobody_has_is_a_capability_nobody_has(farm: Farm) -> None:
    node = await farm.given_node(devices=1)
    job = await given_job(farm, NewStep("one", requires=["phone:pixel"]), NewStep("any", requires=["phone"]))

    reasons = {row.step: row.reason.value for row in await farm.engine.runs.explain_run(job.run_id)}
    assert reasons == {"one": "no_capable_node", "any": "steps_waiting"}

    (device,) = await farm.engine.devices.list()
    await farm.engine.devices.update_device(device.device_id, label="pixel")
    assert {row.reason.value for row in await farm.engine.runs.explain_run(job.run_id)} == {"steps_waiting"}
    await node.beat(devices=[{"serial": device.serial, "connection": "offline"}])
    assert {row.reason.value for row in await farm.engine.runs.explain_run(job.run_id)} == {"no_capable_node"}


# The version of a run.


class Versions:
    """Sees whether a run's version grows with each thing that happens."""

    def __init__(self, farm: Farm, run_id: UUID) -> None:
        self._farm = farm
        self._run_id = run_id
        self._last = 0

    async def see(self, what: str) -> None:
        version = await self._farm.engine.runs.get_run_version(self._run_id)
        assert version > self._last, what
        self._last = version


async def test_a_step_that_moves_changes_its_runs_version_though_nothing_ends(farm: Farm) -> None:
    node = await farm.given_node()
    job = await given_job(farm, NewStep("a"), NewStep("b", max_attempts=3), NewStep("c"), max_attempts=3)
    versions = Versions(farm, job.run_id)
    first, second, third = await claim(node)
    await versions.see("it was made")

    await node.send(event(first, "step_started", 1))
    await versions.see("the first step began")
    await node.send(event(second, "step_started", 1))
    await versions.see("another step began")
    assert await finish(node, third, status="running") == ["applied"]
    await versions.see("one began without an event")
    await node.send(event(second, "step_finished", 2, status="failed"))
    await versions.see("a step is to be tried again")
    await node.send(event(first, "step_finished", 2, status="cancelled"))
    await versions.see("a step was given up")
    await farm.engine.steps.release_step(node.node_id, third)
    await versions.see("a step was released")
    await claim(node)
    await node.reboot()
    await versions.see("the steps of a node that died are back")
    await farm.engine.runs.cancel_run(job.run_id)
    await versions.see("it was cancelled")


async def test_a_failure_that_ends_no_job_changes_the_version_also_before_the_job_began(farm: Farm) -> None:
    await farm.let_verdicts_open()
    node = await farm.given_node()
    job = await given_job(
        farm, NewStep("rare", requires=["gpu"], continue_on_failure=True), NewStep("b"), wait_timeout_s=30
    )
    versions = Versions(farm, job.run_id)
    await farm.run_upkeep()
    await versions.see("it was made")
    await farm.pass_time(40 * SECOND, node)
    await farm.run_upkeep()

    assert (await statuses(farm, job))["rare"] == "failed"
    await versions.see("a step that nobody is capable of failed")


async def test_what_a_local_job_tells_of_its_steps_changes_the_version(farm: Farm) -> None:
    node = await farm.given_node()
    job = await given_job(farm, NewStep("whole-job"))
    (whole,) = await claim(node)
    versions = Versions(farm, job.run_id)
    await node.send(event(whole, "step_started", 1))
    await versions.see("the job began")

    for seq, (kind, fields) in enumerate((("step_started", {}), ("step_finished", {"status": "succeeded"})), 2):
        told = event(whole, kind, seq, **fields) | {"within": "whole-job", "step": "one", "position": 1}
        assert [each.outcome for each in await node.send(told)] == ["applied"]
        await versions.see(kind)


async def test_adding_steps_changes_the_version_and_adding_none_does_not(farm: Farm) -> None:
    job = await given_job(farm, NewStep("a"))
    versions = Versions(farm, job.run_id)
    await versions.see("it was made")

    await farm.engine.steps.create_steps(job.job_id, [NewStep("b"), NewStep("c", needs=["b"])])
    await versions.see("steps were added")
    await farm.engine.steps.create_steps(job.job_id, [NewStep("d", needs=["a"])])
    await versions.see("a step was added that waits")

    before = await farm.engine.runs.get_run_version(job.run_id)
    assert await farm.engine.steps.create_steps(job.job_id, []) == 0
    assert await farm.engine.runs.get_run_version(job.run_id) == before


async def test_a_step_that_repeats_and_a_task_that_is_added_or_claimed_change_the_version(farm: Farm) -> None:
    node = await farm.given_node()
    job = await given_job(farm, NewStep("each"))
    (grant,) = await claim(node)
    versions = Versions(farm, job.run_id)
    await versions.see("it was made")
    assert await farm.engine.steps.expand_step(node.node_id, grant, [NewStep("each[0]")])
    await versions.see("a step repeats")

    channel = await farm.engine.channels.create_channel("work")
    chain = await farm.engine.chains.create_chain(channel.id, name="a chain")
    versions = Versions(farm, (await farm.engine.jobs.get(chain.id)).run_id)
    await versions.see("a chain was made")
    for title in ("one", "two"):
        task = await farm.engine.tasks.append_task(title, chain_id=chain.id)
        await versions.see("a task was added")
        await farm.engine.tasks.claim_task("ann", channel_id=channel.id)
        await versions.see("a task was claimed")
        await farm.engine.tasks.complete_task("ann", task.id)
        await versions.see("a task was completed")


# Why steps wait.


async def test_each_waiting_step_is_explained(farm: Farm) -> None:
    node = await farm.given_node(capabilities=["x"])
    job = await given_job(
        farm,
        NewStep("plain"),
        NewStep("rare", requires=["gpu"]),
        NewStep("again", requires=["x"], max_attempts=2, backoff_s=60),
        NewStep("later", needs=["plain"]),
        wait_timeout_s=90,
    )
    grants = {grant.name: grant for grant in await claim(node)}
    await finish(node, grants["again"], status="failed")
    await farm.engine.steps.release_step(node.node_id, grants["plain"])

    rows = {row.step: row for row in await farm.engine.runs.explain_run(job.run_id)}

    assert {name: row.reason.value for name, row in rows.items()} == {
        "plain": "steps_waiting",
        "rare": "no_capable_node",
        "again": "retry_wait",
    }
    assert rows["rare"].message == "no live node is capable of gpu; the step fails when that has lasted for 90 s"
    assert rows["again"].expected_start_at is not None


async def test_a_capped_runs_steps_say_that_it_is_full(farm: Farm) -> None:
    node = await farm.given_node()
    job = await given_job(farm, NewStep("a"), NewStep("b"), concurrency=1)
    await claim(node)

    (row,) = await farm.engine.runs.explain_run(job.run_id)

    assert (row.step, row.reason, row.message) == ("b", "gate_full", "the run has all of its 1 allowed steps in flight")


async def test_the_tasks_of_a_chain_wait_for_agents_people_and_one_another(farm: Farm) -> None:
    channel = await farm.engine.channels.create_channel("work")
    chain = await farm.engine.chains.create_chain(channel.id, name="a chain")
    tasks = [await farm.engine.tasks.append_task(title, chain_id=chain.id) for title in ("one", "two", "three")]
    await farm.engine.tasks.update_task(tasks[2].id, status=TaskStatus.LOCKED)
    run_id = (await farm.engine.jobs.get(chain.id)).run_id

    async def explained() -> list[tuple[str | None, str, str]]:
        return [(row.step, row.reason, row.message) for row in await farm.engine.runs.explain_run(run_id)]

    assert await explained() == [
        ("1", "tasks_waiting", "next when an agent claims it"),
        ("2", "behind_task", "behind task 1 of its chain"),
        ("3", "task_locked", "a person locked it"),
    ]
    await farm.engine.tasks.assign_task("ann", tasks[0].id)
    assert [step for step, _, _ in await explained()] == ["2", "3"]
    await farm.engine.tasks.complete_task("ann", tasks[0].id)
    await farm.engine.chains.update_chain(chain.id, status=TaskStatus.LOCKED)
    assert await explained() == [
        ("2", "task_locked", "a person locked its chain"),
        ("3", "task_locked", "a person locked its chain"),
    ]
    await farm.engine.chains.update_chain(chain.id, status=TaskStatus.QUEUED)
    assert [reason for _, reason, _ in await explained()] == ["tasks_waiting", "task_locked"]


async def test_steps_that_nobody_can_do_are_a_to_do(farm: Farm) -> None:
    await farm.given_node()
    await given_job(farm, NewStep("rare", requires=["gpu"]), NewStep("rarer", requires=["gpu", "tpu"]))
    await farm.engine.upkeep.fail_unclaimable_steps()

    board = await farm.engine.dashboard.get_dashboard()

    assert b"2 steps wait for capabilities that no live node has" in board
    assert b"/runs?status=going" in board


# Runs with their steps.


async def test_a_runs_steps_are_made_with_it_or_not_at_all(farm: Farm) -> None:
    job = await given_run(farm, NewStep("a"), NewStep("b", needs=["a"]), log_path="logs/1")
    assert await statuses(farm, job) == {"a": "ready", "b": "pending"}
    assert job.log_path == "logs/1"

    with pytest.raises(InvalidRequestError) as failed:
        await given_run(farm, NewStep("a", needs=["nobody"]))

    assert failed.value.path == "steps.0.needs"
    assert len(await farm.engine.runs.list()) == 1


async def test_runs_are_found_by_their_source_and_their_log(farm: Farm) -> None:
    one = await given_run(farm, NewStep("a"), source_type="ci", source_id="17", log_path="logs/17")
    two = await given_run(farm, NewStep("a"), source_type="ci", source_id="18")
    await given_run(farm, NewStep("a"), source_type="user", source_id="17")

    async def found(**filters: Any) -> list[object]:  # noqa: ANN401 - what the listing takes
        return [run.run_id for run in await farm.engine.runs.list(**filters)]

    assert await found(source_type="ci") == [two.run_id, one.run_id]
    assert await found(source_type="ci", source_id="17") == [one.run_id]
    assert await found(log_path="logs/17") == [one.run_id]
    assert await found(log_path="logs/17", source_id="18") == []


async def test_a_distributed_run_is_done_again_as_a_whole(farm: Farm) -> None:
    node = await farm.given_node()
    job = await given_run(farm, NewStep("a"), params={"x": 1})
    await finish(node, *await claim(node), status="failed")

    again = await farm.engine.runs.retry_run(job.run_id, steps=[NewStep("a"), NewStep("b")])

    assert (again.retry_of, again.params) == (job.run_id, {"x": 1})
    assert len(await claim(node)) == 2
    with pytest.raises(ConflictError, match="by device"):
        await farm.engine.runs.retry_run(job.run_id, indexes=[1], steps=[NewStep("a")])


async def test_what_a_person_changes_of_a_chain_and_its_tasks_changes_the_version(farm: Farm) -> None:
    channel = await farm.engine.channels.create_channel("work")
    chain = await farm.engine.chains.create_chain(channel.id, name="a chain")
    task = await farm.engine.tasks.append_task("one", chain_id=chain.id)
    versions = Versions(farm, (await farm.engine.jobs.get(chain.id)).run_id)
    await versions.see("it was made")

    await farm.engine.tasks.update_task(task.id, title="another")
    await versions.see("a task has another title")
    await farm.engine.tasks.update_task(task.id, status=TaskStatus.LOCKED)
    await versions.see("a task was set aside")
    await farm.engine.chains.update_chain(chain.id, name="another chain")
    await versions.see("the chain has another name")
    await farm.engine.chains.update_chain(chain.id, status=TaskStatus.FAILED)
    await versions.see("the chain was given up")
