"""Distributed jobs: their steps are claimed, done, lost, retried and promoted."""

import asyncio
import random
from datetime import timedelta
from uuid import UUID, uuid4

import pytest

from corral.model.errors import (
    ConflictError,
    InvalidRequestError,
    LeaseLostError,
    NotFoundError,
    StaleEpochError,
)
from corral.model.records import Job, Json, NewStep, Step, StepGrant, StepResult
from corral.model.states import StepStatus
from tests.engine.farm import LEASE_TIME, SECOND, Farm, SimulatedNode


async def given_job(farm: Farm, *steps: NewStep, **policy: object) -> Job:
    if policy:
        workflow_id = await farm.given_workflow("spread", mode="distributed")
        run = await farm.engine.runs.create_run(workflow_id, {"policy": policy})
        (job,) = await farm.engine.jobs.list(run_id=run.run_id)
    else:
        job = await farm.engine.jobs.create("spread")
    await farm.engine.steps.create_steps(job.job_id, steps)
    return job


async def claim(node: SimulatedNode, want: int = 20, **fields: object) -> list[StepGrant]:
    return await node.engine.steps.claim_ready_steps(node.node_id, epoch=node.epoch, want=want, **fields)  # type: ignore[arg-type]


async def finish(node: SimulatedNode, *grants: StepGrant, status: str = "succeeded", **fields: object) -> list[str]:
    results = [
        StepResult(g.job_id, g.name, g.lease_token, StepStatus(status), **fields)  # type: ignore[arg-type]
        for g in grants
    ]
    return [outcome.outcome for outcome in await node.engine.steps.complete_steps(node.node_id, results)]


def event(grant: StepGrant, kind: str, seq: int, **fields: object) -> Json:
    return {
        "event_id": str(uuid4()),
        "job_id": str(grant.job_id),
        "lease_token": str(grant.lease_token),
        "step": grant.name,
        "seq": seq,
        "type": kind,
        **fields,
    }


async def statuses(farm: Farm, job: Job | UUID) -> dict[str, str]:
    job_id = job if isinstance(job, UUID) else job.job_id
    return {step.name: step.status.value for step in await farm.engine.steps.get_steps_for_job(job_id)}


async def reload(farm: Farm, job: Job) -> Job:
    return await farm.engine.jobs.get(job.job_id)


async def the_step(farm: Farm, job: Job, name: str) -> Step:
    return await farm.engine.steps.get(job.job_id, name)


# The behaviours of the database seed.


async def test_a_job_is_created_and_read_back(farm: Farm) -> None:
    job = await farm.engine.jobs.create(
        "build", workspace="apps", input={"env": "prod"}, source_type="user", source_id="ann"
    )

    assert await reload(farm, job) == job
    assert (job.workspace, job.mode, job.status, job.input) == (
        "apps",
        "distributed",
        "queued",
        {"env": "prod"},
    )
    assert (job.source_type, job.source_id) == ("user", "ann")


async def test_jobs_are_listed_by_workspace_a_page_at_a_time(farm: Farm) -> None:
    jobs = [await farm.engine.jobs.create("build", workspace="apps") for _ in range(3)]
    await farm.engine.jobs.create("build", workspace="others")

    first = await farm.engine.jobs.list(workspace="apps", limit=2)
    rest = await farm.engine.jobs.list(workspace="apps", limit=2, offset=2)

    assert [job.job_id for job in [*first, *rest]] == [job.job_id for job in reversed(jobs)]


async def test_created_steps_are_claimed(farm: Farm) -> None:
    node = await farm.given_node(capabilities=["shell"])
    job = await given_job(
        farm,
        NewStep("checkout", action="git-clone", requires=["shell"], spec={"cmd": "git clone"}),
        NewStep("build", action="npm-build", requires=["shell"], needs=["checkout"]),
    )

    grant = await farm.engine.steps.claim_ready_step(node.node_id, epoch=node.epoch)

    assert grant is not None
    assert (grant.job_id, grant.name, grant.spec, grant.attempt) == (
        job.job_id,
        "checkout",
        {"cmd": "git clone"},
        1,
    )
    assert await statuses(farm, job) == {"checkout": "running", "build": "pending"}
    assert await farm.engine.steps.claim_ready_step(node.node_id, epoch=node.epoch) is None


