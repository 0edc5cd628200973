"""Channels, chains and tasks at the coordinator door."""

import asyncio
from datetime import timedelta
from uuid import UUID, uuid4

import pytest

from tests.api.coordinator.caller import Caller, Object, listed, opened, refused
from tests.engine.farm import LEASE_TIME, SECOND, Farm

CHANNEL = {"id", "name", "description", "created_at"}
CHAIN = {"id", "channel_id", "name", "description", "status", "owner_agent_id", "created_at", "updated_at"}
TASK = {
    *("id", "chain_id", "sequence", "channel_id", "title", "description", "status", "priority", "assigned_agent_id"),
    *("created_at", "claimed_at", "done_at", "updated_at"),
}
COUNTS = {"waiting", "in_progress", "done", "failed"}  # what Corral adds to a channel


async def titles(caller: Caller, agent: str, channel: Object, count: int) -> list[str | None]:
    claimed = [await caller.claim(agent, channel) for _ in range(count)]
    return [None if task is None else task["title"] for task in claimed]


async def test_channels_are_made_listed_and_found_by_name(caller: Caller) -> None:
    channel = opened(await caller.post("channels", name="a b/c", description="d"), "channel", status=201)

    assert set(channel) == CHANNEL | COUNTS
    assert listed(await caller.get("channels"), "channels") == [channel]
    assert opened(await caller.get("channels/by-name/a%20b%2Fc"), "channel") == channel
    refused(await caller.post("channels", name="a b/c"), 409, "conflict")
    refused(await caller.post("channels", name=""), 400, "invalid_request")
    refused(await caller.get("channels/by-name/other"), 404, "not_found")


async def test_chains_are_made_changed_and_deleted(caller: Caller) -> None:
    channel = await caller.given_channel()
    chain, _ = await caller.given_chain(channel, name="c", description="d", status="queued")
    path = f"chains/{chain['id']}"

    assert set(chain) == CHAIN
    assert (chain["status"], chain["owner_agent_id"]) == ("queued", None)
    assert opened(await caller.get(path), "chain") == chain
    changed = opened(await caller.put(path, name="e", description="", status="locked"), "chain")
    assert (changed["name"], changed["description"], changed["status"]) == ("e", "d", "locked")
    assert listed(await caller.get("chains", params={"channel_id": channel["id"]}), "chains") == [changed]
    assert listed(await caller.get("chains", params={"channel_id": str(uuid4())}), "chains") == []
    assert listed(await caller.get("chains"), "chains") == [changed]

    gone = await caller.delete(path)

    assert (gone.status_code, gone.content) == (204, b"")
    for answer in (await caller.get(path), await caller.put(path, name="x"), await caller.delete(path)):
        refused(answer, 404, "not_found")


async def test_what_a_chain_or_a_task_cannot_be_made_of_is_refused(caller: Caller) -> None:
    channel = await caller.given_channel()
    chain, _ = await caller.given_chain(channel)
    unknown = str(uuid4())

    refused(await caller.post("chains", name="c"), 400, "invalid_request")
    refused(await caller.post("chains", channel_id=unknown), 404, "not_found")
    refused(await caller.post("chains", channel_id="no id"), 404, "not_found")
    refused(await caller.post("chains", channel_id=channel["id"], status="done"), 400, "invalid_request")
    refused(await caller.post("tasks", channel_id=channel["id"]), 400, "invalid_request")
    refused(await caller.post("tasks", title="t"), 400, "invalid_request")
    refused(await caller.post("tasks", title="t", channel_id=unknown), 404, "not_found")
    refused(await caller.post("tasks", title="t", chain_id=unknown), 404, "not_found")
    refused(await caller.post("tasks", title="t", chain_id=chain["id"], channel_id=unknown), 404, "not_found")
    refused(await caller.post("tasks", title="t", chain_id=chain["id"], sequence=-1), 400, "invalid_request")
    refused(await caller.post("tasks", title="t", chain_id=chain["id"], status="done"), 400, "invalid_request")
    refused(await caller.get("tasks", params={"status": "lost"}), 400, "invalid_request")
    assert refused(await caller.put(f"chains/{chain['id']}", status="lost"), 400, "invalid_request")["path"] == "status"


