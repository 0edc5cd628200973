"""Who gets in at the coordinator door, by which credential."""

import io
from urllib.parse import quote

import httpx
import pytest
from msgspec.structs import replace

from corral.config import Secret, ServerConfig
from tests.api.client import AS_NODE, AS_OPERATOR, OPERATOR_TOKEN
from tests.api.conftest import CONFIG, Serving
from tests.api.coordinator.caller import Caller, listening, opened

READS = ("agents", "channels", "chains", "tasks", "events", "dashboard", "stream?for_s=0")
WRITES = ("agents/heartbeat", "channels", "chains", "tasks", "tasks/claim", "tasks/complete", "events")


async def statuses(http: httpx.AsyncClient, headers: dict[str, str]) -> set[int]:
    """What everything answers to a caller with these headers."""
    read = [await http.get(f"/v1/{path}", headers=headers) for path in READS]
    written = [await http.post(f"/v1/{path}", headers=headers, json={}) for path in WRITES]
    return {answer.status_code for answer in (*read, *written)}


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        (AS_OPERATOR, {200, 400}),
        ({"x-api-key": OPERATOR_TOKEN}, {200, 400}),
        ({}, {401}),
        ({"authorization": "Bearer wrong"}, {401}),
        ({"authorization": f"Basic {OPERATOR_TOKEN}"}, {401}),
        ({"x-api-key": "wrong"}, {401}),
        (AS_NODE, {403}),
    ],
    ids=["bearer", "api key", "none", "wrong bearer", "basic", "wrong api key", "a node's"],
)
async def test_the_token_opens_everything_and_nothing_else_opens_anything(
    serving: Serving, headers: dict[str, str], expected: set[int]
) -> None:
    async with serving(replace(CONFIG, auth_failure_limit=1000)) as http:
        assert await statuses(http, headers) == expected
        assert (await http.get("/health")).status_code == 200


async def test_without_a_token_this_machine_needs_none(serving: Serving) -> None:
    async with serving(ServerConfig()) as http:
        assert await statuses(http, {}) == {200, 400}
        assert await statuses(http, {"origin": "https://elsewhere.example"}) == {403}


async def test_a_viewer_reads_and_changes_nothing(http: httpx.AsyncClient) -> None:
    made = await http.post("/api/operators", headers=AS_OPERATOR, json={"name": "eve", "role": "viewer"})
    viewer = {"authorization": f"Bearer {made.json()['token']}"}

    assert {(await http.get(f"/v1/{path}", headers=viewer)).status_code for path in READS} == {200}
    assert {(await http.post(f"/v1/{path}", headers=viewer, json={})).status_code for path in WRITES} == {403}


async def test_a_browsers_session_reads_streams_and_changes_things(http: httpx.AsyncClient) -> None:
    opened_session = await http.post("/api/session", json={"token": OPERATOR_TOKEN})
    assert opened_session.status_code == 200
    browser = Caller(http, headers={"origin": "http://127.0.0.1:8080"})

    assert opened(await browser.post("channels", name="work"), "channel", status=201)["name"] == "work"
    assert (await http.get("/v1/dashboard")).status_code == 200
    async with listening(http, headers={}, for_s=0) as stream:
        assert (await stream.next())[0] == "update"


async def test_a_token_in_the_address_opens_the_stream_alone_and_is_not_logged(
    serving: Serving, lines: io.StringIO
) -> None:
    token = "a token & more"
    async with serving(replace(CONFIG, operator_token=Secret(token))) as http:
        async with listening(http, headers={}, for_s=0, token=token) as stream:
            assert (await stream.next())[0] == "update"
        for path in ("agents", "dashboard", "tasks"):
            assert (await http.get(f"/v1/{path}", params={"token": token})).status_code == 401
        answer = await http.post("/v1/agents/heartbeat", params={"token": token}, json={"agent_id": "a"})
        assert answer.status_code == 401
        assert (await http.get("/v1/stream", params={"token": "wrong word", "for_s": 0})).status_code == 401

    logged = lines.getvalue()
    assert '"path": "/v1/stream"' in logged
    assert not any(text in logged for text in (token, quote(token), token.replace(" ", "+"), "wrong word"))