async def test_ten_workers_claim_ten_steps_and_none_twice(farm: Farm) -> None:
    nodes = [await farm.given_node(f"node-{n}") for n in range(10)]
    await given_job(farm, *(NewStep(f"step-{n}") for n in range(10)))

    granted = await asyncio.gather(*(claim(node, 1) for node in nodes))

    assert sorted(grant.name for grants in granted for grant in grants) == [f"step-{n}" for n in range(10)]


async def test_ten_workers_of_many_skills_claim_everything_once(farm: Farm) -> None:
    nodes = [await farm.given_node(f"node-{n}", capabilities=["a", "b", "c"]) for n in range(10)]
    skills = [[], ["a"], ["b"], ["a", "c"]]
    job = await given_job(farm, *(NewStep(f"step-{n}", requires=skills[n % 4]) for n in range(100)))

    async def work(node: SimulatedNode) -> list[str]:
        names: list[str] = []
        while grants := await claim(node, 3):
            names += [grant.name for grant in grants]
            await finish(node, *grants)
        return names

    done = [name for names in await asyncio.gather(*(work(node) for node in nodes)) for name in names]

    assert len(done) == len(set(done)) == 100
    assert (await reload(farm, job)).status == "succeeded"


async def test_a_step_goes_from_ready_to_running_to_succeeded(farm: Farm) -> None:
    node = await farm.given_node()
    job = await given_job(farm, NewStep("only"))
    assert (await the_step(farm, job, "only")).status == "ready"

    (grant,) = await claim(node)
    await farm.engine.steps.mark_running(node.node_id, grant)
    started = await the_step(farm, job, "only")
    assert (started.status, started.attempt, started.lease_owner) == ("running", 1, node.node_id)
    assert started.lease_until is not None
    assert (await reload(farm, job)).status == "running"
    assert (await farm.run(job.run_id)).status == "running"

    await farm.engine.steps.mark_completed(node.node_id, grant, output={"files": 3})
    ended = await the_step(farm, job, "only")
    assert (ended.status, ended.output) == ("succeeded", {"files": 3})
    assert ended.finished_at is not None
    assert (await reload(farm, job)).output == {"only": {"files": 3}}
    assert (await farm.run(job.run_id)).status == "succeeded"


async def test_the_end_of_a_step_promotes_its_dependents(farm: Farm) -> None:
    node = await farm.given_node()
    job = await given_job(
        farm,
        NewStep("a"),
        NewStep("b", needs=["a"]),
        NewStep("c", needs=["a"]),
        NewStep("d", needs=["b", "c"]),
    )

    await finish(node, *await claim(node))
    assert [step.name for step in await farm.engine.steps.get_ready_steps(job.job_id)] == ["b", "c"]
    b, c = await claim(node)
    await finish(node, b)
    assert await statuses(farm, job) == {"a": "succeeded", "b": "succeeded", "c": "running", "d": "pending"}
    await finish(node, c)
    assert [grant.name for grant in await claim(node)] == ["d"]
    assert await farm.engine.steps.promote_ready_steps(job.job_id) == []


async def test_promoting_by_hand_repairs_a_wrong_count(farm: Farm) -> None:
    job = await given_job(farm, NewStep("a"), NewStep("b", needs=["a"]))
    node = await farm.given_node()
    await farm.value("update corral.job_steps set pending_needs = 2 where name = 'b'")
    await finish(node, *await claim(node))
    assert (await statuses(farm, job))["b"] == "pending"
    before = await farm.engine.runs.get_run_version(job.run_id)

    assert await farm.engine.steps.promote_ready_steps(job.job_id) == ["b"]
    repaired = await farm.engine.runs.get_run_version(job.run_id)
    assert repaired > before
    assert await farm.engine.steps.promote_ready_steps(job.job_id) == []
    assert await farm.engine.runs.get_run_version(job.run_id) == repaired


