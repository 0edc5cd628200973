"""Runs: targets, policies, fan-out, counts, ends."""

from typing import Any

import pytest

from corral.model.errors import ConflictError, InvalidRequestError, NotFoundError
from tests.engine.farm import Farm


@pytest.mark.parametrize(
    ("target", "serials"),
    [
        ({"all": True}, ["a", "b", "c", "d"]),
        ({"nodes": ["right"]}, ["c", "d"]),
        ({"indexes": [1, [3, 4]]}, ["a", "c", "d"]),
        ({"serials": ["d", "a"]}, ["a", "d"]),
        ({"tags": ["pixel"]}, ["b", "c"]),
        ({"nodes": ["right"], "tags": ["pixel"]}, ["c"]),
        ({"labels": ["shelf 3"]}, ["b", "c"]),
        ({"labels": ["shelf 3"], "nodes": ["left"]}, ["b"]),
    ],
)
async def test_a_run_reaches_the_devices_of_its_target(farm: Farm, target: dict[str, Any], serials: list[str]) -> None:
    await farm.given_node("left", devices=["a", "b"])
    await farm.given_node("right", devices=["c", "d"])
    for device in (await farm.engine.devices.list())[1:3]:
        await farm.engine.devices.update_device(device.device_id, tags=["pixel", "lab"], label="shelf 3")

    run = await farm.given_run(target)

    rows = await farm.engine.database.fetch(
        "select serial from corral.run_device_states where run_id = $1 order by index_no", run.run_id
    )
    assert [row["serial"] for row in rows] == serials
    assert (run.total_jobs, run.waiting) == (len(serials), len(serials))


@pytest.mark.parametrize(
    ("request_", "path"),
    [
        ({"target": {}}, "target"),
        ({"target": {"everything": True}}, "target.everything"),
        ({"target": {"serials": ["a", "zz"]}}, "target.serials[1]"),
        ({"target": {"nodes": "left"}}, "target.nodes"),
        ({"target": {"nodes": ["nowhere"]}}, "target.nodes[0]"),
        ({"target": {"indexes": [1, [9, 3]]}}, "target.indexes[1]"),
        ({"target": {"indexes": [77]}}, "target.indexes[0]"),
        ({"target": {"tags": []}}, "target.tags"),
        ({"target": {"any": 0}}, "target.any"),
        ({"target": {"any": 2.5}}, "target.any"),
        ({"target": {"indexes": [[1, 99999999999]]}}, "target.indexes[0]"),
        ({"target": {"any": 2, "nodes": ["left"]}}, "target.any"),
        ({"target": {"labels": ["shelf"]}}, "target.labels[0]"),
        ({"target": {"labels": [None]}}, "target.labels[0]"),
        ({"target": {"device_ids": ["x"]}}, "target.device_ids[0]"),
        ({"policy": {"concurrency": 0}}, "policy.concurrency"),
        ({"policy": {"concurrency": 1.5}}, "policy.concurrency"),
        ({"policy": {"offline": "maybe"}}, "policy.offline"),
        ({"policy": {"speed": 9}}, "policy.speed"),
        ({"policy": {"max_attempts": "3"}}, "policy.max_attempts"),
        ({"policy": []}, "policy"),
    ],
)
async def test_a_request_that_makes_no_sense_is_refused_by_its_path(
    farm: Farm, request_: dict[str, Any], path: str
) -> None:
    await farm.given_node("left", devices=["a"])
    workflow_id = await farm.given_workflow()

    with pytest.raises(InvalidRequestError) as caught:
        await farm.engine.runs.create_run(workflow_id, request_)

    assert caught.value.path == path
    assert await farm.engine.runs.list() == []


async def test_a_run_on_an_empty_farm_ends_at_once(farm: Farm) -> None:
    run = await farm.given_run()

    assert (run.status, run.total_jobs, run.waiting, run.last_error_message) == ("skipped", 0, 0, None)


