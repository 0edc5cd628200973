"""The coordinator door's words: channels, chains and tasks."""

import asyncio
from datetime import timedelta
from uuid import UUID, uuid4

import pytest

from corral.model.coordinator import Chain, Channel, Place, Task, TaskStatus
from corral.model.errors import ConflictError, NotFoundError
from tests.engine.farm import LEASE_TIME, SECOND, Farm
from tests.engine.reads import reads_of


async def given_chain(farm: Farm, channel: Channel, *titles: str) -> tuple[Chain, list[Task]]:
    chain = await farm.engine.chains.create_chain(channel.id, name="a chain")
    tasks = [await farm.engine.tasks.append_task(title, chain_id=chain.id) for title in titles]
    return chain, tasks


async def given_channel(farm: Farm) -> Channel:
    return await farm.engine.channels.create_channel("work")


async def claim(farm: Farm, agent: str, channel: Channel) -> Task:
    task = await farm.engine.tasks.claim_task(agent, channel_id=channel.id)
    assert task is not None
    return task


async def claimed_title(farm: Farm, agent: str, channel: Channel) -> str | None:
    task = await farm.engine.tasks.claim_task(agent, channel_id=channel.id)
    return None if task is None else task.title


async def status_of(farm: Farm, chain: Chain) -> TaskStatus:
    return (await farm.engine.chains.get(chain.id)).status


async def statuses_in(farm: Farm, chain: Chain) -> list[str]:
    return [task.status for task in await farm.engine.tasks.list(chain_id=chain.id)]


async def tasks_told_since(farm: Farm, place: Place) -> list[UUID]:
    changes = await farm.engine.changes.list_changes(place)
    return [UUID(change.object_id) for change in changes if change.topic == "tasks"]


async def test_channels_are_found_by_name_and_their_names_are_unique(farm: Farm) -> None:
    channel = await farm.engine.channels.create_channel("reviews", description="look twice")

    assert await farm.engine.channels.find_by_name("reviews") == channel
    assert await farm.engine.channels.get(channel.id) == channel
    assert await farm.engine.channels.list() == [channel]
    with pytest.raises(ConflictError):
        await farm.engine.channels.create_channel("reviews")
    with pytest.raises(NotFoundError):
        await farm.engine.channels.find_by_name("nobody")


async def test_the_tasks_of_a_chain_are_done_in_order(farm: Farm) -> None:
    channel = await given_channel(farm)
    chain, _ = await given_chain(farm, channel, "one", "two", "three")
    tasks = farm.engine.tasks

    one = await claim(farm, "ann", channel)
    assert await claimed_title(farm, "bob", channel) is None
    await tasks.complete_task("ann", one.id)
    assert (await farm.engine.chains.get(chain.id)).owner_agent_id == "ann"
    two = await claim(farm, "bob", channel)
    await tasks.complete_task("bob", two.id)

    assert (one.title, two.title, await claimed_title(farm, "ann", channel)) == ("one", "two", "three")
    assert await statuses_in(farm, chain) == ["done", "done", "in_progress"]


async def test_a_chain_tells_how_far_it_has_come_and_goes_on_with_every_task_that_is_added(farm: Farm) -> None:
    channel = await given_channel(farm)
    chain, (one,) = await given_chain(farm, channel, "one")
    tasks = farm.engine.tasks
    assert await status_of(farm, chain) == "queued"
    await tasks.assign_task("ann", one.id)
    assert await status_of(farm, chain) == "in_progress"
    await tasks.complete_task("ann", one.id)
    assert await status_of(farm, chain) == "done"

    two = await tasks.append_task("two", chain_id=chain.id)
    assert (two.sequence, two.status, await status_of(farm, chain)) == (2, "queued", "in_progress")
    with pytest.raises(ConflictError, match="not done"):
        await farm.engine.chains.update_chain(chain.id, status=TaskStatus.DONE)
    await tasks.complete_task("ann", (await tasks.assign_task("ann", two.id)).id)
    closed = await farm.engine.chains.update_chain(chain.id, status=TaskStatus.DONE)

    assert closed.status == "done"
    with pytest.raises(ConflictError, match="closed"):
        await tasks.append_task("three", chain_id=chain.id)
    assert (await farm.engine.jobs.get(chain.id)).status == "succeeded"