async def test_a_worker_registers_and_beats(farm: Farm) -> None:
    node = await farm.given_node("worker-1", capabilities=["shell", "docker"])
    before = await farm.engine.nodes.get("worker-1")

    await farm.clock.advance(SECOND)
    await node.beat()

    after = await farm.engine.nodes.get("worker-1")
    assert after.capabilities == ["shell", "docker"]
    assert after.last_heartbeat_at > before.last_heartbeat_at


async def test_all_steps_are_terminal_only_when_the_last_one_is(farm: Farm) -> None:
    node = await farm.given_node()
    job = await given_job(farm, NewStep("a"), NewStep("b"))
    a, b = await claim(node)

    await finish(node, a)
    assert not await farm.engine.steps.all_steps_terminal(job.job_id)
    await finish(node, b, status="failed", error_message="no")
    assert await farm.engine.steps.all_steps_terminal(job.job_id)


async def test_a_failed_step_is_noticed_and_fails_its_job(farm: Farm) -> None:
    node = await farm.given_node()
    job = await given_job(farm, NewStep("a"))
    assert not await farm.engine.steps.any_step_failed(job.job_id)

    (grant,) = await claim(node)
    await farm.engine.steps.mark_failed(node.node_id, grant, error="exit code 2")

    assert await farm.engine.steps.any_step_failed(job.job_id)
    ended = await reload(farm, job)
    assert (ended.status, ended.failure_reason) == ("failed", "step_failed")
    assert ended.error_message == "step a failed: exit code 2"
    assert (await farm.run(job.run_id)).status == "failed"


# Creating.


async def test_steps_that_make_no_sense_are_refused_with_their_path(farm: Farm) -> None:
    job = await given_job(farm, NewStep("a"))
    create = farm.engine.steps.create_steps

    with pytest.raises(InvalidRequestError, match="does not exist") as unknown:
        await create(job.job_id, [NewStep("b"), NewStep("c", needs=["nobody"])])
    assert unknown.value.path == "steps.1.needs"
    with pytest.raises(InvalidRequestError, match="circle"):
        await create(job.job_id, [NewStep("b", needs=["c"]), NewStep("c", needs=["d"]), NewStep("d", needs=["b"])])
    with pytest.raises(InvalidRequestError, match="circle"):
        await create(job.job_id, [NewStep("b", needs=["b"])])
    with pytest.raises(ConflictError, match="exists already"):
        await create(job.job_id, [NewStep("a")])
    with pytest.raises(ConflictError, match="exists already"):
        await create(job.job_id, [NewStep("b"), NewStep("b")])
    with pytest.raises(NotFoundError):
        await create(uuid4(), [NewStep("b")])
    assert await statuses(farm, job) == {"a": "ready"}


async def test_steps_may_be_listed_before_what_they_need(farm: Farm) -> None:
    node = await farm.given_node()
    await given_job(farm, NewStep("c", needs=["b"]), NewStep("b", needs=["a"]), NewStep("a"))
    order = []

    while grants := await claim(node):
        order += [grant.name for grant in grants]
        await finish(node, *grants)

    assert order == ["a", "b", "c"]


async def test_an_ended_job_gets_no_more_steps(farm: Farm) -> None:
    node = await farm.given_node()
    job = await given_job(farm, NewStep("a"))
    await finish(node, *await claim(node))

    with pytest.raises(ConflictError):
        await farm.engine.steps.create_steps(job.job_id, [NewStep("b")])