async def test_a_task_has_a_chain_and_a_sequence_whoever_gives_them(caller: Caller) -> None:
    channel = await caller.given_channel()
    alone = await caller.given_task(channel_id=channel["id"], title="alone", chain_id="", sequence=None)
    chain, (first,) = await caller.given_chain(channel, "first")
    fifth = await caller.given_task(chain_id=chain["id"], sequence=5, description="d", priority=3)
    next_one = await caller.given_task(chain_id=chain["id"], channel_id=channel["id"])

    assert set(alone) == TASK | {"reason"}
    assert (alone["sequence"], alone["status"], alone["priority"], alone["done_at"]) == (1, "queued", 0, None)
    assert opened(await caller.get(f"chains/{alone['chain_id']}"), "chain")["name"] == "alone"
    assert [first["sequence"], fifth["sequence"], next_one["sequence"]] == [1, 5, 6]
    assert (fifth["description"], fifth["priority"]) == ("d", 3)
    refused(await caller.post("tasks", title="t", chain_id=chain["id"], sequence=5), 409, "conflict")
    between = await caller.given_task(chain_id=chain["id"], sequence=4)
    tasks = listed(await caller.get("tasks", params={"chain_id": chain["id"]}), "tasks")
    assert [task["id"] for task in tasks] == [first["id"], between["id"], fifth["id"], next_one["id"]]


async def test_tasks_are_narrowed_by_channel_and_status(caller: Caller) -> None:
    channel, other = await caller.given_channel(), await caller.given_channel("other")
    first = await caller.given_task(channel_id=channel["id"])
    await caller.given_task(channel_id=channel["id"])
    await caller.given_task(channel_id=other["id"])
    await caller.claim("ann", channel)

    async def count(**query: str) -> int:
        return len(listed(await caller.get("tasks", params=query), "tasks"))

    assert [await count(), await count(channel_id=channel["id"]), await count(channel_id="no id")] == [3, 2, 0]
    assert await count(status="in_progress") == 1
    assert await count(status="queued", channel_id=channel["id"]) == 1
    assert await count(status="done") == 0
    assert opened(await caller.get(f"tasks/{first['id']}"), "task")["status"] == "in_progress"
    refused(await caller.get(f"tasks/{uuid4()}"), 404, "not_found")


async def test_a_claim_takes_started_chains_first_then_priority_then_age(caller: Caller) -> None:
    channel = await caller.given_channel()
    older, _ = await caller.given_chain(channel)
    _, (own, _) = await caller.given_chain(channel, "own 1", "own 2")
    await caller.given_task(chain_id=older["id"], title="older")
    await caller.given_task(channel_id=channel["id"], title="late")
    await caller.given_task(channel_id=channel["id"], title="urgent", priority=5)
    opened(await caller.post("tasks/assign", task_id=own["id"], agent_id="ann"), "task")
    await caller.complete("ann", own)

    assert await titles(caller, "ann", channel, 5) == ["own 2", "urgent", "older", "late", None]


async def test_a_claim_finds_its_channel_by_name_too(caller: Caller) -> None:
    channel = await caller.given_channel("by name")
    task = await caller.given_task(channel_id=channel["id"])

    claimed = opened(await caller.post("tasks/claim", agent_id="ann", channel="by name", channel_id=""), "task")

    assert claimed["id"] == task["id"]
    assert (claimed["status"], claimed["assigned_agent_id"]) == ("in_progress", "ann")
    assert claimed["claimed_at"] is not None
    refused(await caller.post("tasks/claim", agent_id="ann", channel="by name"), 404, "no_tasks")
    refused(await caller.post("tasks/claim", agent_id="ann", channel="other"), 404, "not_found")
    refused(await caller.post("tasks/claim", agent_id="ann", channel_id=str(uuid4())), 404, "not_found")
    refused(await caller.post("tasks/claim", agent_id="ann"), 400, "invalid_request")
    refused(await caller.post("tasks/claim", channel="by name"), 400, "invalid_request")


async def test_the_same_key_claims_the_same_task_whatever_became_of_it(caller: Caller) -> None:
    channel = await caller.given_channel()
    for _ in range(3):
        await caller.given_task(channel_id=channel["id"])

    claims = await asyncio.gather(*(caller.claim("ann", channel, idempotency_key="k") for _ in range(8)))
    (task_id,) = {claim["id"] for claim in claims if claim is not None}
    done = await caller.complete("ann", {"id": task_id})

    assert await caller.claim("ann", channel, idempotency_key="k") == done
    other = await caller.claim("ann", channel, idempotency_key="k2")
    assert other is not None
    assert other["id"] != task_id


