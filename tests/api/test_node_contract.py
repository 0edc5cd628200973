"""What a node and the server promise each other, over HTTP."""

import asyncio
from uuid import uuid4

import httpx

from tests.api.client import AS_NODE, Node, Operator


async def test_a_whole_run_goes_through_http(operator: Operator, node: Node) -> None:
    await node.register("R58M1", "R58M2")
    run = await operator.given_run(params={"package": "com.example", "password": "hunter22"})
    assert run["total_jobs"] == 2
    assert run["params"] == {"package": "com.example"}

    pulled = await node.pull()
    assert {job["serial"] for job in pulled["jobs"]} == {"R58M1", "R58M2"}
    assert {job["timeout_s"] for job in pulled["jobs"]} == {120.0}
    (spec,) = pulled["runs"]
    assert spec["secret_params"] == {"password": "hunter22"}
    for job in pulled["jobs"]:
        assert (
            await node.call_back(
                node.event(job, "job_started"),
                node.event(job, "step_started", step="open", position=0),
                node.event(job, "step_finished", step="open", status="succeeded"),
                node.event(job, "log", lines=[{"message": "hello"}]),
                node.event(job, "job_finished", outcome="succeeded"),
            )
            == ["applied"] * 5
        )

    view = await operator.monitor(run, device="R58M2")
    assert (view["run"]["status"], view["run"]["counts"]["done"]) == ("succeeded", 2)
    assert [line["message"] for line in view["selected"]["logs_tail"]] == ["hello"]
    assert "hunter22" not in str(view)


async def test_a_run_that_is_known_already_is_not_sent_again(operator: Operator, node: Node) -> None:
    await node.register("R58M1")
    run = await operator.given_run()

    pulled = await node.pull(known_runs=[run["run_id"]])

    assert len(pulled["jobs"]) == 1
    assert pulled["runs"] == []


async def test_a_repeated_pull_returns_what_it_already_got(operator: Operator, node: Node) -> None:
    await node.register("R58M1")
    await operator.given_run()
    request_id = str(uuid4())

    first = await node.pull(request_id=request_id)

    assert await node.pull(request_id=request_id) == first
    assert len(first["jobs"]) == 1


async def test_a_replayed_callback_changes_nothing(operator: Operator, node: Node) -> None:
    await node.register("R58M1")
    run = await operator.given_run()
    (job,) = (await node.pull())["jobs"]
    events = [node.event(job, "job_started"), node.event(job, "job_finished", outcome="failed")]

    assert await node.call_back(*events) == ["applied", "applied"]
    assert await node.call_back(*events) == ["duplicate", "duplicate"]
    assert (await operator.counts(run))["error"] == 1


async def test_a_bad_event_spoils_no_other(operator: Operator, node: Node) -> None:
    await node.register("R58M1")
    await operator.given_run()
    (job,) = (await node.pull())["jobs"]

    outcomes = await node.call_back(
        node.event(job, "job_started"), "not an object", {"event_id": "x"}, {**node.event(job, "dance")}
    )

    assert outcomes == ["applied", "invalid", "invalid", "invalid"]


async def test_a_node_cannot_speak_for_another_nodes_job(
    http: httpx.AsyncClient, operator: Operator, node: Node
) -> None:
    await node.register("R58M1")
    thief = await Node(http, "node-2").register("R58M2")
    run = await operator.given_run(target={"nodes": ["node-1"]})
    (job,) = (await node.pull())["jobs"]

    assert await thief.call_back(thief.event(job, "job_finished", outcome="succeeded")) == ["stale"]
    forged = {**job, "lease_token": str(uuid4())}
    assert await node.call_back(node.event(forged, "job_finished", outcome="succeeded")) == ["stale"]
    assert (await operator.counts(run))["done"] == 0


async def test_an_agent_whose_successor_registered_is_told_to_stop(node: Node) -> None:
    await node.register()
    former = node.epoch
    await node.register()

    answer = await node.say("heartbeat", {"epoch": former})

    assert answer.status_code == 409
    assert answer.json()["error"]["code"] == "stale_epoch"


async def test_a_node_that_never_registered_is_unknown(node: Node) -> None:
    answer = await node.beat()

    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "unknown_node")


async def test_devices_that_a_complete_heartbeat_leaves_out_are_gone(operator: Operator, node: Node) -> None:
    await node.register("R58M1", "R58M2")

    await node.beat(devices=[{"serial": "R58M2"}], is_complete=True)

    devices = (await operator.get("/api/devices")).json()["devices"]
    assert {device["serial"]: device["connection"] for device in devices} == {"R58M1": "gone", "R58M2": "connected"}


async def test_a_waiting_pull_is_answered_by_a_run(operator: Operator, node: Node) -> None:
    await node.register("R58M1")
    waiting = asyncio.create_task(node.pull(wait_s=30))

    await operator.given_run()

    assert len((await waiting)["jobs"]) == 1


async def test_a_cancel_reaches_a_pull_that_wants_no_work(operator: Operator, node: Node) -> None:
    await node.register("R58M1")
    run = await operator.given_run()
    (job,) = (await node.pull())["jobs"]
    waiting = asyncio.create_task(node.pull(0, wait_s=30))

    (await operator.post(f"/api/runs/{run['run_id']}/cancel")).raise_for_status()

    assert (await waiting)["cancel"] == [job["lease_token"]]
    assert (await node.pull(0, cancelling=[job["lease_token"]]))["cancel"] == []


async def test_a_newer_pull_ends_the_older_one(operator: Operator, node: Node) -> None:
    await node.register("R58M1")
    older = asyncio.create_task(node.pull(wait_s=30))
    await asyncio.sleep(0)
    newer = asyncio.create_task(node.pull(wait_s=30))

    assert (await older)["jobs"] == []
    await operator.given_run()
    assert len((await newer)["jobs"]) == 1


async def test_a_draining_node_gets_nothing_new(operator: Operator, node: Node) -> None:
    await node.register("R58M1")
    drained = await operator.post("/api/nodes/node-1/drain", {"draining": True})
    await operator.given_run()

    assert drained.json()["draining"] is True
    assert (await node.pull())["jobs"] == []
    assert (await node.beat()).json()["draining"] is True


async def test_a_scan_is_asked_for_heard_of_and_finished(operator: Operator, node: Node) -> None:
    await node.register()
    (scan,) = (await operator.post("/api/nodes/scan", {"addresses": ["10.0.0.1:5555"]})).json()["scans"]

    (heard,) = (await node.beat()).json()["scans"]
    assert heard == {"scan_id": scan["scan_id"], "addresses": ["10.0.0.1:5555"]}
    told = {"event_id": str(uuid4()), "type": "scan_finished", "scan_id": scan["scan_id"], "status": "succeeded"}
    assert await node.call_back(told) == ["applied"]
    assert (await operator.get(f"/api/scans/{scan['scan_id']}")).json()["status"] == "succeeded"


async def test_many_callbacks_at_once_are_each_answered(
    http: httpx.AsyncClient, operator: Operator, node: Node
) -> None:
    await node.register(*(f"R{n:03d}" for n in range(20)))
    await operator.given_run()
    jobs = (await node.pull())["jobs"]

    answers = await asyncio.gather(*(node.call_back(node.event(job, "job_started")) for job in jobs))

    assert answers == [["applied"]] * 20
    assert (await http.get("/api/nodes/status", headers=AS_NODE)).status_code == 403