async def test_a_job_can_be_ended_by_hand(farm: Farm) -> None:
    node = await farm.given_node()
    done, failed = (
        await farm.engine.jobs.create("x"),
        await given_job(farm, NewStep("a"), NewStep("b", needs=["a"])),
    )
    (grant,) = await claim(node)
    with pytest.raises(ConflictError, match="open steps"):
        await farm.engine.jobs.mark_completed(failed.job_id)

    await farm.engine.jobs.mark_running(done.job_id, node_id=node.node_id)
    assert (await reload(farm, done)).status == "running"
    await farm.engine.jobs.mark_completed(done.job_id, output={"ok": True})
    await farm.engine.jobs.mark_failed(failed.job_id, error="given up")

    assert ((await reload(farm, done)).status, (await reload(farm, done)).output) == (
        "succeeded",
        {"ok": True},
    )
    assert (await reload(farm, failed)).status == "failed"
    assert await statuses(farm, failed) == {"a": "cancelled", "b": "cancelled"}
    assert await finish(node, grant) == ["stale"]
    await farm.engine.jobs.mark_failed(failed.job_id)
    with pytest.raises(ConflictError):
        await farm.engine.jobs.mark_completed(failed.job_id)


# Claiming.


async def test_a_worker_gets_only_what_it_is_capable_of(farm: Farm) -> None:
    plain = await farm.given_node("plain")
    skilled = await farm.given_node("skilled", capabilities=["docker", "gpu", "shell"])
    await given_job(
        farm,
        NewStep("any"),
        NewStep("gpu", requires=["gpu"]),
        NewStep("both", requires=["gpu", "docker"]),
        NewStep("tpu", requires=["tpu"]),
    )

    assert [grant.name for grant in await claim(plain)] == ["any"]
    assert [grant.name for grant in await claim(skilled, capabilities=["docker"])] == []
    assert [grant.name for grant in await claim(skilled)] == ["gpu", "both"]


async def test_steps_are_claimed_in_the_order_in_which_they_became_ready(farm: Farm) -> None:
    node = await farm.given_node(capabilities=["x"])
    first = await given_job(farm, NewStep("z"), NewStep("y", requires=["x"], needs=["z"]))
    await given_job(farm, NewStep("a"), NewStep("b", requires=["x"]), NewStep("urgent", priority=5))

    (urgent,) = await claim(node, 1)
    (z,) = await claim(node, 1)
    await finish(node, z)

    assert (urgent.name, z.job_id) == ("urgent", first.job_id)
    assert [grant.name for grant in await claim(node)] == ["a", "b", "y"]


async def test_a_channel_has_a_queue_of_its_own(farm: Farm) -> None:
    node = await farm.given_node()
    channel = await farm.engine.channels.create_channel("reviews")
    await given_job(farm, NewStep("inside", channel_id=channel.id), NewStep("outside"))

    assert [grant.name for grant in await claim(node)] == ["outside"]
    assert [grant.name for grant in await claim(node, channel_id=channel.id)] == ["inside"]


async def test_a_repeated_request_returns_the_same_grant(farm: Farm) -> None:
    node = await farm.given_node()
    await given_job(farm, *(NewStep(f"s{n}") for n in range(6)))
    request_id = uuid4()

    first = await claim(node, 3, request_id=request_id)

    assert await claim(node, 3, request_id=request_id) == first
    assert len(await claim(node, 9, request_id=uuid4())) == 3


async def test_a_node_claims_no_more_than_its_slots_lanes_included(farm: Farm) -> None:
    node = await farm.given_node(devices=2, max_concurrency=3, lookahead=1)
    await farm.given_run()
    await given_job(farm, *(NewStep(f"s{n}") for n in range(9)))
    assert len(await node.pull()) == 2

    assert len(await claim(node, 9)) == 2
    assert await claim(node, 9) == []


async def test_a_draining_node_and_an_old_epoch_claim_nothing(farm: Farm) -> None:
    node = await farm.given_node()
    await given_job(farm, NewStep("a"))
    await farm.engine.nodes.drain_node(node.node_id)
    assert await claim(node) == []

    await node.reboot()
    with pytest.raises(StaleEpochError):
        await claim(node)


# Failure.


async def test_a_failure_skips_everything_below_it(farm: Farm) -> None:
    node = await farm.given_node()
    job = await given_job(
        farm,
        NewStep("a"),
        NewStep("b", needs=["a"]),
        NewStep("c", needs=["b"]),
        NewStep("other"),
        NewStep("d", needs=["c", "other"]),
    )
    a, other = await claim(node)

    await finish(node, a, status="failed", error_message="broken")
    assert await statuses(farm, job) == {
        "a": "failed",
        "b": "skipped",
        "c": "skipped",
        "other": "running",
        "d": "pending",
    }
    await finish(node, other)

    assert (await the_step(farm, job, "d")).skip_cause == "upstream"
    assert (await reload(farm, job)).error_message == "step a failed: broken"


