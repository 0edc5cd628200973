"""The worker contract over HTTP: claims, their fencing, and the graph of a run."""

import asyncio
from typing import Any
from uuid import uuid4

import httpx
import pytest

from tests.api.client import AS_NODE, AS_OPERATOR, Node, Operator
from tests.api.conftest import Serving
from tests.engine.farm import Farm


class Worker(Node):
    """A node that claims steps."""

    async def start(self, *capabilities: str, **fields: object) -> "Worker":
        body = {"state_id": "one", "capabilities": list(capabilities), **fields}
        answer = await self.say("register", body)
        answer.raise_for_status()
        self.epoch = answer.json()["epoch"]
        return self

    async def claim(self, want: int = 20, **fields: object) -> dict[str, Any]:
        answer = await self.say(
            "claim", {"epoch": self.epoch, "want": want, "request_id": str(uuid4()), "wait_s": 0, **fields}
        )
        assert answer.is_success, answer.text
        claimed: dict[str, Any] = answer.json()
        return claimed

    async def claim_names(self, **fields: Any) -> list[str]:  # noqa: ANN401 - of the claim
        return [step["step"] for step in (await self.claim(**fields))["steps"]]

    async def finish(self, *steps: dict[str, Any], **fields: object) -> list[str]:
        told = {"status": "succeeded", **fields}
        return await self.call_back(*(self.event(step, "step_finished", step=step["step"], **told) for step in steps))


@pytest.fixture
def worker(http: httpx.AsyncClient) -> Worker:
    return Worker(http)


async def given_run(operator: Operator, *steps: dict[str, Any], mode: str = "distributed", **fields: Any) -> str:  # noqa: ANN401
    recipe = {"name": "spread", "mode": mode, "steps": list(steps), "params": fields.pop("declared", {})}
    answer = await operator.post("/api/workflows", recipe)
    assert answer.is_success, answer.text
    answer = await operator.post("/api/runs", {"workflow": "spread", **fields})
    assert answer.is_success, answer.text
    run_id: str = answer.json()["run_id"]
    return run_id


async def graph(operator: Operator, run_id: str) -> dict[str, Any]:
    answer = await operator.get(f"/api/runs/{run_id}/graph")
    assert answer.is_success, answer.text
    told: dict[str, Any] = answer.json()
    return told


async def statuses(operator: Operator, run_id: str) -> dict[str, str]:
    return {step["step"]: step["status"] for step in (await graph(operator, run_id))["steps"]}


def say(step_id: str, message: str = "x", **fields: object) -> dict[str, Any]:
    return {"id": step_id, "uses": "report", "with": {"message": message}, **fields}


async def test_a_step_is_claimed_with_its_templates_rendered(operator: Operator, worker: Worker) -> None:
    await worker.start("report")
    run = await given_run(
        operator,
        say("one", "{{ params.word }} by {{ run.node_id }}"),
        say("two", "{{ steps.one.output.n }}"),
        declared={"word": {"type": "string", "secret": True}},
        params={"word": "xyzzy"},
    )

    (one,) = (await worker.claim())["steps"]

    assert one["with"] == {"message": "xyzzy by node-1"}
    assert "xyzzy" in one["secrets"]
    assert (one["action"], one["attempt"], one["run"]["workflow"]) == ("report", 1, "spread")
    assert await worker.finish(one, output={"n": 7}) == ["applied"]
    (two,) = (await worker.claim())["steps"]
    assert two["with"] == {"message": 7}
    assert await worker.finish(two, output={"m": 1}) == ["applied"]
    told = await graph(operator, run)
    assert (told["mode"], told["job"]["status"], told["job"]["output"]) == (
        "distributed",
        "succeeded",
        {"two": {"m": 1}},
    )
    assert "xyzzy" not in (await operator.get(f"/api/runs/{run}/graph/one")).text


async def test_a_repeated_claim_returns_the_same_steps_and_a_repeated_event_counts_once(
    operator: Operator, worker: Worker
) -> None:
    await worker.start("report")
    await given_run(operator, *(say(f"s{n}", needs=[]) for n in range(4)))
    request_id = str(uuid4())

    first = await worker.claim(2, request_id=request_id)
    again = await worker.claim(2, request_id=request_id)

    assert [step["lease_token"] for step in again["steps"]] == [step["lease_token"] for step in first["steps"]]
    event = worker.event(first["steps"][0], "step_finished", step="s0", status="succeeded")
    assert await worker.call_back(event) == ["applied"]
    assert await worker.call_back(event) == ["duplicate"]


async def test_a_waiting_claim_is_answered_when_a_step_becomes_ready(operator: Operator, worker: Worker) -> None:
    await worker.start("report")
    waiting = asyncio.create_task(worker.claim(wait_s=30))
    await asyncio.sleep(0)

    await given_run(operator, say("one"), say("two"))
    (one,) = (await waiting)["steps"]
    waiting = asyncio.create_task(worker.claim(wait_s=30))
    await worker.finish(one)

    assert [step["step"] for step in (await waiting)["steps"]] == ["two"]