async def test_a_fan_out_in_chunks_makes_each_job_once(farm: Farm) -> None:
    await farm.given_node(devices=25)
    workflow_id = await farm.given_workflow()
    run_id = await farm.value("select (corral.fn_create_run($1, '{}', null)).run_id", workflow_id)

    made = await farm.engine.runs.fan_out_run(run_id, chunk=10)
    again = await farm.engine.runs.fan_out_run(run_id, chunk=10)

    assert (made, again, (await farm.run(run_id)).total_jobs) == (25, 0, 25)


async def test_a_device_that_changes_its_number_during_a_fan_out_gets_one_job(farm: Farm) -> None:
    await farm.given_node(devices=["a", "b", "c", "d"])
    workflow_id = await farm.given_workflow()
    run_id = await farm.value("select (corral.fn_create_run($1, '{}', null)).run_id", workflow_id)
    await farm.value("select jobs_made from corral.fn_fan_out_run($1, 2)", run_id)

    first = (await farm.engine.devices.list())[0]
    await farm.engine.devices.update_device(first.device_id, index_no=4)
    await farm.engine.runs.fan_out_run(run_id)

    run = await farm.run(run_id)
    assert (run.total_jobs, await farm.value("select count(distinct device_id) from corral.jobs")) == (3, 3)


async def test_a_device_that_came_after_the_run_was_asked_for_is_not_part_of_it(farm: Farm) -> None:
    node = await farm.given_node(devices=["a"])
    workflow_id = await farm.given_workflow()
    run_id = await farm.value("select (corral.fn_create_run($1, '{}', null)).run_id", workflow_id)

    await node.beat(devices=[{"serial": "b"}])
    await farm.engine.runs.fan_out_run(run_id)

    assert (await farm.run(run_id)).total_jobs == 1


@pytest.mark.parametrize(
    ("outcomes", "status"),
    [
        (["succeeded", "succeeded"], "succeeded"),
        (["succeeded", "failed"], "completed_with_errors"),
        (["failed", "failed"], "failed"),
    ],
)
async def test_a_runs_end_follows_from_its_jobs(farm: Farm, outcomes: list[str], status: str) -> None:
    node = await farm.given_node(devices=2)
    run = await farm.given_run()

    for grant, outcome in zip(await node.pull(), outcomes, strict=True):
        await node.start(grant)
        await node.finish(grant, outcome=outcome, failure_reason="action_failed", error_message="it broke")

    state = await farm.run(run.run_id)
    assert state.status == status
    assert state.last_error_message == ("it broke" if "failed" in outcomes else None)


async def test_a_reason_that_this_version_does_not_know_is_kept_as_unknown(farm: Farm) -> None:
    node, grant = await farm.given_leased_job()

    await node.finish(grant, outcome="failed", failure_reason="bitten_by_dog", error_message="woof")

    job = await farm.job(grant)
    assert (job.failure_reason, job.error_message) == ("unknown", "woof")


async def test_secret_params_reach_nodes_and_nobody_else(farm: Farm) -> None:
    await farm.given_node(devices=1)
    run = await farm.given_run(params={"user": "u"}, secret_params={"password": "hunter2"})

    (spec,) = await farm.engine.runs.list_run_specs([run.run_id])

    assert spec.secret_params == {"password": "hunter2"}
    for view in ("run_states", "job_states", "run_device_states", "run_steps"):
        rows = await farm.engine.database.fetch(f"select * from corral.{view}")
        assert "hunter2" not in str([dict(row) for row in rows])
    assert "hunter2" not in str([dict(row) for row in await farm.engine.database.fetch("select * from corral.audit")])


async def test_a_replay_draws_from_the_same_seed(farm: Farm) -> None:
    await farm.given_node(devices=1)
    run = await farm.given_run()

    replay = await farm.given_run(replay_of=str(run.run_id))

    assert (replay.seed, replay.replay_of) == (run.seed, run.run_id)


async def test_a_run_that_is_still_going_cannot_be_retried(farm: Farm) -> None:
    await farm.given_node(devices=1)
    run = await farm.given_run()

    with pytest.raises(ConflictError):
        await farm.engine.runs.retry_run(run.run_id)