async def test_a_failure_that_was_declared_harmless_stops_nothing(farm: Farm) -> None:
    node = await farm.given_node()
    job = await given_job(farm, NewStep("a", continue_on_failure=True), NewStep("b", needs=["a"]))

    await finish(node, *await claim(node), status="failed")
    await finish(node, *await claim(node), output=7)

    assert await statuses(farm, job) == {"a": "failed", "b": "succeeded"}
    assert ((await reload(farm, job)).status, (await reload(farm, job)).output) == ("succeeded", {"b": 7})


async def test_a_dependent_that_continues_on_failure_runs_after_one(farm: Farm) -> None:
    node = await farm.given_node()
    job = await given_job(
        farm,
        NewStep("a"),
        NewStep("b", needs=["a"]),
        NewStep("cleanup", needs=["b"], continue_on_failure=True),
        NewStep("report", needs=["cleanup"]),
    )

    await finish(node, *await claim(node), status="failed")
    (cleanup,) = await claim(node)
    await finish(node, cleanup)
    await finish(node, *await claim(node))

    assert await statuses(farm, job) == {
        "a": "failed",
        "b": "skipped",
        "cleanup": "succeeded",
        "report": "succeeded",
    }
    assert (await reload(farm, job)).status == "failed"


async def test_a_step_skipped_by_its_own_condition_satisfies_its_dependents(farm: Farm) -> None:
    node = await farm.given_node()
    job = await given_job(farm, NewStep("a"), NewStep("b", needs=["a"]))
    (a,) = await claim(node)

    await farm.engine.steps.mark_skipped(node.node_id, a)
    await finish(node, *await claim(node))

    assert await statuses(farm, job) == {"a": "skipped", "b": "succeeded"}
    assert (await reload(farm, job)).status == "succeeded"


async def test_a_failed_step_is_retried_after_its_backoff(farm: Farm) -> None:
    node = await farm.given_node()
    job = await given_job(farm, NewStep("a", max_attempts=3, backoff_s=10))
    tries = []

    for wait in (10, 20, None):
        (grant,) = await claim(node)
        tries.append(grant.attempt)
        await finish(node, grant, status="failed", error_message="flaky")
        assert await finish(node, grant) == ["stale"]
        if wait:
            await farm.clock.advance(timedelta(seconds=wait - 1))
            assert await claim(node) == []
            await farm.clock.advance(SECOND)

    assert tries == [1, 2, 3]
    assert ((await reload(farm, job)).status, (await the_step(farm, job, "a")).attempt) == ("failed", 3)


async def test_a_failure_that_cannot_change_is_not_retried(farm: Farm) -> None:
    node = await farm.given_node()
    job = await given_job(farm, NewStep("a", max_attempts=3), NewStep("b", max_attempts=3))
    a, b = await claim(node)

    await finish(node, a, status="failed", failure_reason="template_error")
    await finish(node, b, status="failed", retryable=False)

    assert (await reload(farm, job)).status == "failed"


# Events.


async def test_steps_are_moved_by_events_too(farm: Farm) -> None:
    node = await farm.given_node()
    job = await given_job(farm, NewStep("a"), NewStep("b", needs=["a"]))
    (a,) = await claim(node)

    await node.send(event(a, "step_started", 1))
    assert (await reload(farm, job)).status == "running"
    end = event(a, "step_finished", 2, status="succeeded", output={"n": 1})
    answers = [(await node.send(item))[0].outcome for item in (end, end, event(a, "step_started", 3))]
    assert answers == ["applied", "duplicate", "stale"]

    (b,) = await claim(node)
    both = await node.send(
        event(b, "step_started", 1),
        event(b, "log", 0, lines=[{"message": "hi"}]),
        event(b, "step_finished", 2, status="succeeded"),
        event(b, "step_finished", 3, status="failed"),
    )
    assert [result.outcome for result in both] == ["applied", "applied", "applied", "stale"]
    assert await statuses(farm, job) == {"a": "succeeded", "b": "succeeded"}
    assert (await farm.run(job.run_id)).status == "succeeded"


