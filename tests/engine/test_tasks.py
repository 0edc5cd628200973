"""The coordinator door's words: channels, chains and tasks."""

import asyncio
from uuid import uuid4

import pytest

from corral.model.errors import ConflictError, NotFoundError, UnknownNodeError
from corral.model.records import Chain, Channel, Step
from tests.engine.farm import LEASE_TIME, SECOND, Farm


async def given_chain(farm: Farm, channel: Channel, *titles: str) -> tuple[Chain, list[Step]]:
    chain = await farm.engine.tasks.create_chain(channel.channel_id, name="a chain")
    tasks = [await farm.engine.tasks.append_task(title, chain_id=chain.chain_id) for title in titles]
    return chain, tasks


async def given_channel(farm: Farm, *agents: str) -> Channel:
    for agent in agents:
        await farm.given_node(agent)
    return await farm.engine.channels.create_channel("work")


async def claimed_title(farm: Farm, agent: str, channel: Channel) -> str | None:
    task = await farm.engine.tasks.claim_task(agent, channel_id=channel.channel_id)
    return None if task is None else task.title


async def test_channels_are_found_by_name_and_their_names_are_unique(farm: Farm) -> None:
    channel = await farm.engine.channels.create_channel("reviews", description="look twice")

    assert await farm.engine.channels.find("reviews") == channel
    assert await farm.engine.channels.get(channel.channel_id) == channel
    assert await farm.engine.channels.list() == [channel]
    with pytest.raises(ConflictError):
        await farm.engine.channels.create_channel("reviews")
    with pytest.raises(NotFoundError):
        await farm.engine.channels.find("nobody")


async def test_the_tasks_of_a_chain_are_done_in_order(farm: Farm) -> None:
    channel = await given_channel(farm, "ann", "bob")
    chain, _ = await given_chain(farm, channel, "one", "two", "three")
    tasks = farm.engine.tasks

    one = await tasks.claim_task("ann", channel_id=channel.channel_id)
    assert one is not None
    assert await claimed_title(farm, "bob", channel) is None
    await tasks.complete_task("ann", one)
    assert (await tasks.get_chain(chain.chain_id)).owner_node_id == "ann"
    two = await tasks.claim_task("bob", channel_id=channel.channel_id)
    assert two is not None
    await tasks.complete_task("bob", two)

    assert (one.title, two.title, await claimed_title(farm, "ann", channel)) == ("one", "two", "three")


async def test_an_open_chain_waits_for_more_and_a_closed_one_ends(farm: Farm) -> None:
    channel = await given_channel(farm, "ann")
    chain, (one,) = await given_chain(farm, channel, "one")
    tasks = farm.engine.tasks
    await tasks.complete_task("ann", await tasks.assign_task("ann", one))
    assert (await tasks.get_chain(chain.chain_id)).status == "running"

    two = await tasks.append_task("two", chain_id=chain.chain_id)
    assert (two.name, two.status) == ("2", "ready")
    await tasks.close_chain(chain.chain_id)
    with pytest.raises(ConflictError):
        await tasks.append_task("three", chain_id=chain.chain_id)
    await tasks.complete_task("ann", await tasks.assign_task("ann", two))

    assert (await tasks.get_chain(chain.chain_id)).status == "succeeded"


async def test_a_task_without_a_chain_gets_one_of_its_own(farm: Farm) -> None:
    channel = await given_channel(farm, "ann")

    task = await farm.engine.tasks.append_task("alone", channel_id=channel.channel_id)
    claimed = await farm.engine.tasks.claim_task("ann", channel_id=channel.channel_id)
    assert claimed is not None
    await farm.engine.tasks.complete_task("ann", claimed)

    (chain,) = await farm.engine.tasks.list_chains(channel.channel_id)
    assert (chain.chain_id, chain.name, chain.status) == (task.job_id, "alone", "succeeded")


async def test_sequences_are_respected(farm: Farm) -> None:
    channel = await given_channel(farm)
    chain, _ = await given_chain(farm, channel, "one")
    tasks = farm.engine.tasks

    five = await tasks.append_task("five", chain_id=chain.chain_id, sequence=5)
    six = await tasks.append_task("six", chain_id=chain.chain_id)

    assert (five.position, six.position, six.needs) == (5, 6, ["5"])
    with pytest.raises(ConflictError):
        await tasks.append_task("again", chain_id=chain.chain_id, sequence=5)
    with pytest.raises(NotFoundError):
        await tasks.append_task("lost", chain_id=uuid4())
    with pytest.raises(NotFoundError):
        await tasks.append_task("lost", channel_id=uuid4())