async def test_a_task_without_a_chain_gets_one_of_its_own_which_ends_with_it(farm: Farm) -> None:
    channel = await given_channel(farm)

    task = await farm.engine.tasks.append_task("alone", channel_id=channel.id)
    more = await farm.engine.tasks.append_task("not quite", chain_id=task.chain_id)
    for _ in range(2):
        await farm.engine.tasks.complete_task("ann", (await claim(farm, "ann", channel)).id)

    (chain,) = await farm.engine.chains.list(channel_id=channel.id)
    assert (chain.id, chain.name, chain.status, more.sequence) == (task.chain_id, "alone", "done", 2)
    assert (await farm.engine.jobs.get(chain.id)).status == "succeeded"


async def test_a_taken_sequence_is_refused_and_a_free_one_comes_where_it_belongs(farm: Farm) -> None:
    channel = await given_channel(farm)
    chain, _ = await given_chain(farm, channel)
    tasks = farm.engine.tasks

    for title, sequence in (("five", 5), ("six", None), ("two", 2), ("three", 3)):
        await tasks.append_task(title, chain_id=chain.id, sequence=sequence)

    assert [task.sequence for task in await tasks.list(chain_id=chain.id)] == [2, 3, 5, 6]
    with pytest.raises(ConflictError, match="sequence 5 is taken"):
        await tasks.append_task("again", chain_id=chain.id, sequence=5)
    with pytest.raises(NotFoundError):
        await tasks.append_task("lost", chain_id=uuid4())
    with pytest.raises(NotFoundError):
        await tasks.append_task("lost", channel_id=uuid4())
    with pytest.raises(NotFoundError):
        await tasks.append_task("lost", channel_id=uuid4(), chain_id=chain.id)
    done = []
    for _ in range(4):
        task = await claim(farm, "ann", channel)
        done.append(task.title)
        await tasks.complete_task("ann", task.id)
    assert done == ["two", "three", "five", "six"]


async def test_a_task_put_before_one_in_progress_is_done_before_the_next(farm: Farm) -> None:
    channel = await given_channel(farm)
    chain, _ = await given_chain(farm, channel)
    tasks = farm.engine.tasks
    five = await tasks.append_task("five", chain_id=chain.id, sequence=5)
    await tasks.append_task("nine", chain_id=chain.id, sequence=9)
    await tasks.assign_task("ann", five.id)

    await tasks.append_task("one", chain_id=chain.id, sequence=1)
    await tasks.append_task("seven", chain_id=chain.id, sequence=7)

    assert await claimed_title(farm, "bob", channel) == "one"
    assert await claimed_title(farm, "bob", channel) is None
    await tasks.complete_task("ann", five.id)
    assert await claimed_title(farm, "bob", channel) == "seven"
    assert await claimed_title(farm, "bob", channel) is None


async def test_chains_in_progress_come_first_and_ones_own_before_all(farm: Farm) -> None:
    channel = await given_channel(farm)
    tasks = farm.engine.tasks
    _, bobs = await given_chain(farm, channel, "bob 1", "bob 2")
    _, anns = await given_chain(farm, channel, "ann 1", "ann 2")
    for agent, (first, _) in (("bob", bobs), ("ann", anns)):
        await tasks.assign_task(agent, first.id)
        await tasks.complete_task(agent, first.id)
    await tasks.append_task("fresh", channel_id=channel.id)
    await tasks.append_task("urgent", channel_id=channel.id, priority=9)

    assert await claimed_title(farm, "ann", channel) == "ann 2"
    assert await claimed_title(farm, "ann", channel) == "bob 2"
    assert [await claimed_title(farm, "eve", channel) for _ in range(3)] == ["urgent", "fresh", None]


async def test_the_oldest_queued_chain_comes_first_whenever_its_first_task_was_added(farm: Farm) -> None:
    channel = await given_channel(farm)
    older, _ = await given_chain(farm, channel)
    await given_chain(farm, channel, "younger")
    await farm.engine.tasks.append_task("older", chain_id=older.id)

    assert [await claimed_title(farm, "ann", channel) for _ in range(2)] == ["older", "younger"]


async def test_the_same_key_claims_the_same_task_also_at_the_same_time(farm: Farm) -> None:
    channel = await given_channel(farm)
    for n in range(5):
        await farm.engine.tasks.append_task(f"task {n}", channel_id=channel.id)

    async def claim_again(agent: str) -> UUID:
        task = await farm.engine.tasks.claim_task(agent, channel_id=channel.id, idempotency_key="k1")
        assert task is not None
        return task.id

    anns = set(await asyncio.gather(*(claim_again("ann") for _ in range(10))))
    (ann,) = anns
    assert await claim_again("bob") != ann
    await farm.engine.tasks.complete_task("ann", ann)

    assert await claim_again("ann") == ann
    assert (await farm.engine.tasks.get(ann)).status == "done"