async def test_a_result_counts_once(farm: Farm) -> None:
    node = await farm.given_node()
    job = await given_job(farm, NewStep("a"), NewStep("b"))
    a, _ = await claim(node)

    assert await finish(node, a, output=1) == ["applied"]
    assert await finish(node, a, output=2) == ["duplicate"]
    assert await finish(node, a, status="failed") == ["stale"]
    await farm.engine.steps.mark_completed(node.node_id, a)
    with pytest.raises(LeaseLostError):
        await farm.engine.steps.mark_failed(node.node_id, a, error="late")
    assert (await the_step(farm, job, "a")).output == 1


async def test_only_the_holder_of_the_token_moves_a_step(farm: Farm) -> None:
    node, other = await farm.given_node(), await farm.given_node("node-2")
    await given_job(farm, NewStep("a"))
    (grant,) = await claim(node)

    assert await finish(other, grant) == ["stale"]
    forged = StepResult(grant.job_id, grant.name, uuid4(), StepStatus.SUCCEEDED)
    assert (await farm.engine.steps.complete_steps(node.node_id, [forged]))[0].outcome == "stale"


# Trouble.


async def test_a_dead_workers_steps_go_to_somebody_else(farm: Farm) -> None:
    dead, alive = await farm.given_node("dead"), await farm.given_node("alive")
    job = await given_job(farm, NewStep("a"))
    (grant,) = await claim(dead)
    await farm.engine.steps.mark_running(dead.node_id, grant)

    await farm.pass_time(LEASE_TIME + 10 * SECOND, alive)
    await farm.run_upkeep()

    assert await statuses(farm, job) == {"a": "ready"}
    (again,) = await claim(alive)
    assert again.attempt == 2
    assert await finish(alive, again) == ["applied"]
    assert (await reload(farm, job)).status == "succeeded"


async def test_a_rebooted_workers_steps_come_back_at_once(farm: Farm) -> None:
    node = await farm.given_node()
    job = await given_job(farm, NewStep("a"))
    await claim(node)

    node = await node.reboot()

    assert await statuses(farm, job) == {"a": "ready"}
    assert [grant.attempt for grant in await claim(node)] == [1]


async def test_a_late_result_counts_until_the_step_is_claimed_again(farm: Farm) -> None:
    node = await farm.given_node()
    job = await given_job(farm, NewStep("early"), NewStep("late"))
    early, late = await claim(node)
    node = await node.reboot()
    assert await statuses(farm, job) == {"early": "ready", "late": "ready"}

    assert await finish(node, early) == ["applied"]
    (again,) = await claim(node)
    assert await finish(node, late) == ["stale"]
    assert [r.outcome for r in await node.send(event(late, "step_finished", 1, status="failed"))] == ["stale"]
    assert await finish(node, again) == ["applied"]
    assert (await reload(farm, job)).status == "succeeded"


async def test_a_step_lost_too_often_fails(farm: Farm) -> None:
    node = await farm.given_node()
    job = await given_job(farm, NewStep("a"), NewStep("b", needs=["a"]), max_attempts=2)

    for _ in range(2):
        (grant,) = await claim(node)
        await farm.engine.steps.mark_running(node.node_id, grant)
        node = await node.reboot()

    assert await statuses(farm, job) == {"a": "failed", "b": "skipped"}
    assert (await the_step(farm, job, "a")).failure_reason == "node_lost"
    assert (await reload(farm, job)).status == "failed"


