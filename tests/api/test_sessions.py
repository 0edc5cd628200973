"""Sessions over HTTP: hold a phone, touch it, let it go; and who may."""

import asyncio
from typing import Any

import httpx
import pytest

from tests.api.client import Node, Operator
from tests.api.test_operators import named


async def opened(operator: Operator, **body: object) -> dict[str, Any]:
    answer = await operator.post("/api/sessions", body)
    assert answer.status_code == 201, answer.text
    session: dict[str, Any] = answer.json()
    return session


async def given_session(operator: Operator, node: Node, **body: object) -> tuple[dict[str, Any], dict[str, Any]]:
    """The operator holds a phone of the node; the session and the node's job."""
    session = await opened(operator, **body)
    (job,) = (await node.pull())["jobs"]
    await node.call_back(node.event(job, "job_started"))
    return (await operator.get(f"/api/sessions/{session['session_id']}")).json(), job


async def test_opening_waits_for_the_phone_and_tells_which_it_is(operator: Operator, node: Node) -> None:
    await node.register("R58M1")
    opening = asyncio.create_task(opened(operator, purpose="look", wait_s=30))

    pulled = await node.pull(wait_s=30)
    (job,) = pulled["jobs"]
    await node.call_back(node.event(job, "job_started"))
    session = await opening

    assert (session["state"], session["holder"], session["purpose"], session["ttl_s"]) == (
        "active",
        "operator",
        "look",
        600,
    )
    assert (session["device"]["serial"], session["device"]["index"], session["device"]["node_id"]) == (
        "R58M1",
        1,
        "node-1",
    )
    assert (session["job_id"], session["has_adb"]) == (job["job_id"], True)
    assert pulled["runs"][0]["recipe"]["steps"][0]["uses"] == "device.hold"
    device = (await operator.get(f"/api/devices/{session['device']['device_id']}")).json()
    assert (device["held_by"], device["session_id"]) == ("operator", session["session_id"])


async def test_a_look_at_a_waiting_session_lasts_until_it_has_its_phone(operator: Operator, node: Node) -> None:
    await node.register("R58M1")
    session = await opened(operator)
    path = f"/api/sessions/{session['session_id']}"
    assert (session["state"], (await operator.get(path, params={"wait_s": 0.1})).json()["state"]) == (
        "waiting",
        "waiting",
    )

    looking = asyncio.create_task(operator.get(path, params={"wait_s": 30}))
    (job,) = (await node.pull())["jobs"]
    await node.call_back(node.event(job, "job_started"))

    assert (await looking).json()["state"] == "active"


@pytest.mark.parametrize(
    ("body", "status", "path"),
    [
        ({"tags": ["camera"]}, 400, "tags"),
        ({"tags": ["camera"], "device": "1"}, 400, "device"),
        ({"device": "77"}, 404, "device"),
        ({"ttl_s": 9}, 400, "ttl_s"),
        ({"ttl_s": 43_201}, 400, "ttl_s"),
        ({"wait_s": 31}, 400, "wait_s"),
        ({"tag": "camera"}, 400, "tag"),
    ],
)
async def test_what_cannot_be_held_is_refused_with_its_path(
    operator: Operator, node: Node, body: dict[str, object], status: int, path: str
) -> None:
    await node.register("R58M1")

    answer = await operator.post("/api/sessions", body)

    assert (answer.status_code, answer.json()["error"]["path"].removeprefix("body.")) == (status, path), answer.text


async def test_releasing_cancels_at_once_by_the_pull_that_is_open(operator: Operator, node: Node) -> None:
    await node.register("R58M1")
    session, job = await given_session(operator, node)
    waiting = asyncio.create_task(node.pull(want=0, wait_s=30))

    released = await operator.post(f"/api/sessions/{session['session_id']}/release")

    assert (released.json()["state"], released.json()["end_reason"]) == ("ended", "released")
    assert (await waiting)["cancel"] == [job["lease_token"]]
    assert (await operator.post(f"/api/sessions/{session['session_id']}/renew")).status_code == 409


