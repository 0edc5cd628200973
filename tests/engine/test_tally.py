"""How each step of a run went over all its jobs."""

from datetime import timedelta
from uuid import uuid4

import pytest

from corral.model.errors import NotFoundError
from corral.model.records import Grant, Run, StepTally
from tests.engine.farm import Farm, SimulatedNode

RECIPE = {
    "name": "tour",
    "steps": [
        {"id": "open", "uses": "app.start", "title": "Open the app", "with": {"package": "com.example"}},
        {"id": "look", "uses": "device.screenshot", "probability": 0.5},
    ],
}
DRAWN = {"probability": 0.5, "draw": 0.2, "decision": "execute"}
NOT_DRAWN = {"probability": 0.5, "draw": 0.7, "decision": "skip", "skip_cause": "draw"}


async def given_tour(farm: Farm) -> Run:
    workflow = await farm.engine.workflows.create_workflow("tour", RECIPE)
    return await farm.engine.runs.create_run(workflow.workflow_id, {"name": "Evening tour"})


async def take(node: SimulatedNode, grant: Grant, step: str, **told: object) -> None:
    """Tell of a step from its start to its end."""
    given = {"step": step, "position": 1 if step == "open" else 2, "total": 2, **told}
    if given["status"] != "skipped":
        await node.send(node.event(grant, "step_started", **{**given, "status": "running"}))
    await node.send(node.event(grant, "step_finished", **given))


def draws(tally: StepTally) -> tuple[int, int]:
    return tally.chosen, tally.left_out


def ends(tally: StepTally) -> tuple[int, int, int, int, int]:
    return tally.running, tally.succeeded, tally.failed, tally.skipped, tally.cancelled


async def test_before_anything_happened_every_step_of_the_recipe_is_there_with_zeros(farm: Farm) -> None:
    await farm.given_node(devices=3)
    run = await given_tour(farm)

    opening, look = await farm.engine.runs.tally_steps(run.run_id)

    assert (opening.step, opening.title, opening.action, opening.probability) == (
        "open",
        "Open the app",
        "app.start",
        1,
    )
    assert (look.position, look.step, look.title, look.probability, look.jobs) == (2, "look", None, 0.5, 3)
    assert [*draws(look), *ends(look), look.median_s] == [0, 0, 0, 0, 0, 0, 0, None]


async def test_draws_and_ends_are_counted_over_all_jobs(farm: Farm) -> None:
    node = await farm.given_node(devices=4)
    run = await given_tour(farm)
    drawn, left, broken, going = await node.pull()
    await node.start(drawn, left, broken, going)
    for grant in (drawn, left, going):
        await take(node, grant, "open", status="succeeded")
    await take(node, broken, "open", status="failed", failure_reason="action_failed")
    await take(node, drawn, "look", status="succeeded", **DRAWN)
    await take(node, left, "look", status="skipped", **NOT_DRAWN)
    # What never came so far was not drawn, although its node wrote down that it would have been.
    await take(node, broken, "look", status="skipped", **{**DRAWN, "skip_cause": "stopped"})
    await node.send(node.event(going, "step_started", step="look", position=2, total=2, **DRAWN))

    opening, look = await farm.engine.runs.tally_steps(run.run_id)

    assert ends(opening) == (0, 3, 1, 0, 0)
    assert draws(look) == (2, 1)
    assert ends(look) == (1, 1, 0, 1, 0)


async def test_what_a_step_told_is_kept_when_its_whole_job_is_told_at_once(farm: Farm) -> None:
    node = await farm.given_node(devices=1)
    run = await given_tour(farm)
    (grant,) = await node.pull()
    await node.start(grant)
    step = {"step": "look", "position": 2, "total": 2}
    ended = {**step, "status": "succeeded", "attempt": 1}

    await node.send(
        node.event(grant, "step_started", **step, **DRAWN, input={"name": "screen"}),
        node.event(grant, "step_finished", **ended, output={"width": 720, "note": None}),
        node.event(grant, "job_finished", outcome="succeeded", steps=[ended]),
    )

    row = await farm.engine.database.fetch_only("select * from corral.run_steps where run_id = $1", run.run_id)
    assert (row["probability"], row["draw"], row["decision"]) == (0.5, 0.2, "execute")
    assert (row["status"], row["input"], row["output"]) == (
        "succeeded",
        {"name": "screen"},
        {"width": 720, "note": None},
    )
    _, look = await farm.engine.runs.tally_steps(run.run_id)
    assert (draws(look), look.succeeded) == ((1, 0), 1)


async def test_the_median_duration_is_of_what_ended(farm: Farm) -> None:
    node = await farm.given_node(devices=3)
    run = await given_tour(farm)
    grants = await node.pull()
    await node.start(*grants)
    for grant, seconds in zip(grants, (1, 3, 20), strict=True):
        await node.send(node.event(grant, "step_started", step="open", position=1, total=2))
        await farm.pass_time(timedelta(seconds=seconds), node)
        await node.send(node.event(grant, "step_finished", step="open", position=1, total=2, status="succeeded"))

    opening, look = await farm.engine.runs.tally_steps(run.run_id)

    assert opening.median_s == pytest.approx(3, abs=0.5)
    assert look.median_s is None


async def test_only_the_present_attempt_of_a_job_counts(farm: Farm) -> None:
    node = await farm.given_node(devices=1)
    run = await given_tour(farm)
    (grant,) = await node.pull()
    await node.start(grant)
    await take(node, grant, "look", status="succeeded", **DRAWN)
    again = await node.reboot()  # its lease returns to the queue
    (grant,) = await again.pull()
    await again.start(grant)

    _, look = await farm.engine.runs.tally_steps(run.run_id)
    assert draws(look) == (0, 0)

    await take(again, grant, "look", status="succeeded", **DRAWN)
    _, look = await farm.engine.runs.tally_steps(run.run_id)
    assert (draws(look), look.succeeded) == ((1, 0), 1)


async def test_a_run_that_does_not_exist_has_no_steps(farm: Farm) -> None:
    with pytest.raises(NotFoundError):
        await farm.engine.runs.tally_steps(uuid4())