async def test_a_grant_that_never_arrived_returns_after_two_heartbeats(farm: Farm) -> None:
    node = await farm.given_node()
    job = await given_job(farm, NewStep("a"), NewStep("b"))
    held, _lost = await claim(node)

    for _ in range(2):
        await farm.clock.advance(10 * SECOND)
        assert await statuses(farm, job) == {"a": "running", "b": "running"}
        await node.beat(held=[held.lease_token])

    assert await statuses(farm, job) == {"a": "running", "b": "ready"}
    (again,) = await claim(node)
    assert again.attempt == 1
    heartbeat = await node.beat(held=[held.lease_token, again.lease_token, uuid4()])
    assert len(heartbeat.lost) == 1


async def test_a_step_past_its_deadline_is_taken_back(farm: Farm) -> None:
    node = await farm.given_node()
    job = await given_job(farm, NewStep("started", timeout_s=30), NewStep("waiting", timeout_s=30))
    started, waiting = await claim(node)
    await farm.engine.steps.mark_running(node.node_id, started)

    for _ in range(20):
        await farm.clock.advance(5 * SECOND)
        await node.beat(held=[started.lease_token, waiting.lease_token])
        await farm.engine.upkeep.tick_upkeep()
    assert await farm.engine.upkeep.expire_steps() == 2

    assert await statuses(farm, job) == {"started": "failed", "waiting": "ready"}
    assert (await the_step(farm, job, "started")).failure_reason == "step_timeout"


async def test_a_step_that_nobody_can_do_fails_in_the_end(farm: Farm) -> None:
    node = await farm.given_node()
    job = await given_job(farm, NewStep("rare", requires=["gpu"]), NewStep("plain"), wait_timeout_s=60)

    assert await farm.engine.upkeep.fail_unclaimable_steps() == 0
    await farm.pass_time(61 * SECOND, node)
    assert await farm.engine.upkeep.fail_unclaimable_steps() == 1

    assert await statuses(farm, job) == {"rare": "failed", "plain": "ready"}
    assert (await the_step(farm, job, "rare")).failure_reason == "no_capable_node"


async def test_cancelling_stops_what_waits_and_tells_who_runs(farm: Farm) -> None:
    node = await farm.given_node()
    job = await given_job(farm, NewStep("a"), NewStep("b"), NewStep("c", needs=["a"]), NewStep("d", needs=["b"]))
    a, b = await claim(node, 2)

    await farm.engine.runs.cancel_run(job.run_id)
    assert await statuses(farm, job) == {"a": "running", "b": "running", "c": "cancelled", "d": "cancelled"}
    assert sorted(await farm.engine.nodes.list_cancels(node.node_id)) == sorted([a.lease_token, b.lease_token])
    assert await finish(node, a) == ["applied"]
    await farm.engine.steps.release_step(node.node_id, b)

    assert await statuses(farm, job) == {
        "a": "succeeded",
        "b": "cancelled",
        "c": "cancelled",
        "d": "cancelled",
    }
    assert (await reload(farm, job)).status == "cancelled"
    assert (await farm.run(job.run_id)).status == "cancelled"


async def test_cancelling_before_any_claim_ends_the_run_at_once(farm: Farm) -> None:
    job = await given_job(farm, NewStep("a"), NewStep("b", needs=["a"]))
    empty = await farm.engine.jobs.create("empty")

    assert (await farm.engine.runs.cancel_run(job.run_id)).status == "cancelled"
    assert (await farm.engine.runs.cancel_run(empty.run_id)).status == "cancelled"


async def test_a_step_given_up_unasked_goes_back_to_its_queue(farm: Farm) -> None:
    node = await farm.given_node()
    job = await given_job(farm, NewStep("a"))
    (grant,) = await claim(node)

    await farm.engine.steps.release_step(node.node_id, grant)

    assert await statuses(farm, job) == {"a": "ready"}


# Everything at once.


def expected_statuses(steps: list[NewStep], failing: set[str]) -> dict[str, str]:
    """What should become of a DAG whose steps come after what they need: the rules in plain Python."""
    ended: dict[str, str] = {}
    tolerant = {step.name for step in steps if step.continue_on_failure}
    for step in steps:
        bad = any(ended[need] == "skipped" or (ended[need] == "failed" and need not in tolerant) for need in step.needs)
        if bad and step.name not in tolerant:
            ended[step.name] = "skipped"
        else:
            ended[step.name] = "failed" if step.name in failing else "succeeded"
    return ended


