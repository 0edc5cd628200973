"""Which doors open to whom."""

from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

import httpx
import pytest
import pytest_asyncio

from corral.api import auth
from corral.config import Secret, ServerConfig
from tests.api.client import AS_NODE, AS_OPERATOR, NODE_SECRET, OPERATOR_TOKEN
from tests.api.conftest import Serving

PUBLIC = {("get", "/health"), ("get", "/ready")}
FOR_NODES = {
    *(("post", f"/api/nodes/{what}") for what in ("register", "heartbeat", "pull", "callback")),
    ("put", "/api/artifacts/{video}/{node_id}/{serial}/{run_id}/{name}"),
    ("post", "/api/artifacts/uploads"),
    ("post", "/api/artifacts/uploads/{upload_id}/accept"),
}
FOR_BOTH = {
    ("post", "/api/nodes/{node_id}/drain"),
    ("get", "/api/files/{ref}"),
    ("get", "/api/files/{ref}/content"),
}

Operation = tuple[str, str]


async def list_operations(http: httpx.AsyncClient) -> list[Operation]:
    document: dict[str, Any] = (await http.get("/schema", headers=AS_OPERATOR)).json()
    return [(method, path) for path, methods in document["paths"].items() for method in methods]


async def attempt(http: httpx.AsyncClient, operation: Operation, headers: dict[str, str]) -> int:
    method, path = operation
    path = path.replace("{node_id}", "node-1").replace("{name}", "smoke").replace("{version}", "1")
    for name in ("run_id", "device_id", "scan_id", "command_id", "playbook_id", "artifact_id", "upload_id"):
        path = path.replace(f"{{{name}}}", str(uuid4()))
    return (await http.request(method, path, headers=headers, json=None if method == "get" else {})).status_code


def kinds_for(operation: Operation) -> set[str]:
    if operation in PUBLIC:
        return {"nobody", "node", "operator"}
    if operation in FOR_NODES:
        return {"node"}
    return {"node", "operator"} if operation in FOR_BOTH else {"operator"}


async def test_the_document_lists_every_endpoint(http: httpx.AsyncClient) -> None:
    operations = await list_operations(http)

    assert set(operations) > PUBLIC | FOR_NODES | FOR_BOTH
    assert len(set(operations)) == len(operations)


async def test_no_credential_opens_only_what_is_public(http: httpx.AsyncClient) -> None:
    for operation in await list_operations(http):
        expected = operation in PUBLIC
        assert (await attempt(http, operation, {}) != 401) is expected, operation


async def test_the_other_kind_of_credential_opens_nothing(http: httpx.AsyncClient) -> None:
    for operation in await list_operations(http):
        kinds = kinds_for(operation)
        assert (await attempt(http, operation, AS_NODE) == 403) is ("node" not in kinds), operation
        assert (await attempt(http, operation, AS_OPERATOR) == 403) is ("operator" not in kinds), operation


@pytest.mark.parametrize(
    "headers",
    [
        {"x-node-auth": "wrong"},
        {"x-node-auth": OPERATOR_TOKEN},
        {"x-node-auth": ""},
        {"authorization": "Bearer wrong"},
        {"authorization": f"Bearer {NODE_SECRET}"},
        {"authorization": f"Basic {OPERATOR_TOKEN}"},
        {"x-api-key": "wrong"},
        {**AS_NODE, "x-api-key": "wrong"},
    ],
)
async def test_a_wrong_credential_opens_nothing(
    http: httpx.AsyncClient, headers: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(auth, "_MOST_FAILURES", 1000)
    for operation in await list_operations(http):
        assert await attempt(http, operation, headers) == 401, operation


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