async def test_old_keys_are_forgotten(farm: Farm) -> None:
    channel = await given_channel(farm)
    await farm.engine.tasks.append_task("alone", channel_id=channel.id)
    await farm.engine.tasks.claim_task("ann", channel_id=channel.id, idempotency_key="k1")

    assert await farm.engine.upkeep.purge_task_claims(LEASE_TIME) == 0
    await farm.clock.advance(LEASE_TIME + SECOND)
    assert await farm.engine.upkeep.purge_task_claims(LEASE_TIME) == 1


async def test_whoever_claims_is_known_from_then_on(farm: Farm) -> None:
    channel = await given_channel(farm)
    assert await claimed_title(farm, "any name: at all/☂", channel) is None

    (agent,) = await farm.engine.agents.list()

    assert (agent.id, agent.status, agent.worker_status) == ("any name: at all/☂", "idle", "online")
    with pytest.raises(NotFoundError):
        await farm.engine.tasks.claim_task("ann", channel_id=uuid4())


async def test_only_a_task_in_progress_moves_and_only_by_its_agent(farm: Farm) -> None:
    channel = await given_channel(farm)
    _, (one, two) = await given_chain(farm, channel, "one", "two")
    tasks = farm.engine.tasks
    with pytest.raises(ConflictError, match="not in progress"):
        await tasks.complete_task("ann", one.id)
    with pytest.raises(ConflictError, match="before it"):
        await tasks.assign_task("ann", two.id)

    await tasks.assign_task("ann", one.id)
    assert (await tasks.assign_task("ann", one.id)).assigned_agent_id == "ann"
    with pytest.raises(ConflictError, match="ann's"):
        await tasks.assign_task("bob", one.id)
    with pytest.raises(ConflictError, match="ann's"):
        await tasks.complete_task("bob", one.id)
    done = await tasks.complete_task("ann", one.id)
    await farm.clock.advance(SECOND)

    assert await tasks.complete_task("ann", one.id) == done
    with pytest.raises(ConflictError):
        await tasks.fail_task("ann", one.id)
    with pytest.raises(ConflictError, match="ended"):
        await tasks.assign_task("ann", one.id)
    assert await tasks.get(one.id) == done


async def test_a_failed_task_fails_its_chain_and_what_is_behind_it(farm: Farm) -> None:
    channel = await given_channel(farm)
    chain, (one, two) = await given_chain(farm, channel, "one", "two")
    tasks = farm.engine.tasks
    await tasks.assign_task("ann", one.id)

    failed = await tasks.fail_task("ann", one.id, reason="no access")

    assert (failed.status, failed.reason) == ("failed", "no access")
    assert await tasks.fail_task("ann", one.id, reason="another") == failed
    behind = await tasks.get(two.id)
    assert (behind.status, behind.reason, behind.assigned_agent_id) == ("failed", "a task before it failed", None)
    assert await status_of(farm, chain) == "failed"
    with pytest.raises(ConflictError, match="closed"):
        await tasks.append_task("three", chain_id=chain.id)


async def test_a_dead_agents_task_returns_to_the_queue_and_a_beating_ones_does_not(farm: Farm) -> None:
    channel = await given_channel(farm)
    await farm.let_verdicts_open()
    for title in ("one", "two"):
        await farm.engine.tasks.append_task(title, channel_id=channel.id)
    dead = await claim(farm, "dead", channel)
    alive = await claim(farm, "alive", channel)

    for _ in range(7):
        await farm.pass_time(timedelta(seconds=10))
        await farm.engine.agents.heartbeat_agent("alive")
        await farm.run_upkeep()

    lost = await farm.engine.tasks.get(dead.id)
    assert (lost.status, lost.assigned_agent_id, lost.claimed_at) == ("queued", None, None)
    assert (await farm.engine.tasks.get(alive.id)).status == "in_progress"
    assert (await farm.engine.agents.get("dead")).worker_status == "offline"
    with pytest.raises(ConflictError, match="not in progress"):
        await farm.engine.tasks.complete_task("dead", dead.id)
    assert (await claim(farm, "alive", channel)).id == dead.id


async def test_a_task_that_is_lost_too_often_fails_its_chain_and_streams_hear_of_what_is_behind_it(farm: Farm) -> None:
    channel = await given_channel(farm)
    await farm.let_verdicts_open()
    chain, (one, two) = await given_chain(farm, channel, "one", "two")
    here = await farm.engine.changes.find_stream_end()

    for n in range(10):
        assert (await claim(farm, f"mayfly {n}", channel)).id == one.id
        here = await farm.engine.changes.find_stream_end()
        await farm.pass_time(LEASE_TIME + 10 * SECOND)
        await farm.run_upkeep()

    assert (await status_of(farm, chain), await statuses_in(farm, chain)) == ("failed", ["failed", "failed"])
    assert await tasks_told_since(farm, here) == [one.id, two.id]
    job = await farm.engine.jobs.get(chain.id)
    assert (job.status, (await farm.run(job.run_id)).status) == ("failed", "failed")
    with pytest.raises(ConflictError, match="closed"):
        await farm.engine.tasks.append_task("three", chain_id=chain.id)