@pytest.mark.parametrize("seed", [1, 2, 3])
async def test_a_random_dag_ends_as_the_rules_say(farm: Farm, seed: int) -> None:
    dice = random.Random(seed)
    steps = []
    for n in range(200):
        needs = dice.sample(range(max(0, n - 30), n), k=min(n, dice.choice([0, 0, 1, 1, 2, 3])))
        steps.append(
            NewStep(
                f"s{n}",
                needs=[f"s{i}" for i in needs],
                continue_on_failure=dice.random() < 0.3,
                requires=dice.choice([[], ["x"]]),
            )
        )
    failing = {step.name for step in steps if dice.random() < 0.1}
    nodes = [await farm.given_node(f"node-{n}", capabilities=["x"]) for n in range(4)]
    job = await given_job(farm, *dice.sample(steps, k=len(steps)))

    async def work(node: SimulatedNode) -> None:
        while not await farm.engine.steps.all_steps_terminal(job.job_id):
            grants = await claim(node, 7)
            await finish(node, *(grant for grant in grants if grant.name not in failing))
            await finish(node, *(grant for grant in grants if grant.name in failing), status="failed")

    await asyncio.gather(*(work(node) for node in nodes))

    expected = expected_statuses(steps, failing)
    assert await statuses(farm, job) == expected
    tolerant = {step.name for step in steps if step.continue_on_failure}
    hard = any(status == "failed" and name not in tolerant for name, status in expected.items())
    assert (await reload(farm, job)).status == ("failed" if hard else "succeeded")


async def test_a_late_result_and_a_new_claim_never_both_win(farm: Farm) -> None:
    node = await farm.given_node(max_concurrency=200)
    job = await given_job(farm, *(NewStep(f"s{n}") for n in range(40)))
    old = await claim(node, 40)
    node = await node.reboot()

    late, claimed = await asyncio.gather(
        asyncio.gather(*(finish(node, grant, output="old") for grant in old)),
        asyncio.gather(*(claim(node, 4) for _ in range(10))),
    )
    new = [grant for grants in claimed for grant in grants]

    assert late.count(["applied"]) + len(new) == 40
    assert late.count(["stale"]) == len(new)
    assert await finish(node, *new, output="new") == ["applied"] * len(new)
    assert (await reload(farm, job)).status == "succeeded"


async def test_workers_that_come_and_go_lose_nothing(farm: Farm) -> None:
    """Claims, results, events, losses, cancels and late words at once: the books balance, no deadlock."""
    dice = random.Random(7)
    jobs = [
        await given_job(
            farm,
            *(NewStep(f"s{n}", needs=[f"s{n - 3}"] if n >= 3 else [], max_attempts=2) for n in range(30)),
            max_attempts=20,
        )
        for _ in range(6)
    ]

    async def is_over() -> bool:
        return all([(await reload(farm, job)).status.is_terminal for job in jobs])

    async def work(number: int) -> None:
        node = await farm.given_node(f"node-{number}")
        old: list[StepGrant] = []
        while not await is_over():
            grants = await claim(node, dice.randint(1, 8))
            chance = dice.random()
            if chance < 0.1:
                node, old = await node.reboot(), grants
                continue
            if chance < 0.4:
                await node.send(*(event(grant, "step_started", 1) for grant in grants))
                await node.send(*(event(grant, "step_finished", 2, status="succeeded") for grant in grants))
            else:
                await finish(node, *grants, status=dice.choice(["succeeded"] * 9 + ["failed"]))
            await finish(node, *old)
            await node.beat(held=[])

    async def cancel_one() -> None:
        await farm.engine.runs.cancel_run(jobs[0].run_id)
        while not await is_over():
            await farm.run_upkeep()

    await asyncio.gather(*(work(number) for number in range(6)), cancel_one())

    query = "select deadlocks from pg_stat_database where datname = current_database()"
    assert (await reload(farm, jobs[0])).status == "cancelled"
    assert await farm.value(query) == 0
