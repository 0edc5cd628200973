"""Whatever the body of a request is, the server answers it as what it is or refuses it as the caller's fault."""

import json
from typing import Any, Final
from uuid import UUID

import httpx
import pytest
import pytest_asyncio
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.api.client import AS_NODE, AS_OPERATOR, SMOKE

_ID: Final = str(UUID(int=7))
_NODE: Final = {"node_id": "node-1", "epoch": 1}
_ASKING: Final = {**_NODE, "request_id": _ID, "wait_s": 0}
_LEASE: Final = {"node_id": "node-1", "job_id": _ID, "lease_token": _ID, "step": "a"}
EVENT: Final = {"event_id": _ID, "job_id": _ID, "lease_token": _ID, "seq": 1, "type": "job_started"}
BODIES: Final[dict[str, dict[str, Any]]] = {
    "/api/nodes/register": {
        "node_id": "node-2",
        "name": "n",
        "capabilities": ["a"],
        "labels": {},
        "meta": {},
        "version": "1",
    },
    "/api/nodes/heartbeat": {
        **_NODE,
        "held": [_ID],
        "devices": [{"serial": "S", "model": "m", "meta": {}}],
        "is_complete": False,
    },
    "/api/nodes/pull": {**_ASKING, "want": 1, "cancelling": [_ID], "watching": [_ID], "inputs_taken": {_ID: 1}},
    "/api/nodes/claim": {**_ASKING, "want": 1, "phones": ["S"], "cancelling": [_ID]},
    "/api/nodes/callback": {"node_id": "node-1", "events": [EVENT]},
    "/api/nodes/tests/offer": {
        **_LEASE,
        "tests": [{"class_name": "a", "name": "b"}],
        "chunk": "count",
        "test_retries": 1,
    },
    "/api/nodes/tests/claim": {**_LEASE, "request_id": _ID, "wait_s": 0},
    "/api/workflows": SMOKE,
    "/api/commands/validate": {"name": "c", "uses": "device.shell", "with": {"command": "id"}, "retries": 1},
    "/api/runs": {"workflow": "smoke", "target": {"all": True}, "params": {}, "policy": {}, "name": "n", "seed": "s"},
    "/api/sessions": {"tags": ["a"], "purpose": "p", "wait_s": 0, "ttl_s": 60},
    "/api/schedules": {
        "name": "s",
        "cron": "0 0 * * *",
        "time_zone": "UTC",
        "run": {"workflow": "smoke", "params": {}},
    },
    "/v1/agents/heartbeat": {"agent_id": "a", "name": "a", "status": "idle", "meta": {}},
    "/v1/channels": {"name": "c", "description": "d"},
    "/v1/chains": {"channel_id": _ID, "name": "c", "meta": {}},
    "/v1/tasks": {"title": "t", "chain_id": _ID, "sequence": 1, "description": "d", "priority": 1, "status": "queued"},
    "/v1/tasks/claim": {"agent_id": "a", "channel": "c", "idempotency_key": "k"},
    "/v1/tasks/complete": {"task_id": _ID, "agent_id": "a", "result": {}},
    "/v1/events": {"agent_id": "a", "task_id": _ID, "type": "t", "payload": {}},
}
NAMES: Final = sorted({name for body in BODIES.values() for name in body})
VALUES = st.recursive(
    st.one_of(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=10) | st.uuids().map(str),
        st.sampled_from(
            ["", "\0", "a\0b", "\ud800", "²", 2**31, 2**53, 2**63, 2**64, -1, 1e308, "9" * 5_000, "node-1", "{{ x"]
        ),
    ),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([*NAMES, "a", "a\0"]), inner, max_size=3)
    ),
    max_leaves=8,
)


def bodies_of(path: str) -> st.SearchStrategy[bytes]:
    """Any bytes, any object, and what is nearly a body of that route."""
    names = st.sampled_from(sorted(BODIES[path])) | st.sampled_from(NAMES)
    changes = st.dictionaries(names, VALUES, max_size=3)
    near = st.builds(
        lambda changed, missing: {
            name: value for name, value in (BODIES[path] | changed).items() if name not in missing
        },
        changes,
        st.sets(st.sampled_from(NAMES), max_size=2),
    )
    whole = (near | near | VALUES).map(lambda value: json.dumps(value).encode())
    cut = st.builds(
        lambda body, at, more: body[:at] + more + body[at:], whole, st.integers(0, 200), st.binary(max_size=3)
    )
    return whole | whole | cut | st.binary(max_size=60)


@pytest_asyncio.fixture
async def farm_of_one(http: httpx.AsyncClient) -> httpx.AsyncClient:
    """With a node and a workflow, so that a body that is nearly right is read to its end."""
    await send(http, "/api/nodes/register", {"node_id": "node-1", "state_id": "s"})
    await send(http, "/api/workflows", SMOKE)
    return http


@pytest.mark.timeout(600)
@pytest.mark.parametrize("path", BODIES)
@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
async def test_any_body_is_answered_or_the_callers_fault(
    path: str, data: st.DataObject, farm_of_one: httpx.AsyncClient
) -> None:
    await send(farm_of_one, path, data.draw(bodies_of(path)))


@pytest.mark.parametrize("path", BODIES)
async def test_odd_texts_and_numbers_are_the_callers_fault_too(path: str, farm_of_one: httpx.AsyncClient) -> None:
    assert await send(farm_of_one, path, BODIES[path]) != 400, "what it nearly is, it should be"

    for name in BODIES[path]:
        for value in ("\0", "\ud800", {"a\0": "\0"}, ["\0"], 2**63, 2**64, -1, 1e308, "9" * 5_000):
            await send(farm_of_one, path, BODIES[path] | {name: value})


async def send(http: httpx.AsyncClient, path: str, body: bytes | dict[str, Any]) -> int:
    headers = {**(AS_NODE if path.startswith("/api/nodes") else AS_OPERATOR), "content-type": "application/json"}
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    answer = await http.post(path, headers=headers, content=content)

    assert answer.status_code < 500, (answer.status_code, answer.text, content)
    if answer.status_code >= 400:
        assert answer.json()["error"]["code"], answer.text
    return answer.status_code