@pytest.mark.parametrize(("verb", "status"), [("complete", "done"), ("fail", "failed")])
async def test_a_task_ends_once_and_its_time_never_changes(caller: Caller, farm: Farm, verb: str, status: str) -> None:
    channel = await caller.given_channel()
    task = await caller.given_task(channel_id=channel["id"])
    await caller.claim("ann", channel)
    body = {"task_id": task["id"], "agent_id": "ann", "idempotency_key": "k", "reason": "because"}

    ended = opened(await caller.post(f"tasks/{verb}", **body), "task")
    await farm.clock.advance(timedelta(hours=1))
    repeated = await asyncio.gather(*(caller.post(f"tasks/{verb}", **body) for _ in range(5)))

    assert ended["status"] == status
    assert ended["done_at"] is not None
    assert [opened(answer, "task") for answer in repeated] == [ended] * 5
    other = "fail" if verb == "complete" else "complete"
    refused(await caller.post(f"tasks/{other}", **body), 409, "conflict")
    refused(await caller.post("tasks/assign", **body), 409, "conflict")
    assert opened(await caller.get(f"tasks/{task['id']}"), "task") == ended


async def test_only_a_task_in_progress_ends_and_only_by_whom_it_was_given_to(caller: Caller) -> None:
    channel = await caller.given_channel()
    task = await caller.given_task(channel_id=channel["id"])
    for verb in ("complete", "fail"):
        refused(await caller.post(f"tasks/{verb}", task_id=task["id"], agent_id="ann"), 409, "conflict")
        refused(await caller.post(f"tasks/{verb}", task_id=str(uuid4()), agent_id="ann"), 404, "not_found")
        refused(await caller.post(f"tasks/{verb}", task_id="no id", agent_id="ann"), 404, "not_found")
        refused(await caller.post(f"tasks/{verb}", task_id=task["id"]), 400, "invalid_request")
    await caller.claim("ann", channel)
    for verb in ("complete", "fail", "assign"):
        refused(await caller.post(f"tasks/{verb}", task_id=task["id"], agent_id="bob"), 409, "conflict")

    assert (await caller.complete("ann", task))["status"] == "done"


async def test_failing_a_task_that_failed_with_its_chain_is_harmless(caller: Caller, farm: Farm) -> None:
    channel = await caller.given_channel()
    _, (one, behind) = await caller.given_chain(channel, "one", "two")
    await caller.claim("ann", channel)
    opened(await caller.post("tasks/fail", task_id=one["id"], agent_id="ann"), "task")
    cancelled = await caller.given_task(channel_id=channel["id"])
    await farm.engine.runs.cancel_run((await farm.engine.jobs.get(UUID(cancelled["chain_id"]))).run_id)

    for task in (behind, cancelled):
        shown = opened(await caller.get(f"tasks/{task['id']}"), "task")
        assert shown["status"] == "failed"
        assert opened(await caller.post("tasks/fail", task_id=task["id"], agent_id="bob"), "task") == shown
        refused(await caller.post("tasks/complete", task_id=task["id"], agent_id="bob"), 409, "conflict")
    refused(await caller.post("tasks/fail", task_id=one["id"], agent_id="bob"), 409, "conflict")


async def test_many_who_end_one_task_at_once_agree_on_how_it_ended(caller: Caller) -> None:
    channel = await caller.given_channel()
    task = await caller.given_task(channel_id=channel["id"])
    await caller.claim("ann", channel)
    body = {"task_id": task["id"], "agent_id": "ann"}

    answers = await asyncio.gather(*(caller.post(f"tasks/{verb}", **body) for verb in ["complete", "fail"] * 5))

    won = {opened(answer, "task")["done_at"] for answer in answers if answer.status_code == 200}
    assert len(won) == 1
    assert sorted(answer.status_code for answer in answers) == [200] * 5 + [409] * 5


