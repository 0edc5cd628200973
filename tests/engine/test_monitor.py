"""The monitor view: its shape, what it counts, whom it selects, and when its version changes."""

from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import msgspec
import pytest

from corral.model.errors import NotFoundError
from corral.model.records import Run
from tests.engine.farm import Farm, SimulatedNode, artifact_key
from tests.engine.snapshot import assert_matches_snapshot

RECIPE = {
    "name": "tour",
    "steps": [
        {"id": "open", "uses": "app.start", "title": "Open the app", "with": {"package": "com.example"}},
        {"id": "look", "uses": "device.screenshot"},
        {"id": "close", "uses": "app.stop", "with": {"package": "com.example"}},
    ],
}


async def given_tour(farm: Farm, **request: object) -> Run:
    workflow = await farm.engine.workflows.create_workflow("tour", RECIPE)
    return await farm.engine.runs.create_run(workflow.workflow_id, {"name": "Evening tour", **request})


async def monitor(farm: Farm, run_id: UUID, device: str | None = None) -> Any:  # noqa: ANN401
    return msgspec.json.decode(await farm.engine.runs.get_monitor(run_id, device=device))


async def given_one_of_each(farm: Farm) -> tuple[SimulatedNode, Run]:
    """Six devices of a run: done, error, running, leased, waiting behind a full node, and skipped."""
    node = await farm.given_node(devices=["a", "b", "c", "d", "e", "f"], max_concurrency=4, lookahead=0)
    run = await given_tour(farm, youtube_video_id="dQw4w9WgXcQ", policy={"offline": "skip", "grace_wait_s": 5})
    done, broken, running, _leased = await node.pull()
    await node.start(done, broken, running)
    await node.send(
        node.event(running, "step_started", step="open", position=1, total=3, title="Open the app", action="app.start"),
        node.event(running, "step_finished", step="open", position=1, total=3, status="succeeded", attempt=1),
        node.event(running, "step_started", step="look", position=2, total=3, action="device.screenshot"),
        node.event(running, "log", lines=[{"level": "info", "step": "look", "message": 'says "cheese"\n'}]),
        node.event(
            running,
            "artifact_created",
            key=artifact_key(running, video="dQw4w9WgXcQ"),
            kind="screenshot",
            step="look",
        ),
    )
    await node.finish(done)
    await node.finish(broken, outcome="failed", failure_reason="action_failed", error_message='no "OK" button')
    await node.beat(devices=[{"serial": "f", "connection": "offline"}])
    await farm.pass_time(timedelta(seconds=35), node)
    await farm.run_upkeep()
    return node, run


async def test_the_view_of_a_run_on_an_empty_farm_has_no_nulls_for_lists_or_numbers(farm: Farm) -> None:
    run = await farm.given_run()

    assert_matches_snapshot(await farm.engine.runs.get_monitor(run.run_id), "monitor_empty")


async def test_the_view_has_the_shape_that_is_promised(farm: Farm) -> None:
    _, run = await given_one_of_each(farm)

    assert_matches_snapshot(await farm.engine.runs.get_monitor(run.run_id, device="3"), "monitor_one_of_each")


async def test_counts_and_tiles_tell_the_same(farm: Farm) -> None:
    _, run = await given_one_of_each(farm)

    view = await monitor(farm, run.run_id)

    activities = [tile["activity"] for tile in view["heatmap"]["items"]]
    assert activities == ["done", "error", "running", "waiting", "waiting", "offline"]
    counts = view["run"]["counts"]
    assert counts.pop("total") == len(activities)
    assert counts == {activity: activities.count(activity) for activity in counts}


async def test_a_cancelled_run_shows_cancelled_tiles(farm: Farm) -> None:
    await farm.given_node(devices=2)
    run = await given_tour(farm)

    await farm.engine.runs.cancel_run(run.run_id)

    view = await monitor(farm, run.run_id)
    assert (view["run"]["status"], view["run"]["counts"]["cancelled"]) == ("cancelled", 2)
    assert {tile["activity"] for tile in view["heatmap"]["items"]} == {"cancelled"}


async def test_a_pools_job_is_counted_before_it_has_a_device_and_a_tile_after(farm: Farm) -> None:
    node = await farm.given_node(devices=2, max_concurrency=1, lookahead=0)
    run = await given_tour(farm, target={"any": 2})

    before = await monitor(farm, run.run_id)
    await node.start(*await node.pull())
    after = await monitor(farm, run.run_id)

    assert (before["run"]["counts"]["waiting"], before["heatmap"]["items"]) == (2, [])
    assert (after["run"]["counts"]["running"], len(after["heatmap"]["items"])) == (1, 1)


@pytest.mark.parametrize(
    ("device", "index"),
    [("2", 2), ("77", 1), ("b", 2), ("5", 0), ("nobody", 0), ("", 0), ("99999999999", 0), (None, 0)],
)
async def test_a_device_is_selected_by_its_number_or_else_by_its_serial(
    farm: Farm, device: str | None, index: int
) -> None:
    await farm.given_node(devices=["77", "b", "other"])
    run = await given_tour(farm, target={"indexes": [[1, 2]]})

    selected = (await monitor(farm, run.run_id, device))["selected"]

    assert selected["index"] == index
    assert [step["status"] for step in selected["steps"]] == (["pending"] * 3 if index else [])
    assert (selected["current_step"], selected["logs_tail"], selected["last_artifacts"]) == ({}, [], [])


