"""Agents and what they tell, and the stream of what changes."""

import asyncio
from datetime import timedelta

import asyncpg
import pytest

from corral.model.coordinator import Place
from corral.model.errors import NotFoundError
from corral.model.states import AgentStatus
from tests.engine.farm import SECOND, Farm

DAY = timedelta(days=1)


async def told_since(farm: Farm, place: Place) -> list[tuple[str, str]]:
    return [(change.topic, change.object_id) for change in await farm.engine.changes.list_changes(place)]


async def test_a_heartbeat_makes_an_agent_known_and_keeps_what_it_does_not_say(farm: Farm) -> None:
    agents = farm.engine.agents
    first = await agents.heartbeat_agent(
        "ann", name="Ann", status=AgentStatus.RUNNING, current_task_id="t1", meta={"a": 1}
    )
    await farm.clock.advance(SECOND)
    second = await agents.heartbeat_agent("ann")

    assert (first.name, first.status, first.current_task_id, first.meta) == ("Ann", "running", "t1", {"a": 1})
    assert (second.name, second.status, second.current_task_id, second.meta) == ("Ann", "running", None, {"a": 1})
    assert second.created_at == first.created_at
    assert first.last_seen is not None
    assert second.last_seen is not None
    assert second.last_seen >= first.last_seen + SECOND
    with pytest.raises(NotFoundError):
        await agents.get("bob")


async def test_an_agent_is_offline_after_half_a_minute_of_silence_and_streams_hear_of_it_once(farm: Farm) -> None:
    await farm.engine.agents.heartbeat_agent("ann")
    here = await farm.engine.changes.find_stream_end()
    await farm.clock.advance(timedelta(seconds=20))
    assert (await farm.engine.agents.get("ann")).worker_status == "online"
    assert await farm.engine.upkeep.notice_silent_agents() == 0

    await farm.clock.advance(timedelta(seconds=11))

    assert (await farm.engine.agents.get("ann")).worker_status == "offline"
    assert [await farm.engine.upkeep.notice_silent_agents() for _ in range(2)] == [1, 0]
    await farm.engine.agents.heartbeat_agent("ann")
    assert await told_since(farm, here) == [("agents", "ann"), ("agents", "ann")]


async def test_a_heartbeat_that_says_nothing_new_is_no_news(farm: Farm) -> None:
    await farm.engine.agents.heartbeat_agent("ann", status=AgentStatus.IDLE)
    here = await farm.engine.changes.find_stream_end()

    await farm.engine.agents.heartbeat_agent("ann", status=AgentStatus.IDLE)
    assert await told_since(farm, here) == []
    await farm.engine.agents.heartbeat_agent("ann", status=AgentStatus.WAITING)
    assert await told_since(farm, here) == [("agents", "ann")]


async def test_the_current_task_is_what_the_agent_says_or_what_it_was_given(farm: Farm) -> None:
    channel = await farm.engine.channels.create_channel("work")
    task = await farm.engine.tasks.append_task("one", channel_id=channel.id)
    await farm.engine.agents.heartbeat_agent("ann")
    assert await farm.engine.tasks.find_current_task("ann") is None

    await farm.engine.tasks.claim_task("ann", channel_id=channel.id)

    assert (await farm.engine.agents.get("ann")).current_task_id == str(task.id)
    assert (await farm.engine.agents.heartbeat_agent("ann", current_task_id="mine")).current_task_id == "mine"
    current = await farm.engine.tasks.find_current_task("ann")
    assert current is not None
    assert current.id == task.id


async def test_an_event_with_a_key_is_kept_once_however_many_send_it(farm: Farm) -> None:
    agents = farm.engine.agents

    kept = await asyncio.gather(
        *(agents.record_agent_event("log", agent_id=f"a{n}", payload={"n": n}, idempotency_key="k") for n in range(8))
    )
    await agents.record_agent_event("log", agent_id="a0", task_id="t")

    assert [event is not None for event in kept].count(True) == 1
    assert len(await agents.list_events()) == 2
    assert next(event.task_id for event in await agents.list_events(agent_id="a0")) == "t"
    assert len(await agents.list_events(task_id="t", limit=5)) == 1