async def test_a_newer_claim_ends_the_older(worker: Worker) -> None:
    await worker.start()
    older = asyncio.create_task(worker.claim(wait_s=30))
    await asyncio.sleep(0.1)  # nothing tells that it waits
    newer = asyncio.create_task(worker.claim(wait_s=0))

    assert (await older)["steps"] == (await newer)["steps"] == []


async def test_a_cancel_answers_a_waiting_claim(operator: Operator, worker: Worker) -> None:
    await worker.start("report")
    run = await given_run(operator, say("one"))
    (one,) = (await worker.claim())["steps"]
    waiting = asyncio.create_task(worker.claim(wait_s=30))

    await operator.post(f"/api/runs/{run}/cancel")

    assert (await waiting)["cancel"] == [one["lease_token"]]
    assert (await worker.claim(cancelling=[one["lease_token"]]))["cancel"] == []
    assert await worker.finish(one, status="cancelled") == ["applied"]
    assert await statuses(operator, run) == {"one": "cancelled"}


async def test_a_worker_whose_step_went_to_another_is_told_that_it_is_late(
    operator: Operator, worker: Worker, http: httpx.AsyncClient
) -> None:
    await worker.start("report")
    other = await Worker(http, "node-2").start("report")
    await given_run(operator, say("one"))
    (old,) = (await worker.claim())["steps"]
    await worker.start("report")  # the same state: it died and came back

    (new,) = (await other.claim())["steps"]

    assert await worker.finish(old, output={"who": "old"}) == ["stale"]
    assert await other.finish(new, output={"who": "new"}) == ["applied"]


async def test_conditions_draws_and_broken_templates_need_no_worker(operator: Operator, worker: Worker) -> None:
    await worker.start("report")
    run = await given_run(
        operator,
        say("no", when="params.word == 'x'"),
        say("never", probability=0),
        say("broken", "{{ params.word + 1 }}"),
        say("after"),
        say("last", continue_on_failure=True),
        declared={"word": {"type": "string", "default": "y"}},
    )

    assert await worker.claim_names() == ["last"]

    told = {step["step"]: step for step in (await graph(operator, run))["steps"]}
    assert {name: (step["status"], step["skip_cause"]) for name, step in told.items()} == {
        "no": ("skipped", "when"),
        "never": ("skipped", "draw"),
        "broken": ("failed", None),
        "after": ("skipped", "upstream"),
        "last": ("running", None),
    }
    assert told["broken"]["failure_reason"] == "template_error"
    assert told["broken"]["error_message"].startswith("with.message: ")


async def test_repetitions_are_made_when_their_list_is_known(operator: Operator, worker: Worker) -> None:
    await worker.start("report")
    run = await given_run(
        operator,
        say("list"),
        say("each", "{{ item }}", for_each="{{ steps.list.output.names }}"),
        say("tell", "{{ steps.each.output['items'][1].output.got }} of {{ steps.each.output.count }}"),
    )
    await worker.finish(*(await worker.claim())["steps"], output={"names": ["a", "b"]})

    children = (await worker.claim())["steps"]
    for child in children:
        await worker.finish(child, output={"got": child["with"]["message"]})
    (tell,) = (await worker.claim())["steps"]

    assert [child["step"] for child in children] == ["each[0]", "each[1]"]
    assert tell["with"]["message"] == "b of 2"
    detail = (await operator.get(f"/api/runs/{run}/graph/each")).json()
    assert detail["output"]["items"][0] == {"status": "succeeded", "output": {"got": "a"}}
    assert (await operator.get(f"/api/runs/{run}/graph/each[1]")).json()["output"] == {"got": "b"}


async def test_steps_added_by_hand_are_claimed_with_their_specification(farm: Farm, worker: Worker) -> None:
    from corral.model.records import NewStep  # noqa: PLC0415 - only here

    await worker.start("git")
    job = await farm.engine.jobs.create("build")
    await farm.engine.steps.create_steps(
        job.job_id, [NewStep("checkout", action="git", requires=["git"], spec={"cmd": "clone"})]
    )

    (step,) = (await worker.claim())["steps"]

    assert (step["action"], step["with"]) == ("git", {"cmd": "clone"})


async def test_a_local_job_comes_whole_with_its_recipe_and_secrets(operator: Operator, worker: Worker) -> None:
    await worker.start("report", "local")
    run = await given_run(
        operator,
        say("one"),
        say("two"),
        mode="local",
        declared={"w": {"type": "string", "secret": True}},
        params={"w": "xyzzy"},
    )

    claimed = await worker.claim()

    (whole,) = claimed["steps"]
    assert whole["step"] == "whole-job"
    assert claimed["runs"][0]["secret_params"] == {"w": "xyzzy"}
    within = {"within": "whole-job", "step": "one", "position": 1}
    assert (
        await worker.call_back(
            worker.event(whole, "step_started", step="whole-job"),
            worker.event(whole, "step_started", **within),
            worker.event(whole, "step_finished", **within, status="succeeded", output={"n": 1}),
        )
        == ["applied"] * 3
    )
    assert await statuses(operator, run) == {"one": "succeeded", "two": "pending"}
    assert await worker.finish(whole, output={"two": {"n": 2}}) == ["applied"]
    assert (await graph(operator, run))["job"]["output"] == {"two": {"n": 2}}


