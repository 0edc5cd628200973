"""Every route, and everybody who might call it."""

from collections.abc import AsyncIterator
from typing import Any, cast
from uuid import uuid4

import httpx
import pytest
import pytest_asyncio
from litestar import get
from msgspec.structs import replace

from corral.api import app as app_module
from corral.api.app import App
from corral.api.doors import WEBSOCKET, list_operations
from tests.api.client import AS_NODE, AS_OPERATOR, NODE_SECRET, OPERATOR_TOKEN
from tests.api.conftest import CONFIG, Serving
from tests.api.sockets import ask_for_socket

Operation = tuple[str, str]

OPERATIONS = sorted(list_operations(App(cast("Any", None), CONFIG).litestar.routes))
PUBLIC = {("GET", "/health"), ("GET", "/ready"), ("POST", "/api/session"), ("DELETE", "/api/session")}
FOR_NODES = {("POST", f"/api/nodes/{what}") for what in ("register", "heartbeat", "pull", "claim", "callback")}
FOR_NODES |= {
    ("PUT", "/api/artifacts/{video}/{node_id}/{serial}/{run_id}/{name}"),
    ("POST", "/api/artifacts/uploads"),
    ("POST", "/api/artifacts/uploads/{upload_id}/accept"),
    ("PUT", "/api/nodes/{node_id}/pictures/{device_id}"),
    ("POST", "/api/nodes/{node_id}/pictures/{device_id}/failure"),
    ("POST", "/api/nodes/tests/offer"),
    ("POST", "/api/nodes/tests/claim"),
    (WEBSOCKET, "/api/nodes/{node_id}/tunnels/{tunnel_id}"),
}
# The same as the first of those, for a node of that name.
OF_THE_NODE_CONTENT = ("PUT", "/api/artifacts/{video}/content/{serial}/{run_id}/{name}")
FOR_BOTH = {("GET", "/api/files/{ref}"), ("GET", "/api/files/{ref}/content")}
FOR_OPERATORS = {("GET", "/api/files/uploads/{upload_id}")}
# They look at what they are sent, and change nothing.
DRY_RUNS = {("POST", "/api/commands/validate"), ("POST", "/api/playbooks/validate")}
FOR_ADMINS = {
    ("POST", "/api/nodes/{node_id}/enroll"),
    ("GET", "/api/nodes/{node_id}/tokens"),
    ("DELETE", "/api/nodes/{node_id}/tokens/{token_id}"),
    ("POST", "/api/operators"),
    ("GET", "/api/operators"),
    ("DELETE", "/api/operators/{name}"),
    ("POST", "/api/operators/{name}/token"),
    ("GET", "/api/audit"),
    ("POST", "/api/webhooks"),
    ("GET", "/api/webhooks"),
    ("GET", "/api/webhooks/{webhook_id}"),
    ("PATCH", "/api/webhooks/{webhook_id}"),
    ("DELETE", "/api/webhooks/{webhook_id}"),
    ("POST", "/api/webhooks/{webhook_id}/secret"),
    ("POST", "/api/webhooks/{webhook_id}/ping"),
    ("GET", "/api/webhooks/{webhook_id}/deliveries"),
    ("GET", "/api/webhooks/{webhook_id}/deliveries/{delivery_id}"),
    ("POST", "/api/webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver"),
}


def opens_to(operation: Operation) -> set[str]:
    """Who gets in, as the documents promise it: said here once more, and not taken from the table that is tested."""
    if operation in PUBLIC:
        return {"nobody", "node", "enrolled node", "viewer", "operator", "admin", "built-in"}
    if operation in FOR_NODES or operation == OF_THE_NODE_CONTENT:
        return {"node", "enrolled node"}
    if operation in FOR_ADMINS:
        return {"admin", "built-in"}
    if operation in FOR_BOTH:
        return {"node", "enrolled node", "viewer", "operator", "admin", "built-in"}
    reads = (operation[0] == "GET" and operation not in FOR_OPERATORS) or operation in DRY_RUNS
    return {"operator", "admin", "built-in"} | ({"viewer"} if reads else set())


async def attempt(http: httpx.AsyncClient, operation: Operation, headers: dict[str, str]) -> int:
    method, path = operation
    for name, value in (("node_id", "node-1"), ("name", "smoke"), ("version", "1"), ("path", "nothing")):
        path = path.replace(f"{{{name}}}", value)
    path = path.replace("/v1/stream", "/v1/stream?for_s=0")  # it would go on for ever
    while "{" in path:
        path = f"{path.partition('{')[0]}{uuid4()}{path.partition('}')[2]}"
    if method == WEBSOCKET:
        return (await ask_for_socket(http, path, headers)).status
    return (await http.request(method, path, headers=headers, json=None if method == "GET" else {})).status_code