async def test_agents_and_their_events_are_forgotten_by_age_unless_they_hold_a_task(farm: Farm) -> None:
    channel = await farm.engine.channels.create_channel("work")
    await farm.engine.tasks.append_task("one", channel_id=channel.id)
    await farm.engine.agents.heartbeat_agent("idle")
    await farm.engine.tasks.claim_task("busy", channel_id=channel.id)
    await farm.engine.agents.record_agent_event("log", idempotency_key="k")
    upkeep = farm.engine.upkeep
    assert (await upkeep.purge_agents(DAY), await upkeep.purge_agent_events(DAY)) == (0, 0)

    await farm.clock.advance(DAY + SECOND)

    assert (await upkeep.purge_agents(DAY), await upkeep.purge_agent_events(DAY)) == (1, 1)
    assert [agent.id for agent in await farm.engine.agents.list()] == ["busy"]
    assert await farm.engine.agents.record_agent_event("log", idempotency_key="k") is not None


async def test_a_stream_waits_for_a_transaction_under_way_and_then_misses_nothing(farm: Farm, farm_dsn: str) -> None:
    """Numbers are given out before commits: what was numbered first may be committed last."""
    here = await farm.engine.changes.find_stream_end()
    slow = await asyncpg.connect(farm_dsn)
    try:
        transaction = slow.transaction()
        await transaction.start()
        await slow.execute("select corral.fn_note_changes('agents', array['slow'])")
        await farm.engine.agents.heartbeat_agent("quick")
        assert await told_since(farm, here) == []

        await transaction.commit()
    finally:
        await slow.close()

    assert await told_since(farm, here) == [("agents", "slow"), ("agents", "quick")]


async def test_a_place_that_was_forgotten_is_known_for_it_and_the_last_one_stays(farm: Farm) -> None:
    changes = farm.engine.changes
    places = []
    for name in ("ann", "bob"):
        await farm.engine.agents.heartbeat_agent(name)
        places.append(await changes.find_stream_end())
    await farm.clock.advance(DAY)

    assert [await changes.is_in_stream(place) for place in places] == [True, True]
    assert await farm.engine.upkeep.purge_changes(timedelta(hours=1)) == 1
    assert [await changes.is_in_stream(place) for place in places] == [False, True]
    assert not await changes.is_in_stream(Place(2**60, 1))


async def test_what_another_cluster_wrote_is_no_place_to_go_on_from(farm: Farm) -> None:
    """A database that was copied as text brings numbers of transactions along that lie in its future."""
    await farm.engine.database.fetch(
        "insert into corral.changes (written_by, topic, object_id, at) values (1::bigint << 40, 'agents', 'x', corral.fn_now())"
    )
    (foreign,) = await farm.engine.database.fetch("select written_by, change_id from corral.changes")
    place = Place(foreign["written_by"], foreign["change_id"])

    assert not await farm.engine.changes.is_in_stream(place)
    assert await farm.engine.changes.find_stream_end() == Place(0, 0)
    assert await farm.engine.upkeep.purge_changes(DAY) == 1


async def test_streams_hear_of_everything_that_becomes_of_a_chain(farm: Farm) -> None:
    channel = await farm.engine.channels.create_channel("work")
    here = await farm.engine.changes.find_stream_end()
    chain = await farm.engine.chains.create_chain(channel.id, name="c")
    one, two = [await farm.engine.tasks.append_task(title, chain_id=chain.id) for title in ("one", "two")]
    await farm.engine.tasks.assign_task("ann", one.id)
    await farm.engine.tasks.fail_task("ann", one.id)
    await farm.engine.chains.delete_chain(chain.id)

    changes = await farm.engine.changes.list_changes(here)

    assert [(change.topic, change.object_id) for change in changes] == [
        ("chains", str(chain.id)),
        ("tasks", str(one.id)),
        ("tasks", str(two.id)),
        ("agents", "ann"),
        ("tasks", str(one.id)),
        ("tasks", str(one.id)),
        ("tasks", str(two.id)),
        *(("tasks", task) for task in sorted([str(one.id), str(two.id)])),
        ("chains", str(chain.id)),
    ]
    assert [change.is_gone for change in changes] == [False] * 7 + [True] * 3
