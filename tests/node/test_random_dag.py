"""A thousand steps on three workers, one of which is killed: every step ends as a few lines of plain Python say."""

import asyncio
import random
from typing import Any

import pytest

from tests.node.conftest import MakeDesk
from tests.node.worker_desk import WorkerDesk, shell

STEPS = 1_000
_SOON = {"initial_s": 0.05, "factor": 1.5, "max_s": 0.3, "jitter": 0.3}


def make_steps(dice: random.Random) -> list[dict[str, Any]]:
    """Steps that succeed, fail, fail at first, or choose not to run, each needing a few of those before it."""
    steps = []
    for number in range(STEPS):
        name = f"s{number}"
        near = range(max(0, number - 40), number)
        needs = [f"s{each}" for each in dice.sample(near, k=min(number, dice.choice([0, 1, 1, 2, 3])))]
        shape = {"needs": needs, "continue_on_failure": dice.random() < 0.4}
        kind = dice.choices(["report", "slow", "fail", "flaky", "when"], [60, 12, 4, 14, 10])[0]
        match kind:
            case "slow":
                steps.append(shell(name, "sleep 0.1", **shape))
            case "fail":
                steps.append(shell(name, "exit 1", retries=dice.choice([0, 1]), **shape))
            case "flaky":
                steps.append(shell(name, "test {{ run.attempt }} -gt 1", retries=2, backoff=_SOON, **shape))
            case _:
                when = {"when": "run.attempt > 100"} if kind == "when" else {}
                steps.append({"id": name, "uses": "report", "with": {"message": name}, **when, **shape})
    for step in steps:  # said only where it is used
        if step.get("retries") == 0:
            del step["retries"]
    return steps


def expected_statuses(steps: list[dict[str, Any]]) -> dict[str, str]:
    """The rules of docs/recipes.md: what needs a failure is skipped, unless one of the two says to go on."""
    ended: dict[str, str] = {}
    stops: dict[str, bool] = {}
    for step in steps:
        name, goes_on = step["id"], step["continue_on_failure"]
        if any(stops[need] for need in step["needs"]) and not goes_on:
            ended[name], stops[name] = "skipped", True
        elif "when" in step:
            ended[name], stops[name] = "skipped", False
        elif step["with"].get("command") == "exit 1":
            ended[name], stops[name] = "failed", not goes_on
        else:
            ended[name], stops[name] = "succeeded", False
    return ended


async def until_it_holds_some(desk: WorkerDesk, node_id: str) -> None:
    """Return once the worker has done a few steps and is at work on others."""
    held = "select 1 from corral.job_steps where status = 'running' and is_started and lease_owner = '{}'"
    done = "select 1 from corral.job_steps where status = 'succeeded' and lease_owner = '{}' offset 20"
    while not (await desk.query(held.format(node_id)) and await desk.query(done.format(node_id))):  # noqa: ASYNC110 - another process's
        await asyncio.sleep(0.05)


@pytest.mark.timeout(300)  # three workers, on a machine that may be busy
async def test_a_thousand_steps_end_as_plain_python_says_although_a_worker_is_killed(make_desk: MakeDesk) -> None:
    steps = make_steps(random.Random(20_261_116))
    async with make_desk() as desk:
        await desk.query("update corral.settings set lease_time = '4 s'")
        async with desk.worker("a") as doomed, desk.worker("b"), desk.worker("c"):
            run = await desk.given_distributed(*steps, policy={"max_attempts": 10})
            await until_it_holds_some(desk, "a")
            await doomed.kill()

            view = await desk.until_ended(run)

        expected = expected_statuses(steps)
        ended = (await desk.graph(run))["steps"]
        assert [each for each in ended if each["status"] != expected[each["step"]]] == []
        assert {each["step"] for each in ended} == expected.keys()
        assert view["run"]["status"] == "failed"
        assert set(expected.values()) == {"succeeded", "failed", "skipped"}
        lost = await desk.query("select count(*) from corral.leases where ending = 'expired'")
        assert lost[0]["count"] > 0