async def test_the_selected_device_shows_its_own_evidence_and_the_run_that_of_all(farm: Farm) -> None:
    node = await farm.given_node(devices=2)
    run = await given_tour(farm)
    first, second = await node.pull()
    for number, grant in enumerate((first, second)):
        await node.send(
            node.event(grant, "job_started"),
            node.event(grant, "log", lines=[{"message": f"line {number}"}]),
            node.event(grant, "artifact_created", key=artifact_key(grant, number=number)),
        )

    view = await monitor(farm, run.run_id, second.serial)

    assert [line["message"] for line in view["selected"]["logs_tail"]] == ["line 1"]
    assert [(line["index"], line["message"]) for line in view["logs_tail"]] == [(1, "line 0"), (2, "line 1")]
    assert len(view["selected"]["last_artifacts"]) == 1
    assert [artifact["index"] for artifact in view["last_artifacts"]] == [2, 1]
    assert view["last_artifacts"][0]["url"] == f"/api/artifacts/{view['last_artifacts'][0]['artifact_id']}/content"


async def test_the_log_tail_is_the_last_fifty_lines(farm: Farm) -> None:
    node = await farm.given_node(devices=1)
    run = await given_tour(farm)
    (grant,) = await node.pull()
    await node.start(grant)

    await node.send(node.event(grant, "log", lines=[{"message": str(number)} for number in range(120)]))

    assert [line["message"] for line in (await monitor(farm, run.run_id))["logs_tail"]] == [
        str(number) for number in range(70, 120)
    ]


async def test_the_job_of_a_distributed_run_is_always_selected(farm: Farm) -> None:
    workflow = await farm.engine.workflows.create_workflow("tour", RECIPE, mode="distributed")
    run = await farm.engine.runs.create_run(workflow.workflow_id)

    view = await monitor(farm, run.run_id)

    assert (view["heatmap"]["items"], view["run"]["counts"]["total"], view["selected"]["index"]) == ([], 1, 0)
    assert [step["step"] for step in view["selected"]["steps"]] == ["open", "look", "close"]


async def test_a_silent_nodes_devices_are_not_online(farm: Farm) -> None:
    await farm.given_node(devices=1)
    run = await given_tour(farm)

    await farm.clock.advance(timedelta(minutes=5))

    (tile,) = (await monitor(farm, run.run_id))["heatmap"]["items"]
    assert (tile["online"], tile["activity"]) == (False, "waiting")


async def test_everything_that_happens_to_a_run_changes_its_version(farm: Farm) -> None:
    node = await farm.given_node(devices=2, lookahead=0, max_concurrency=1)
    run = await given_tour(farm)
    versions = [await farm.engine.runs.get_run_version(run.run_id)]

    async def seen() -> None:
        versions.append(await farm.engine.runs.get_run_version(run.run_id))

    (grant,) = await node.pull()
    await seen()
    await node.start(grant)
    await seen()
    await node.send(node.event(grant, "log", lines=[{"message": "hello"}]))
    await seen()
    await node.send(node.event(grant, "artifact_created", key=artifact_key(grant)))
    await seen()
    await node.send(node.event(grant, "step_started", step="open", position=1, total=3))
    await seen()
    await node.finish(grant)
    await seen()
    await farm.engine.runs.cancel_run(run.run_id)
    await seen()
    await farm.engine.runs.review_run(run.run_id)
    await seen()

    assert versions == sorted(set(versions))
    assert (await monitor(farm, run.run_id))["version"] == versions[-1] == (await farm.run(run.run_id)).version


async def test_each_chunk_of_a_fan_out_changes_the_version(farm: Farm) -> None:
    await farm.given_node(devices=3)
    workflow_id = await farm.given_workflow()
    run_id = await farm.value("select (corral.fn_create_run($1, '{}', null)).run_id", workflow_id)
    before = await farm.engine.runs.get_run_version(run_id)

    await farm.value("select jobs_made from corral.fn_fan_out_run($1, 2)", run_id)

    assert await farm.engine.runs.get_run_version(run_id) > before


async def test_what_changes_nothing_of_a_run_leaves_its_version(farm: Farm) -> None:
    node = await farm.given_node(devices=1)
    run = await given_tour(farm)
    (grant,) = await node.pull()
    log = node.event(grant, "log", lines=[{"message": "hello"}])
    await node.send(log)
    before = await farm.engine.runs.get_run_version(run.run_id)

    await node.send(log)
    await node.beat()

    assert await farm.engine.runs.get_run_version(run.run_id) == before


async def test_a_run_that_does_not_exist_has_neither_view_nor_version(farm: Farm) -> None:
    with pytest.raises(NotFoundError):
        await farm.engine.runs.get_monitor(uuid4())
    with pytest.raises(NotFoundError):
        await farm.engine.runs.get_run_version(uuid4())


async def test_reading_the_version_touches_no_job(farm: Farm) -> None:
    await farm.given_node(devices=50)
    run = await given_tour(farm)

    plan = await farm.value(
        "explain (format json) select s.version from corral.run_states s where s.run_id = '" + str(run.run_id) + "'"
    )

    assert "jobs" not in {node.get("Relation Name") for node in _nodes(plan[0]["Plan"])}


def _nodes(plan: dict[str, Any]) -> list[dict[str, Any]]:
    return [plan, *(node for child in plan.get("Plans", []) for node in _nodes(child))]


async def test_the_documented_view_has_the_fields_of_the_real_one(farm: Farm) -> None:
    _, run = await given_one_of_each(farm)
    text = (Path(__file__).parents[2] / "docs" / "monitor.md").read_text()

    documented = msgspec.json.decode(text.split("```json\n")[1].split("```")[0])

    assert _fields(documented) == _fields(await monitor(farm, run.run_id, "3"))


def _fields(value: Any) -> Any:  # noqa: ANN401
    """The names of a document's fields in their order, and those of the first item of each of its lists."""
    if isinstance(value, dict):
        return [(key, _fields(item)) for key, item in value.items()]
    return [_fields(value[0])] if isinstance(value, list) and value else None
