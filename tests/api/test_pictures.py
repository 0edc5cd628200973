"""Live pictures over HTTP: an operator looks, a node shows."""

import asyncio
from typing import Any
from uuid import uuid4

import httpx

from tests.api.client import AS_NODE, AS_OPERATOR, Node, Operator

PNG = b"\x89PNG\r\n\x1a\nscreen"


async def given_device(operator: Operator, node: Node) -> str:
    await node.register("R58M1")
    device_id: str = (await operator.get("/api/devices")).json()["devices"][0]["device_id"]
    return device_id


async def show(http: httpx.AsyncClient, node: Node, device_id: str, content: bytes = PNG) -> httpx.Response:
    headers = {**AS_NODE, "content-type": "application/octet-stream"}
    path = f"/api/nodes/{node.node_id}/pictures/{device_id}"
    return await http.put(path, params={"epoch": node.epoch}, content=content, headers=headers)


async def test_a_look_wakes_the_nodes_pull_and_its_picture_is_shown(
    operator: Operator, node: Node, http: httpx.AsyncClient
) -> None:
    device_id = await given_device(operator, node)
    waiting = asyncio.create_task(node.pull(want=0, wait_s=30, watching=[]))
    path = f"/api/devices/{device_id}/picture"

    assert (await operator.post(f"/api/devices/{device_id}/watch")).json() == {"watch_s": 10}
    pulled = await waiting
    looking = asyncio.create_task(operator.get(path, params={"wait_s": 10}))
    answered = (await show(http, node, device_id)).json()
    picture = await looking

    assert [(each["device_id"], each["serial"]) for each in pulled["watch"]] == [(device_id, "R58M1")]
    assert 0 < answered["watch_s"] <= 10
    assert (picture.status_code, picture.content, picture.headers["content-type"]) == (200, PNG, "image/png")
    assert int(picture.headers["x-age-ms"]) >= 0
    known = {"if-none-match": picture.headers["etag"]}
    assert (await operator.get(path, extra=known)).status_code == 304
    later = asyncio.create_task(operator.get(path, extra=known, params={"wait_s": 10}))
    await show(http, node, device_id, PNG + b"2")
    assert (await later).content == PNG + b"2"


async def test_a_node_is_not_told_twice_and_one_that_shows_nothing_is_not_told_at_all(
    operator: Operator, node: Node
) -> None:
    device_id = await given_device(operator, node)
    await operator.post(f"/api/devices/{device_id}/watch")

    assert len((await node.pull(watching=[]))["watch"]) == 1
    assert (await node.pull(watching=[device_id]))["watch"] == []
    assert (await node.pull())["watch"] == []


async def test_a_phone_without_a_picture_says_why(operator: Operator, node: Node, http: httpx.AsyncClient) -> None:
    device_id = await given_device(operator, node)
    path = f"/api/devices/{device_id}/picture"
    assert (await operator.get(path)).status_code == 404
    await operator.post(f"/api/devices/{device_id}/watch")

    body = {"epoch": node.epoch, "message": "R58M1 is offline"}
    told = await http.post(f"/api/nodes/{node.node_id}/pictures/{device_id}/failure", json=body, headers=AS_NODE)

    assert told.json()["watch_s"] > 0
    answer = await operator.get(path)
    error: dict[str, Any] = answer.json()["error"]
    assert (answer.status_code, error["code"], error["message"]) == (409, "no_picture", "R58M1 is offline")


async def test_what_is_no_picture_or_too_large_is_refused(
    operator: Operator, node: Node, http: httpx.AsyncClient
) -> None:
    device_id = await given_device(operator, node)
    await operator.post(f"/api/devices/{device_id}/watch")

    assert (await show(http, node, device_id, b"<script>alert(1)</script>")).status_code == 400
    assert (await show(http, node, device_id, PNG + bytes(9 * 1024 * 1024))).status_code == 413
    assert (await operator.get(f"/api/devices/{device_id}/picture")).status_code == 404


async def test_an_operator_shows_nothing_and_a_device_must_be_the_nodes(
    operator: Operator, node: Node, http: httpx.AsyncClient
) -> None:
    await given_device(operator, node)
    headers = {**AS_OPERATOR, "content-type": "application/octet-stream"}

    as_operator = await http.put(f"/api/nodes/node-1/pictures/{uuid4()}?epoch=1", content=PNG, headers=headers)

    assert as_operator.status_code == 403
    assert (await show(http, node, str(uuid4()))).status_code == 404
    assert (await operator.post(f"/api/devices/{uuid4()}/watch")).status_code == 404
