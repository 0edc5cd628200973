"""Which doors open to whom."""

import io
import json
from collections.abc import AsyncIterator

import httpx
import pytest
import pytest_asyncio

from corral.config import Secret, ServerConfig
from tests.api.client import AS_NODE, AS_OPERATOR, NODE_SECRET, OPERATOR_TOKEN
from tests.api.conftest import Serving


async def test_an_api_key_is_as_good_as_a_bearer_token(http: httpx.AsyncClient) -> None:
    assert (await http.get("/api/runs", headers={"x-api-key": OPERATOR_TOKEN})).status_code == 200
    assert (await http.get("/api/runs", headers={"authorization": f"bearer {OPERATOR_TOKEN}"})).status_code == 200


@pytest.mark.parametrize("path", ["/api/nodes/register/", "//api/nodes/register", "/api/nodes/./register"])
async def test_odd_spellings_of_a_path_open_no_other_door(http: httpx.AsyncClient, path: str) -> None:
    answer = await http.post(path, headers=AS_OPERATOR, json={"node_id": "node-1"})

    assert answer.status_code in {403, 404}


async def test_guessing_soon_ends(http: httpx.AsyncClient) -> None:
    statuses = [(await http.get("/api/runs", headers={"x-api-key": f"guess-{n}"})).status_code for n in range(12)]

    assert statuses == [401] * 10 + [429] * 2
    assert (await http.get("/api/runs", headers=AS_OPERATOR)).status_code == 429


async def test_a_guesser_does_not_lock_out_its_neighbours(http: httpx.AsyncClient) -> None:
    assert (await http.get("/api/runs", headers=AS_OPERATOR)).status_code == 200
    for n in range(12):
        await http.get("/api/runs", headers={"x-api-key": f"guess-{n}"})

    assert (await http.get("/api/runs", headers=AS_OPERATOR)).status_code == 200
    assert (await http.get("/api/runs", headers={"x-api-key": "guess-13"})).status_code == 429


async def test_what_was_wrong_is_logged_and_the_credential_is_not(http: httpx.AsyncClient, lines: io.StringIO) -> None:
    await http.get("/api/runs", headers={"x-api-key": "hunter2-hunter2", "x-request-id": "abc"})

    (line,) = [json.loads(line) for line in lines.getvalue().splitlines() if "authentication failed" in line]
    assert (line["kind"], line["address"], line["request_id"]) == ("operator", "127.0.0.1", "abc")
    assert "hunter2" not in lines.getvalue()


@pytest_asyncio.fixture
async def local(serving: Serving) -> AsyncIterator[httpx.AsyncClient]:
    """A caller on the machine of a server without secrets."""
    async with serving(ServerConfig()) as http:
        yield http


async def test_without_secrets_this_machine_is_served(local: httpx.AsyncClient) -> None:
    assert (await local.get("/api/runs")).status_code == 200
    assert (await local.post("/api/nodes/register", json={"node_id": "node-1"})).status_code == 200
    assert (await local.get("/api/runs", headers={"origin": "http://127.0.0.1:8080"})).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"host": "evil.example"},
        {"host": "evil.example:8080"},
        {"host": "127.0.0.1.evil.example"},
        {"host": "10.0.0.5:8080"},
        {"host": ""},
        {"host": "["},
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:9999"},
        {"sec-fetch-site": "cross-site"},
        {"x-node-auth": "anything", "host": "evil.example"},
        {"x-api-key": "anything", "origin": "https://evil.example"},
    ],
)
async def test_without_secrets_no_web_page_can_drive_phones(local: httpx.AsyncClient, headers: dict[str, str]) -> None:
    assert (await local.post("/api/nodes/scan", headers=headers, json={})).status_code == 403
    assert (await local.get("/api/runs", headers=headers)).status_code == 403
    assert (await local.post("/api/nodes/register", headers=headers, json={"node_id": "n"})).status_code == 403


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""]
)
async def test_without_secrets_bodies_are_json(local: httpx.AsyncClient, kind: str) -> None:
    answer = await local.post("/api/nodes/scan", headers={"content-type": kind}, content=b"{}")

    assert (answer.status_code, answer.json()["error"]["code"]) == (415, "unsupported_media_type")


async def test_without_a_node_secret_an_operator_token_is_asked_for_all_the_same(serving: Serving) -> None:
    async with serving(ServerConfig(operator_token=Secret(OPERATOR_TOKEN))) as http:
        assert (await http.get("/api/runs")).status_code == 401
        assert (await http.post("/api/nodes/register", json={"node_id": "node-1"})).status_code == 200


async def test_without_an_operator_token_a_wrong_named_one_is_wrong_all_the_same(local: httpx.AsyncClient) -> None:
    assert (await local.get("/api/runs", headers={"x-api-key": "crlo_wrong"})).status_code == 401
    assert (await local.get("/api/runs", headers={"x-api-key": "anything"})).status_code == 200


async def test_where_nodes_must_be_enrolled_neither_the_shared_secret_nor_none_is_enough(serving: Serving) -> None:
    body = {"node_id": "node-1"}
    strict = ServerConfig(node_secret=Secret(NODE_SECRET), require_enrolled_nodes=True)
    async with serving(strict) as http:
        assert (await http.post("/api/nodes/register", headers=AS_NODE, json=body)).status_code == 401
        assert (await http.post("/api/nodes/register", json=body)).status_code == 401
        token = (await http.post("/api/nodes/node-1/enroll")).json()["token"]
        answer = await http.post("/api/nodes/register", headers={"x-node-auth": token}, json=body)
        assert answer.status_code == 200


async def test_an_operator_who_needs_a_token_is_told_so_whatever_nodes_need(serving: Serving) -> None:
    async with serving(ServerConfig(operator_token=Secret(OPERATOR_TOKEN))) as http:
        assert (await http.get("/api/runs", headers={"host": "farm.example"})).status_code == 401
        answer = await http.post("/api/nodes/register", headers={"host": "farm.example"}, json={"node_id": "n"})
        assert answer.status_code == 403