async def test_a_chain_that_waits_for_its_last_task_after_a_cancel_is_told_of_once(farm: Farm) -> None:
    channel = await given_channel(farm)
    chain, (one, two) = await given_chain(farm, channel, "one", "two")
    await farm.engine.tasks.assign_task("ann", one.id)
    run_id = (await farm.engine.jobs.get(chain.id)).run_id
    here = await farm.engine.changes.find_stream_end()

    await farm.engine.runs.cancel_run(run_id)
    told = await tasks_told_since(farm, here)
    here = await farm.engine.changes.find_stream_end()
    for _ in range(3):
        await farm.run_upkeep()

    assert told == [two.id]
    assert await farm.engine.changes.list_changes(here) == []
    await farm.engine.tasks.complete_task("ann", one.id)
    assert await tasks_told_since(farm, here) == [one.id]
    assert (await farm.run(run_id)).status == "cancelled"


async def test_a_locked_task_is_claimed_by_nobody_and_assigned_by_hand(farm: Farm) -> None:
    channel = await given_channel(farm)
    tasks = farm.engine.tasks
    locked = await tasks.append_task("aside", channel_id=channel.id, is_locked=True)
    other = await tasks.append_task("other", channel_id=channel.id)
    other = await tasks.update_task(other.id, status=TaskStatus.LOCKED)
    assert (locked.status, other.status) == ("locked", "locked")
    assert await claimed_title(farm, "ann", channel) is None

    assert (await tasks.update_task(other.id, status=TaskStatus.QUEUED)).status == "queued"

    assert await claimed_title(farm, "ann", channel) == "other"
    assert (await tasks.assign_task("bob", locked.id)).status == "in_progress"
    with pytest.raises(ConflictError, match="wait"):
        await tasks.update_task(locked.id, status=TaskStatus.LOCKED)


async def test_a_locked_task_stays_so_when_its_turn_comes(farm: Farm) -> None:
    channel = await given_channel(farm)
    chain, (one,) = await given_chain(farm, channel, "one")
    tasks = farm.engine.tasks
    two = await tasks.append_task("two", chain_id=chain.id, is_locked=True)
    await tasks.complete_task("ann", (await claim(farm, "ann", channel)).id)

    assert await claimed_title(farm, "ann", channel) is None
    assert await statuses_in(farm, chain) == ["done", "locked"]
    await tasks.update_task(two.id, status=TaskStatus.QUEUED, title="second")
    assert await claimed_title(farm, "ann", channel) == "second"
    assert one.sequence == 1


async def test_nobody_claims_from_a_locked_chain_not_even_what_a_dead_agent_left(farm: Farm) -> None:
    channel = await given_channel(farm)
    await farm.let_verdicts_open()
    chain, _ = await given_chain(farm, channel, "one", "two")
    await claim(farm, "dead", channel)
    assert (await farm.engine.chains.update_chain(chain.id, status=TaskStatus.LOCKED)).status == "locked"
    aside = await farm.engine.tasks.append_task("three", chain_id=chain.id, is_locked=True)

    await farm.pass_time(LEASE_TIME + 10 * SECOND)
    await farm.run_upkeep()
    assert await claimed_title(farm, "ann", channel) is None
    opened = await farm.engine.chains.update_chain(chain.id, status=TaskStatus.QUEUED, name="renamed")

    assert (opened.status, opened.name) == ("queued", "renamed")
    for title in ("one", "two"):
        task = await claim(farm, "ann", channel)
        assert task.title == title
        await farm.engine.tasks.complete_task("ann", task.id)
    assert await claimed_title(farm, "ann", channel) is None
    assert (await farm.engine.tasks.get(aside.id)).status == "locked"