async def test_another_may_release_it_with_a_reason_only_and_may_not_use_it(
    operator: Operator, node: Node, http: httpx.AsyncClient
) -> None:
    await node.register("R58M1")
    session, _ = await given_session(operator, node)
    bob, vic = await named(operator, http, "bob", "operator"), await named(operator, http, "vic", "viewer")
    path = f"/api/sessions/{session['session_id']}"

    assert (await bob.post(f"{path}/renew")).status_code == 403
    assert (await bob.post(f"{path}/input", {"kind": "key", "key": "HOME"})).status_code == 403
    assert (await vic.post(f"{path}/release", {"reason": "no"})).status_code == 403
    refused = await bob.post(f"{path}/release")
    assert (refused.status_code, refused.json()["error"]["path"]) == (400, "reason")
    forced = (await bob.post(f"{path}/release", {"reason": "the release needs it"})).json()

    assert (forced["end_reason"], forced["ended_by"], forced["end_message"]) == (
        "forced",
        "bob",
        "the release needs it",
    )
    assert [
        each["holder"] for each in (await vic.get("/api/sessions", params={"state": "all"})).json()["sessions"]
    ] == ["operator"]
    entries = (await operator.get("/api/audit", params={"subject": session["session_id"]})).json()["entries"]
    assert [(each["actor"], each["action"]) for each in entries] == [
        ("bob", "session.force"),
        ("operator", "session.open"),
    ]


async def test_input_wakes_the_nodes_pull_comes_in_order_and_is_not_told_twice(operator: Operator, node: Node) -> None:
    await node.register("R58M1")
    session, job = await given_session(operator, node)
    path = f"/api/sessions/{session['session_id']}/input"
    waiting = asyncio.create_task(node.pull(want=0, wait_s=30, inputs_taken={}))

    first = await operator.post(path, {"kind": "tap", "x": 10, "y": 20})
    told = (await waiting)["inputs"]
    await operator.post(path, {"kind": "swipe", "x": 1, "y": 2, "to_x": 3, "to_y": 4, "duration_ms": 50})
    await operator.post(path, {"kind": "text", "text": "hello"})
    rest = (await node.pull(inputs_taken={job["lease_token"]: told[-1]["seq"]}))["inputs"]

    assert first.status_code == 202
    assert [(each["lease_token"], each["input"]) for each in told] == [
        (job["lease_token"], {"kind": "tap", "x": 10, "y": 20})
    ]
    assert [each["input"]["kind"] for each in rest] == ["swipe", "text"]
    assert (await node.pull())["inputs"] == []  # a node that does not say how far it came takes none


@pytest.mark.parametrize(
    ("touch", "path"),
    [
        ({"kind": "tap", "x": 1}, "y"),
        ({"kind": "tap", "x": 1, "y": 2, "text": "a"}, "text"),
        ({"kind": "tap", "x": 20_001, "y": 2}, "x"),
        ({"kind": "tap", "x": -1, "y": 2}, "x"),
        ({"kind": "swipe", "x": 1, "y": 2, "to_x": 3}, "to_y"),
        ({"kind": "key", "key": "HOME; reboot"}, "key"),
        ({"kind": "text"}, "text"),
        ({"kind": "pinch"}, "kind"),
    ],
)
async def test_input_that_makes_no_sense_is_refused(
    operator: Operator, node: Node, touch: dict[str, object], path: str
) -> None:
    await node.register("R58M1")
    session, _ = await given_session(operator, node)

    answer = await operator.post(f"/api/sessions/{session['session_id']}/input", touch)

    assert (answer.status_code, answer.json()["error"]["path"].removeprefix("body.")) == (400, path), answer.text


async def test_a_session_without_a_phone_takes_no_input(operator: Operator, node: Node) -> None:
    await node.register("R58M1")
    session = await opened(operator)

    answer = await operator.post(f"/api/sessions/{session['session_id']}/input", {"kind": "key", "key": "HOME"})

    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "conflict")


async def test_a_sessions_run_is_shown_on_demand_and_cannot_be_had_again(operator: Operator, node: Node) -> None:
    await node.register("R58M1")
    session, job = await given_session(operator, node)
    await operator.post(f"/api/sessions/{session['session_id']}/release")
    await node.call_back(node.event(job, "job_finished", outcome="cancelled"))

    assert (await operator.get("/api/runs")).json()["runs"] == []
    (run,) = (await operator.get("/api/runs", params={"source_type": "session"})).json()["runs"]
    assert (run["run_id"], run["source_id"], run["status"]) == (session["run_id"], session["session_id"], "cancelled")
    assert (await operator.post(f"/api/runs/{run['run_id']}/retry")).status_code == 409
    assert (await operator.get("/api/workflows")).json()["workflows"] == []
    await operator.given_workflow()
    fake = await operator.post("/api/runs", {"workflow": "smoke", "source_type": "session"})
    assert (fake.status_code, fake.json()["error"]["path"]) == (400, "source_type")