async def test_phones_are_offered_by_serial_and_named_with_the_step(operator: Operator, worker: Worker) -> None:
    await worker.start("device.screenshot")
    (await worker.beat(devices=[{"serial": "R1"}, {"serial": "R2"}])).raise_for_status()
    await given_run(operator, {"id": "look", "uses": "device.screenshot", "requires": ["phone"]})
    assert await worker.claim_names() == []

    (step,) = (await worker.claim(phones=["R2", "unknown"]))["steps"]

    assert [phone["serial"] for phone in step["phones"]] == ["R2"]


async def test_of_the_phones_that_a_step_may_use_the_plainest_comes_first(
    operator: Operator, worker: Worker, farm: Farm
) -> None:
    await worker.start("device.screenshot")
    (await worker.beat(devices=[{"serial": "R1"}, {"serial": "R2"}])).raise_for_status()
    first, _ = await farm.engine.devices.list()
    await farm.engine.devices.update_device(first.device_id, tags=["pixel"])
    await given_run(operator, {"id": "look", "uses": "device.screenshot", "requires": ["phone"]})

    (step,) = (await worker.claim(phones=["R1", "R2"]))["steps"]

    assert [phone["serial"] for phone in step["phones"]] == ["R2", "R1"]


async def test_a_distributed_run_has_no_target_and_a_device_run_no_log_path(operator: Operator) -> None:
    await operator.post("/api/workflows", {"name": "spread", "mode": "distributed", "steps": [say("one")]})
    await operator.given_workflow()

    refused = await operator.post("/api/runs", {"workflow": "spread", "target": {"indexes": [1]}})
    assert (refused.status_code, refused.json()["error"]["path"]) == (400, "target")
    refused = await operator.post("/api/runs", {"workflow": "smoke", "log_path": "x"})
    assert (refused.status_code, refused.json()["error"]["path"]) == (400, "log_path")


async def test_runs_are_found_by_source_and_log(operator: Operator) -> None:
    run = await given_run(operator, say("one"), source_type="ci", source_id="17", log_path="logs/17")
    await given_run(operator, say("one"))

    for query in ({"source_type": "ci"}, {"source_id": "17"}, {"log_path": "logs/17"}):
        found = (await operator.get("/api/runs", params=query)).json()["runs"]
        assert [each["run_id"] for each in found] == [run]


async def test_a_distributed_run_is_retried_and_replayed_with_all_its_steps(operator: Operator, worker: Worker) -> None:
    await worker.start("report")
    run = await given_run(
        operator,
        say("one"),
        say("two", "{{ params.x }}"),
        declared={"x": {"type": "int", "default": 1}},
        params={"x": 5},
    )
    await worker.finish(*(await worker.claim())["steps"], status="failed")

    for verb in ("retry", "replay"):
        answer = await operator.post(f"/api/runs/{run}/{verb}", {})
        again = answer.json()["run_id"]
        await worker.finish(*(await worker.claim())["steps"])
        (two,) = (await worker.claim())["steps"]
        assert two["with"] == {"message": 5}
        await worker.finish(two)
        assert await statuses(operator, again) == {"one": "succeeded", "two": "succeeded"}


async def test_a_device_run_has_no_graph(operator: Operator) -> None:
    run = await operator.given_run()

    assert (await graph(operator, run["run_id"]))["steps"] == []
    assert (await operator.get(f"/api/runs/{run['run_id']}/graph/open")).status_code == 404


async def test_only_nodes_claim_and_only_for_themselves(http: httpx.AsyncClient, worker: Worker) -> None:
    await worker.start()
    body = {"node_id": "node-1", "epoch": worker.epoch, "request_id": str(uuid4()), "wait_s": 0}

    assert (await http.post("/api/nodes/claim", json=body)).status_code == 401
    assert (await http.post("/api/nodes/claim", json=body, headers=AS_OPERATOR)).status_code in (401, 403)
    old = {**body, "epoch": worker.epoch - 1}
    answer = await http.post("/api/nodes/claim", json=old, headers=AS_NODE)
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "stale_epoch")


async def test_a_claim_that_waits_at_another_server_is_answered_too(serving: Serving, operator: Operator) -> None:
    async with serving() as other:
        worker = await Worker(other).start("report")
        waiting = asyncio.create_task(worker.claim(wait_s=30))

        await given_run(operator, say("one"))

        assert [step["step"] for step in (await waiting)["steps"]] == ["one"]