async def test_a_retry_of_certain_devices_leaves_the_others_that_failed_alone(farm: Farm) -> None:
    node = await farm.given_node(devices=3)
    run = await farm.given_run()
    grants = await node.pull()
    await node.finish(*grants[:2], outcome="failed")
    await node.finish(grants[2])

    retry = await farm.engine.runs.retry_run(run.run_id, indexes=[grants[0].index_no, grants[2].index_no])

    (again,) = await node.pull()
    assert (retry.total_jobs, again.device_id) == (1, grants[0].device_id)


async def test_cancelling_twice_or_after_the_end_changes_nothing(farm: Farm) -> None:
    await farm.given_node(devices=2)
    run = await farm.given_run()

    first = await farm.engine.runs.cancel_run(run.run_id, actor="kim")
    second = await farm.engine.runs.cancel_run(run.run_id, actor="lee")

    assert first.status == second.status == "cancelled"
    assert first.finished_at == second.finished_at
    assert await farm.value("select array_agg(actor) from corral.audit where action = 'run.cancel'") == ["kim"]


async def test_a_run_cancelled_before_its_fan_out_gets_no_jobs(farm: Farm) -> None:
    await farm.given_node(devices=5)
    workflow_id = await farm.given_workflow()
    run_id = await farm.value("select (corral.fn_create_run($1, '{}', null)).run_id", workflow_id)

    run = await farm.engine.runs.cancel_run(run_id)

    assert (run.status, run.total_jobs) == ("cancelled", 0)


async def test_cancelling_works_through_a_big_run_in_chunks(farm: Farm) -> None:
    await farm.given_node(devices=30)
    run = await farm.given_run()
    await farm.value("update corral.runs set cancel_requested_at = corral.fn_now() returning 1")

    assert await farm.engine.runs.cancel_jobs(run.run_id, chunk=7) == 30
    assert (await farm.run(run.run_id)).status == "cancelled"


async def test_what_does_not_exist_is_not_found(farm: Farm) -> None:
    nothing = (await farm.given_run()).workflow_id
    for call in (
        farm.engine.runs.get(nothing),
        farm.engine.runs.cancel_run(nothing),
        farm.engine.runs.retry_run(nothing),
        farm.engine.runs.create_run((await farm.given_run()).run_id),
        farm.engine.jobs.get(nothing),
        farm.engine.jobs.set_log_path(nothing, "x"),
        farm.engine.workflows.find("nothing"),
        farm.engine.devices.get(nothing),
    ):
        with pytest.raises(NotFoundError):
            await call


async def test_a_workflow_gets_a_new_version_only_when_its_recipe_changes(farm: Farm) -> None:
    workflows = farm.engine.workflows
    first = await workflows.create_workflow("smoke", {"steps": [1]})
    same = await workflows.create_workflow("smoke", {"steps": [1]})
    second = await workflows.create_workflow("smoke", {"steps": [2]})

    assert (first.workflow_id == same.workflow_id, second.version) == (True, 2)
    assert (await workflows.find("smoke")).version == 2
    assert (await workflows.find("smoke", version=1)).recipe == {"steps": [1]}


async def test_finished_jobs_are_counted_by_the_hour(farm: Farm) -> None:
    node = await farm.given_node(devices=3)
    await farm.given_run()
    good, *bad = await node.pull()
    await node.finish(good)
    await node.finish(*bad, outcome="failed", failure_reason="step_timeout")

    rows = await farm.engine.database.fetch(
        "select outcome, sum(jobs)::integer as jobs from corral.hourly_stats group by 1 order by 1"
    )
    assert [tuple(row) for row in rows] == [("step_timeout", 2), ("succeeded", 1)]


async def test_a_runs_version_changes_with_everything_that_happens_to_it(farm: Farm) -> None:
    node = await farm.given_node(devices=1)
    run = await farm.given_run()
    versions = [run.version]
    (grant,) = await node.pull()
    versions.append((await farm.run(run.run_id)).version)
    for event in ("job_started", "step_started", "step_finished", "job_finished"):
        await node.send(node.event(grant, event, step="one", status="succeeded", outcome="succeeded"))
        versions.append((await farm.run(run.run_id)).version)

    assert versions == sorted(set(versions))