async def test_a_chain_is_given_up_while_nothing_of_it_is_in_progress(farm: Farm) -> None:
    channel = await given_channel(farm)
    chain, (one, _) = await given_chain(farm, channel, "one", "two")
    chains = farm.engine.chains
    await farm.engine.tasks.assign_task("ann", one.id)
    with pytest.raises(ConflictError, match="in progress"):
        await chains.update_chain(chain.id, status=TaskStatus.FAILED)
    await farm.engine.tasks.complete_task("ann", one.id)

    assert (await chains.update_chain(chain.id, status=TaskStatus.FAILED)).status == "failed"

    assert await statuses_in(farm, chain) == ["done", "failed"]
    for status in (TaskStatus.QUEUED, TaskStatus.LOCKED, TaskStatus.DONE):
        with pytest.raises(ConflictError, match="already"):
            await chains.update_chain(chain.id, status=status)
    empty, _ = await given_chain(farm, channel)
    with pytest.raises(ConflictError, match="nothing is left"):
        await chains.update_chain(empty.id, status=TaskStatus.FAILED)
    with pytest.raises(NotFoundError):
        await chains.update_chain(uuid4(), name="nobody")


async def test_a_deleted_chain_takes_its_tasks_along(farm: Farm) -> None:
    channel = await given_channel(farm)
    chain, (one, _) = await given_chain(farm, channel, "one", "two")
    await farm.engine.tasks.claim_task("ann", channel_id=channel.id, idempotency_key="k")
    with pytest.raises(ConflictError, match="in progress"):
        await farm.engine.chains.delete_chain(chain.id)
    await farm.engine.tasks.complete_task("ann", one.id)

    await farm.engine.chains.delete_chain(chain.id, actor="eve")

    for ask in (farm.engine.chains.get(chain.id), farm.engine.tasks.get(one.id)):
        with pytest.raises(NotFoundError):
            await ask
    assert await farm.engine.tasks.list(channel_id=channel.id) == []
    assert await farm.engine.tasks.claim_task("ann", channel_id=channel.id, idempotency_key="k") is None
    with pytest.raises(NotFoundError):
        await farm.engine.chains.delete_chain(chain.id)


async def test_what_is_listed_begins_with_what_is_left_to_do(farm: Farm) -> None:
    channel = await given_channel(farm)
    tasks = farm.engine.tasks
    for n in range(4):
        await tasks.append_task(f"task {n}", channel_id=channel.id)
    for _ in range(2):
        await tasks.complete_task("ann", (await claim(farm, "ann", channel)).id)
    await claim(farm, "ann", channel)

    listed = await tasks.list(channel_id=channel.id)

    assert [task.title for task in listed] == ["task 2", "task 3", "task 1", "task 0"]
    assert [task.title for task in await tasks.list(status=TaskStatus.DONE)] == ["task 1", "task 0"]
    assert [task.title for task in await tasks.list(status=TaskStatus.QUEUED)] == ["task 3"]
    assert [task.title for task in await tasks.list(limit=1)] == ["task 2"]
    (counted,) = await farm.engine.channels.list()
    assert (counted.waiting, counted.in_progress, counted.done, counted.failed) == (1, 1, 2, 0)


async def test_what_ended_is_not_read_to_list_what_has_not(new_farm: Farm) -> None:
    channel = await given_channel(new_farm)
    tasks = new_farm.engine.tasks
    for n in range(30):
        task = await tasks.append_task(f"task {n}", channel_id=channel.id)
        await tasks.complete_task("ann", (await tasks.assign_task("ann", task.id)).id)
    left = await tasks.append_task("left", channel_id=channel.id)

    async with new_farm.engine.database.own_connection() as session:
        await session.execute("set enable_seqscan = off")  # so few rows are not worth an index
        for status in ("queued", "in_progress", "locked"):
            reads = await reads_of(session, "select * from corral.fn_list_tasks(null, null, $1, 1000)", status)
            assert [row["task_id"] for row in reads.rows] == ([left.id] if status == "queued" else [])
            assert reads.rows_read.get("job_steps", 0) < 10


async def test_chains_that_lie_idle_are_closed_and_purged_with_the_runs(farm: Farm) -> None:
    channel = await given_channel(farm)
    chain, (one,) = await given_chain(farm, channel, "one")
    busy, _ = await given_chain(farm, channel, "waiting")
    await farm.engine.tasks.assign_task("ann", one.id)
    await farm.engine.tasks.complete_task("ann", one.id)
    day = timedelta(days=1)

    assert await farm.engine.upkeep.close_idle_chains(day) == 0
    await farm.clock.advance(day + SECOND)
    assert await farm.engine.upkeep.close_idle_chains(day) == 1
    assert await farm.engine.upkeep.purge_runs(day) == 0
    await farm.clock.advance(day + SECOND)
    assert await farm.engine.upkeep.purge_runs(day) == 1

    assert [each.id for each in await farm.engine.chains.list()] == [busy.id]
    with pytest.raises(NotFoundError):
        await farm.engine.tasks.get(one.id)
    assert chain.id != busy.id