async def test_chains_in_progress_come_first_and_ones_own_before_all(farm: Farm) -> None:
    channel = await given_channel(farm, "ann", "bob", "eve")
    tasks = farm.engine.tasks
    _, bobs = await given_chain(farm, channel, "bob 1", "bob 2")
    _, anns = await given_chain(farm, channel, "ann 1", "ann 2")
    for agent, (first, _) in (("bob", bobs), ("ann", anns)):
        await tasks.assign_task(agent, first)
        await tasks.complete_task(agent, first)
    await tasks.append_task("fresh", channel_id=channel.channel_id)
    await tasks.append_task("urgent", channel_id=channel.channel_id, priority=9)

    assert await claimed_title(farm, "ann", channel) == "ann 2"
    assert await claimed_title(farm, "ann", channel) == "bob 2"
    assert [await claimed_title(farm, "eve", channel) for _ in range(3)] == ["urgent", "fresh", None]


async def test_the_same_key_claims_the_same_task_also_at_the_same_time(farm: Farm) -> None:
    channel = await given_channel(farm, "ann", "bob")
    for n in range(5):
        await farm.engine.tasks.append_task(f"task {n}", channel_id=channel.channel_id)

    async def claim(agent: str) -> Step | None:
        return await farm.engine.tasks.claim_task(agent, channel_id=channel.channel_id, idempotency_key="k1")

    anns = await asyncio.gather(*(claim("ann") for _ in range(10)))
    bob = await claim("bob")

    assert anns[0] is not None
    assert bob is not None
    assert {(task.job_id, task.name) for task in anns if task is not None} == {(anns[0].job_id, anns[0].name)}
    assert bob.job_id != anns[0].job_id
    await farm.engine.tasks.complete_task("ann", anns[0])
    again = await claim("ann")
    assert again is not None
    assert (again.job_id, again.status) == (anns[0].job_id, "succeeded")


async def test_old_keys_are_forgotten(farm: Farm) -> None:
    channel = await given_channel(farm, "ann")
    await farm.engine.tasks.append_task("alone", channel_id=channel.channel_id)
    await farm.engine.tasks.claim_task("ann", channel_id=channel.channel_id, idempotency_key="k1")

    assert await farm.engine.upkeep.purge_task_claims(LEASE_TIME) == 0
    await farm.clock.advance(LEASE_TIME + SECOND)
    assert await farm.engine.upkeep.purge_task_claims(LEASE_TIME) == 1


async def test_an_agent_needs_to_be_known(farm: Farm) -> None:
    channel = await given_channel(farm)
    with pytest.raises(UnknownNodeError):
        await farm.engine.tasks.claim_task("nobody", channel_id=channel.channel_id)


async def test_only_a_task_in_progress_moves_and_only_by_its_agent(farm: Farm) -> None:
    channel = await given_channel(farm, "ann", "bob")
    _, (one, two) = await given_chain(farm, channel, "one", "two")
    tasks = farm.engine.tasks
    with pytest.raises(ConflictError):
        await tasks.complete_task("ann", one)
    with pytest.raises(ConflictError):
        await tasks.assign_task("ann", two)

    await tasks.assign_task("ann", one)
    assert (await tasks.assign_task("ann", one)).lease_owner == "ann"
    with pytest.raises(ConflictError):
        await tasks.assign_task("bob", one)
    with pytest.raises(ConflictError):
        await tasks.complete_task("bob", one)
    done = await tasks.complete_task("ann", one)
    await farm.clock.advance(SECOND)

    assert await tasks.complete_task("ann", one) == done
    with pytest.raises(ConflictError):
        await tasks.fail_task("ann", one)
    assert await tasks.get(one.job_id, one.name) == done


async def test_a_failed_task_fails_its_chain(farm: Farm) -> None:
    channel = await given_channel(farm, "ann")
    chain, (one, two) = await given_chain(farm, channel, "one", "two")
    tasks = farm.engine.tasks
    await tasks.assign_task("ann", one)

    failed = await tasks.fail_task("ann", one, reason="no access")
    later = await tasks.append_task("three", chain_id=chain.chain_id)
    closed = await tasks.close_chain(chain.chain_id)

    assert (failed.status, failed.error_message) == ("failed", "no access")
    assert (await tasks.get(two.job_id, two.name)).status == "skipped"
    assert later.status == "skipped"
    assert closed.status == "failed"


async def test_a_dead_agents_task_returns_to_the_queue(farm: Farm) -> None:
    channel = await given_channel(farm)
    await farm.given_node("dead")
    alive = await farm.given_node("alive")
    await given_chain(farm, channel, "one")
    assert await claimed_title(farm, "dead", channel) == "one"

    await farm.pass_time(LEASE_TIME + 10 * SECOND, alive)
    await farm.run_upkeep()

    assert await claimed_title(farm, "alive", channel) == "one"