@pytest_asyncio.fixture
async def http(serving: Serving) -> AsyncIterator[httpx.AsyncClient]:
    """As everywhere else, but one may be wrong as often as one likes."""
    async with serving(replace(CONFIG, auth_failure_limit=10_000)) as client:
        yield client


@pytest_asyncio.fixture
async def callers(http: httpx.AsyncClient) -> dict[str, dict[str, str]]:
    """The headers of everybody who has something to show, and of nobody."""
    found = {"nobody": {}, "node": AS_NODE, "built-in": AS_OPERATOR}
    enrolled = await http.post("/api/nodes/node-1/enroll", headers=AS_OPERATOR)
    found["enrolled node"] = {"x-node-auth": enrolled.json()["token"]}
    for role in ("viewer", "operator", "admin"):
        made = await http.post("/api/operators", headers=AS_OPERATOR, json={"name": f"a-{role}", "role": role})
        found[role] = {"authorization": f"Bearer {made.json()['token']}"}
    return found


@pytest.mark.parametrize("who", ["nobody", "node", "enrolled node", "viewer", "operator", "admin", "built-in"])
async def test_every_route_opens_to_whom_it_should_and_to_nobody_else(
    http: httpx.AsyncClient, callers: dict[str, dict[str, str]], who: str
) -> None:
    refused = 401 if who == "nobody" else 403
    for operation in OPERATIONS:
        status = await attempt(http, operation, callers[who])
        if who in opens_to(operation):
            assert status not in {401, 403}, operation
        else:
            assert status == refused, operation


@pytest.mark.parametrize(
    "headers",
    [
        {"x-node-auth": "wrong"},
        {"x-node-auth": OPERATOR_TOKEN},
        {"x-node-auth": ""},
        {"x-node-auth": "crln_wrong"},
        {"authorization": "Bearer wrong"},
        {"authorization": "Bearer crlo_wrong"},
        {"authorization": f"Bearer {NODE_SECRET}"},
        {"authorization": f"Basic {OPERATOR_TOKEN}"},
        {"x-api-key": "wrong"},
        {**AS_NODE, "x-api-key": "wrong"},
    ],
)
async def test_a_wrong_credential_opens_nothing(http: httpx.AsyncClient, headers: dict[str, str]) -> None:
    for operation in OPERATIONS:
        assert await attempt(http, operation, headers) == 401, operation


async def test_a_token_of_one_kind_is_none_of_the_other(
    http: httpx.AsyncClient, callers: dict[str, dict[str, str]]
) -> None:
    node, admin = callers["enrolled node"]["x-node-auth"], callers["admin"]["authorization"].split()[1]

    for operation in OPERATIONS:
        assert await attempt(http, operation, {"x-api-key": node}) == 401, operation
        assert await attempt(http, operation, {"x-node-auth": admin}) == 401, operation


async def test_a_cookie_that_is_not_good_is_no_credential(http: httpx.AsyncClient) -> None:
    for operation in OPERATIONS:
        status = await attempt(http, operation, {"cookie": "corral_session=crls_wrong"})
        assert (status != 401) is (operation in PUBLIC), operation


def test_a_route_that_nobody_was_named_for_stops_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    @get("/api/forgotten")
    async def get_forgotten() -> None: ...

    monkeypatch.setattr(app_module, "HANDLERS", [*app_module.HANDLERS, get_forgotten])

    with pytest.raises(RuntimeError, match="/api/forgotten"):
        App(cast("Any", None), replace(CONFIG, max_body_bytes=1))  # as no other, so that its routes are made anew


async def test_the_document_asks_for_the_credentials_that_open(http: httpx.AsyncClient) -> None:
    document: dict[str, Any] = (await http.get("/schema", headers=AS_OPERATOR)).json()
    described = {
        (method.upper(), path): {name for option in operation["security"] for name in option}
        for path, operations in document["paths"].items()
        for method, operation in operations.items()
    }

    apart = {OF_THE_NODE_CONTENT}  # the same as another; and OpenAPI has no word for WebSockets
    operations = {each for each in OPERATIONS if each[0] != WEBSOCKET}
    shown = {each for each in operations if not each[1].startswith("/schema") and each not in apart}
    assert shown == set(described)
    for operation, schemes in described.items():
        kinds = opens_to(operation)
        expected = {"node"} if "node" in kinds else set()
        expected |= {"operator", "operatorKey", "session"} if "admin" in kinds else set()
        assert schemes == (set() if operation in PUBLIC else expected), operation
    assert described.keys() & FOR_ADMINS == FOR_ADMINS
    assert all(document["paths"][path][method.lower()]["x-role"] == "admin" for method, path in FOR_ADMINS)
