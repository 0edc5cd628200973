"""Agents at the coordinator door: heartbeats, lists, current tasks; events."""

import asyncio
from datetime import datetime, timedelta
from urllib.parse import quote

import pytest

from tests.api.coordinator.caller import Caller, listed, opened, refused
from tests.engine.farm import Farm

FIELDS = {"id", "name", "status", "current_task_id", "last_seen", "meta", "created_at", "updated_at", "worker_status"}


async def test_a_heartbeat_makes_an_agent_known_under_any_name(caller: Caller) -> None:
    name = "worker one@höst:7/☂"
    meta = {"subscriptions": ["work"], "pid": 7}

    first = opened(await caller.post("agents/heartbeat", agent_id=name, status="running", meta=meta), "agent")
    again = opened(await caller.post("agents/heartbeat", agent_id=name, name="One"), "agent")

    assert set(first) == FIELDS
    assert (first["id"], first["name"], first["status"], first["meta"]) == (name, name, "running", meta)
    assert (again["name"], again["status"], again["meta"], again["created_at"]) == (
        "One",
        "running",
        meta,
        first["created_at"],
    )
    assert datetime.fromisoformat(first["last_seen"]).tzinfo is not None
    assert opened(await caller.get(f"agents/{quote(name, safe='')}"), "agent")["name"] == "One"


async def test_the_older_name_of_a_status_is_understood_and_the_newer_one_wins(caller: Caller) -> None:
    older = await caller.post("agents/heartbeat", agent_id="a", claude_status="waiting")
    both = await caller.post("agents/heartbeat", agent_id="a", status="idle", claude_status="running")
    empty = await caller.post("agents/heartbeat", agent_id="a", status="", claude_status="running")

    assert [opened(answer, "agent")["status"] for answer in (older, both, empty)] == ["waiting", "idle", "running"]
    assert "claude_status" not in older.text


async def test_unknown_fields_are_ignored_and_empty_ones_were_not_given(caller: Caller) -> None:
    opened(await caller.post("agents/heartbeat", agent_id="a", name="Ann", status="waiting", meta={"x": 1}), "agent")

    agent = opened(
        await caller.post(
            "agents/heartbeat", agent_id="a", name="", status="", current_task_id="", meta=None, hostname="h", n={}
        ),
        "agent",
    )

    assert (agent["name"], agent["status"], agent["current_task_id"], agent["meta"]) == (
        "Ann",
        "waiting",
        None,
        {"x": 1},
    )


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ({}, "agent_id"),
        ({"agent_id": ""}, "agent_id"),
        ({"agent_id": 5}, "agent_id"),
        ({"agent_id": "a" * 201}, "agent_id"),
        ({"agent_id": "a", "status": "bored"}, "status"),
        ({"agent_id": "a", "meta": []}, "meta"),
    ],
)
async def test_a_heartbeat_that_makes_no_sense_is_refused_with_the_place(
    caller: Caller, fields: dict[str, object], path: str
) -> None:
    assert refused(await caller.post("agents/heartbeat", **fields), 400, "invalid_request")["path"] == path


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'"text"', b"null", b'{"agent_id": "\xff"}'])
async def test_a_body_that_is_no_json_object_is_bad_json(caller: Caller, body: bytes) -> None:
    answer = await caller.http.post("/v1/agents/heartbeat", headers=caller.headers, content=body)

    refused(answer, 400, "bad_json")


async def test_a_body_counts_whatever_its_type_is_called(caller: Caller) -> None:
    headers = {**caller.headers, "content-type": "application/x-www-form-urlencoded"}
    answer = await caller.http.post("/v1/agents/heartbeat", headers=headers, content=b'{"agent_id": "curl"}')

    assert opened(answer, "agent")["id"] == "curl"


async def test_agents_are_online_for_thirty_seconds(caller: Caller, farm: Farm) -> None:
    await caller.post("agents/heartbeat", agent_id="silent")
    await farm.clock.advance(timedelta(seconds=31))
    await caller.post("agents/heartbeat", agent_id="loud")

    agents = listed(await caller.get("agents"), "agents")

    assert [(agent["id"], agent["worker_status"]) for agent in agents] == [("loud", "online"), ("silent", "offline")]


async def test_a_current_task_is_told_or_missed(caller: Caller) -> None:
    refused(await caller.get("agents/nobody"), 404, "not_found")
    refused(await caller.get("agents/nobody/current-task"), 404, "not_found")
    await caller.post("agents/heartbeat", agent_id="ann")
    refused(await caller.get("agents/ann/current-task"), 404, "no_current_task")

    channel = await caller.given_channel()
    task = await caller.given_task(channel_id=channel["id"])
    claimed = await caller.claim("ann", channel)

    assert opened(await caller.get("agents/ann/current-task"), "task") == claimed
    assert opened(await caller.get("agents/ann"), "agent")["current_task_id"] == task["id"]
    await caller.complete("ann", task)
    refused(await caller.get("agents/ann/current-task"), 404, "no_current_task")


async def test_an_event_is_kept_once_per_key_even_when_sent_at_once(caller: Caller) -> None:
    event = {"agent_id": "ann", "task_id": "t", "type": "log", "payload": {"line": 1}, "idempotency_key": "k1"}

    answers = await asyncio.gather(*(caller.post("events", **event) for _ in range(10)))

    kept = [answer for answer in answers if answer.status_code == 201]
    assert len(kept) == 1
    assert [answer.json() for answer in answers if answer.status_code == 200] == [{"deduped": True}] * 9
    told = opened(kept[0], "event", status=201)
    assert set(told) == {"id", "agent_id", "task_id", "type", "payload", "idempotency_key", "created_at"}
    assert {name: told[name] for name in event} == event
    assert listed(await caller.get("events"), "events") == [told]


async def test_events_are_listed_newest_first_and_narrowed(caller: Caller) -> None:
    for number, agent in enumerate(("ann", "bob", "ann")):
        answer = await caller.post("events", agent_id=agent, task_id=f"t{number}", type="log", payload=number)
        assert answer.status_code == 201

    async def told(**query: object) -> list[int]:
        return [event["payload"] for event in listed(await caller.get("events", params=query), "events")]

    assert await told() == [2, 1, 0]
    assert await told(agent_id="ann") == [2, 0]
    assert await told(task_id="t1") == [1]
    assert await told(agent_id="", limit=1) == [2]
    assert await told(agent_id="ann", task_id="", limit="") == [2, 0]
    refused(await caller.get("events", params={"limit": 0}), 400, "invalid_request")
    refused(await caller.post("events", agent_id="ann"), 400, "invalid_request")


async def test_health_is_open_and_another_method_is_answered_in_the_doors_words(caller: Caller) -> None:
    health = await caller.http.get("/health")

    assert (health.status_code, health.json()["ok"]) == (200, True)
    refused(await caller.http.delete("/v1/agents", headers=caller.headers), 405, "method_not_allowed")
    refused(await caller.http.patch("/v1/chains/x", headers=caller.headers), 405, "method_not_allowed")
    refused(await caller.get("nothing"), 404, "not_found")
