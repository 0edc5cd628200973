"""Who may open a tunnel, and what those are told who may not."""

from __future__ import annotations

import asyncio
from typing import Any
from uuid import uuid4

import httpx
import pytest
from msgspec.structs import replace

from tests.api.client import AS_NODE, AS_OPERATOR, Node, Operator
from tests.api.conftest import CONFIG, Serving
from tests.api.sockets import ask_for_socket

OPEN_CONFIG = replace(CONFIG, node_secret=None, operator_token=None)


async def given_session(operator: Operator, node: Node, **fields: object) -> dict[str, Any]:
    """A session that has the node's only phone."""
    await node.register("R58M1")
    opened = await operator.post("/api/sessions", fields)
    opened.raise_for_status()
    (job,) = (await node.pull())["jobs"]
    await node.call_back(node.event(job, "job_started", total=1))
    session: dict[str, Any] = (await operator.get(f"/api/sessions/{opened.json()['session_id']}")).json()
    assert session["state"] == "active"
    return session


def adb_of(session: dict[str, Any]) -> str:
    return f"/api/sessions/{session['session_id']}/adb"


async def test_the_node_hears_of_a_tunnel_by_its_pull_and_meets_the_holder(
    http: httpx.AsyncClient, operator: Operator, node: Node
) -> None:
    session = await given_session(operator, node)

    async with asyncio.timeout(30):
        pulling = asyncio.create_task(node.pull(0, wait_s=20, watching=[], tunnelling=[]))
        holder = asyncio.create_task(ask_for_socket(http, adb_of(session), AS_OPERATOR))
        (tunnel,) = (await pulling)["tunnels"]
        path = f"/api/nodes/node-1/tunnels/{tunnel['tunnel_id']}"
        joined = await ask_for_socket(http, path, AS_NODE)

        assert (joined.status, (await holder).status) == (101, 101)
        assert (await node.pull(0, tunnelling=[]))["tunnels"] == []
        assert (await ask_for_socket(http, path, AS_NODE)).status == 404


async def test_a_tunnel_that_a_node_has_heard_of_is_not_named_again(
    http: httpx.AsyncClient, operator: Operator, node: Node
) -> None:
    session = await given_session(operator, node)
    holder = asyncio.create_task(ask_for_socket(http, adb_of(session), AS_OPERATOR))
    async with asyncio.timeout(30):
        (tunnel,) = (await node.pull(0, wait_s=20, tunnelling=[]))["tunnels"]

    assert (await node.pull(0, tunnelling=[tunnel["tunnel_id"]]))["tunnels"] == []
    assert (await node.pull(0))["tunnels"] == []
    holder.cancel()


async def test_a_tunnel_belongs_to_the_node_that_has_the_phone(
    http: httpx.AsyncClient, operator: Operator, node: Node
) -> None:
    session = await given_session(operator, node)
    other = await Node(http, "node-2").register("R58M2")
    token = (await operator.post("/api/nodes/node-2/enroll")).json()["token"]
    holder = asyncio.create_task(ask_for_socket(http, adb_of(session), AS_OPERATOR))
    async with asyncio.timeout(30):
        (tunnel,) = (await node.pull(0, wait_s=20, tunnelling=[]))["tunnels"]

    assert (await other.pull(0, tunnelling=[]))["tunnels"] == []
    stolen = await ask_for_socket(http, f"/api/nodes/node-2/tunnels/{tunnel['tunnel_id']}", AS_NODE)
    assert stolen.status == 404
    as_other = {"x-node-auth": token}
    posing = await ask_for_socket(http, f"/api/nodes/node-1/tunnels/{tunnel['tunnel_id']}", as_other)
    assert (posing.status, posing.body["error"]["code"]) == (403, "forbidden")
    holder.cancel()


async def test_only_the_holder_may_open_one(http: httpx.AsyncClient, operator: Operator, node: Node) -> None:
    session = await given_session(operator, node)
    made = await operator.post("/api/operators", {"name": "kim", "role": "operator"})
    as_kim = {"authorization": f"Bearer {made.json()['token']}"}

    refused = await ask_for_socket(http, adb_of(session), as_kim)

    assert refused.status == 403
    assert "held by operator" in refused.body["error"]["message"]


async def test_a_session_without_a_phone_or_none_at_all_says_so(
    http: httpx.AsyncClient, operator: Operator, node: Node
) -> None:
    session = await given_session(operator, node)
    waiting = (await operator.post("/api/sessions", {})).json()
    (await operator.post(f"/api/sessions/{session['session_id']}/release")).raise_for_status()

    ended = await ask_for_socket(http, adb_of(session), AS_OPERATOR)
    without = await ask_for_socket(http, adb_of(waiting), AS_OPERATOR)
    unknown = await ask_for_socket(http, f"/api/sessions/{uuid4()}/adb", AS_OPERATOR)

    assert (ended.status, without.status, unknown.status) == (409, 409, 404)
    assert "it is waiting" in without.body["error"]["message"]


async def test_a_phone_that_its_node_reaches_without_adb_has_none(
    http: httpx.AsyncClient, operator: Operator, node: Node
) -> None:
    session = await given_session(operator, node)
    await node.beat(devices=[{"serial": "R58M1", "meta": {"driver": "vendor"}}])

    refused = await ask_for_socket(http, adb_of(session), AS_OPERATOR)

    assert refused.status == 409
    assert "has no adb" in refused.body["error"]["message"]


HOSTILE: list[dict[str, str]] = [
    {"origin": "https://evil.example"},
    {"origin": "http://127.0.0.1:9999"},
    {"origin": "null"},
    {"sec-fetch-site": "cross-site"},
    {"host": "evil.example:8080"},
    {"host": "evil.example:8080", "origin": "http://evil.example:8080"},
]


@pytest.mark.parametrize("path", ["/api/sessions/{}/adb", "/api/nodes/node-1/tunnels/{}"])
async def test_no_web_page_of_somebody_else_opens_one_where_no_secret_is_asked_for(serving: Serving, path: str) -> None:
    path = path.format(uuid4())
    async with serving(OPEN_CONFIG) as http:
        assert (await ask_for_socket(http, path, {})).status == 404
        assert (await ask_for_socket(http, path, {"origin": "http://127.0.0.1:8080"})).status == 404
        for headers in HOSTILE:
            assert (await ask_for_socket(http, path, headers)).status == 403, headers


async def test_a_browsers_cookie_opens_one_from_the_servers_own_pages_alone(http: httpx.AsyncClient) -> None:
    signed_in = await http.post("/api/session", json={"token": AS_OPERATOR["authorization"].removeprefix("Bearer ")})
    cookie = {"cookie": signed_in.headers["set-cookie"].partition(";")[0]}
    path = f"/api/sessions/{uuid4()}/adb"

    assert (await ask_for_socket(http, path, {**cookie, "origin": "http://127.0.0.1:8080"})).status == 404
    assert (await ask_for_socket(http, path, {**cookie, "origin": "https://evil.example"})).status == 403
    assert (await ask_for_socket(http, path, cookie)).status == 403


async def test_other_paths_are_no_websockets_and_these_are_nothing_else(
    http: httpx.AsyncClient, operator: Operator
) -> None:
    refusals = {400, 404, 405}

    assert (await ask_for_socket(http, "/api/runs", AS_OPERATOR)).status in refusals
    assert (await ask_for_socket(http, "/nowhere", AS_OPERATOR)).status in refusals
    assert (await operator.get(f"/api/sessions/{uuid4()}/adb")).status_code in refusals
    assert (await operator.post(f"/api/sessions/{uuid4()}/adb")).status_code in refusals