async def test_a_locked_task_is_moved_on_by_a_person_only(caller: Caller) -> None:
    channel = await caller.given_channel()
    locked = await caller.given_task(channel_id=channel["id"], status="locked")
    other = await caller.given_task(channel_id=channel["id"])
    aside = opened(await caller.put(f"tasks/{other['id']}", status="locked", priority=7, title="new"), "task")

    assert (locked["status"], aside["status"], aside["priority"], aside["title"]) == ("locked", "locked", 7, "new")
    assert await caller.claim("ann", channel) is None
    for verb in ("complete", "fail"):
        refused(await caller.post(f"tasks/{verb}", task_id=locked["id"], agent_id="ann"), 409, "conflict")
    refused(await caller.put(f"tasks/{other['id']}", status="done"), 400, "invalid_request")

    assigned = opened(await caller.post("tasks/assign", task_id=locked["id"], agent_id="bob"), "task")
    assert (assigned["status"], assigned["assigned_agent_id"]) == ("in_progress", "bob")
    assert opened(await caller.put(f"tasks/{other['id']}", status="queued"), "task")["status"] == "queued"
    assert await titles(caller, "ann", channel, 1) == ["new"]
    refused(await caller.put(f"tasks/{other['id']}", status="locked"), 409, "conflict")


async def test_a_chain_that_failed_takes_no_more_tasks(caller: Caller) -> None:
    channel = await caller.given_channel()
    chain, (one, two) = await caller.given_chain(channel, "one", "two")
    await caller.claim("ann", channel)
    opened(await caller.post("tasks/fail", task_id=one["id"], agent_id="ann", reason="no access"), "task")

    statuses = {task["id"]: (task["status"], task["reason"]) for task in listed(await caller.get("tasks"), "tasks")}
    assert statuses == {one["id"]: ("failed", "no access"), two["id"]: ("failed", "a task before it failed")}
    assert opened(await caller.get(f"chains/{chain['id']}"), "chain")["status"] == "failed"
    refused(await caller.post("tasks", title="three", chain_id=chain["id"]), 409, "conflict")


async def test_heartbeats_keep_a_task_and_silence_gives_it_back(caller: Caller, farm: Farm) -> None:
    channel = await caller.given_channel()
    await farm.let_verdicts_open()
    task = await caller.given_task(channel_id=channel["id"])
    await caller.claim("ann", channel)
    for _ in range(9):
        await farm.pass_time(10 * SECOND)
        await caller.post("agents/heartbeat", agent_id="ann")
        await farm.run_upkeep()
    assert opened(await caller.get(f"tasks/{task['id']}"), "task")["assigned_agent_id"] == "ann"

    await farm.pass_time(LEASE_TIME + SECOND)
    await farm.run_upkeep()

    waiting = opened(await caller.get(f"tasks/{task['id']}"), "task")
    assert (waiting["status"], waiting["assigned_agent_id"], waiting["claimed_at"]) == ("queued", None, None)
    refused(await caller.post("tasks/complete", task_id=task["id"], agent_id="ann"), 409, "conflict")
    again = await caller.claim("bob", channel)
    assert again is not None
    assert again["id"] == task["id"]


async def test_the_dashboard_tells_all_and_is_a_second_old_at_most(caller: Caller) -> None:
    channel = await caller.given_channel()
    chain, (task,) = await caller.given_chain(channel, "one")
    await caller.post("agents/heartbeat", agent_id="ann")
    for number in range(61):
        await caller.post("events", type="log", payload=number)

    told = (await caller.get("dashboard")).json()
    await caller.post("events", type="log", payload="later")

    assert list(told) == ["agents", "channels", "chains", "tasks", "events"]
    assert [told["agents"][0]["id"], told["chains"][0]["id"], told["tasks"][0]["id"]] == [
        "ann",
        chain["id"],
        task["id"],
    ]
    assert told["channels"][0]["waiting"] == 1
    assert [event["payload"] for event in told["events"]] == list(range(60, 0, -1))
    assert (await caller.get("dashboard")).json() == told


async def test_a_chain_is_a_run_that_cannot_be_run_again(caller: Caller) -> None:
    channel = await caller.given_channel()
    task = await caller.given_task(channel_id=channel["id"], title="alone")
    await caller.claim("ann", channel)
    await caller.complete("ann", task)
    (run,) = (await caller.http.get("/api/runs", headers=caller.headers)).json()["runs"]

    assert (run["name"], run["status"]) == ("alone", "succeeded")
    for verb in ("retry", "replay"):
        answer = await caller.http.post(f"/api/runs/{run['run_id']}/{verb}", headers=caller.headers, json={})
        refused(answer, 409, "conflict")
