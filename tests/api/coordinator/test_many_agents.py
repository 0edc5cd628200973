"""Fifty agents at once, over HTTP, on two servers."""

import asyncio
from collections import defaultdict
from itertools import count

import pytest

from tests.api.coordinator.caller import Caller, Object, listed
from tests.api.process import running

AGENTS, CHANNELS, CHAINS, TASKS = 50, 5, 20, 500


async def given_work(caller: Caller) -> list[Object]:
    """Twenty chains in five channels, with twenty-five tasks each."""
    channels = [await caller.given_channel(f"channel {number}") for number in range(CHANNELS)]
    for number in range(CHAINS):
        names = [f"{number}.{place}" for place in range(TASKS // CHAINS)]
        await caller.given_chain(channels[number % CHANNELS], *names, name=f"chain {number}")
    return channels


class Shift:
    """What the agents have done together; whoever finds nothing to do waits until somebody has done something."""

    def __init__(self, channels: list[Object]) -> None:
        self.channels = channels
        self.done: list[tuple[str, Object]] = []
        self._moved = asyncio.Condition()
        self._claims = count()

    async def work(self, caller: Caller, agent: str) -> None:
        while len(self.done) < TASKS:
            task = await self._find_task(caller, agent)
            if task is not None:
                await caller.complete(agent, task)
            async with self._moved:
                if task is not None:
                    self.done.append((agent, task))
                    # The next task of the chain is for this agent or for one other: not for all who wait.
                    self._moved.notify(1 if len(self.done) < TASKS else AGENTS)
                elif len(self.done) < TASKS:
                    await self._moved.wait()

    async def _find_task(self, caller: Caller, agent: str) -> Object | None:
        """The next task of any channel; every other claim is sent twice at once, as if an answer had been lost."""
        own = int(agent.split()[1]) % CHANNELS
        for channel in (*self.channels[own:], *self.channels[:own]):
            number = next(self._claims)
            key = f"{agent}-{number}"
            told = await asyncio.gather(
                *(caller.claim(agent, channel, idempotency_key=key) for _ in range(1 + number % 2))
            )
            claimed = {task["id"]: task for task in told if task is not None}
            if claimed:
                (task,) = claimed.values()
                return task
        return None


@pytest.mark.timeout(400)  # thousands of requests, on a machine that may be busy
async def test_fifty_agents_do_five_hundred_tasks_each_once_and_every_chain_in_order(farm_dsn: str) -> None:
    flags = ("--database-url", farm_dsn)
    async with (
        running(*flags) as one,
        running(*flags) as two,
        one.client() as first,
        two.client() as second,
    ):
        channels = await given_work(Caller(first))
        shift, servers = Shift(channels), (Caller(first), Caller(second))
        await asyncio.gather(*(shift.work(servers[number % 2], f"agent {number}") for number in range(AGENTS)))
        done = shift.done

        assert len(done) == TASKS
        assert len({task["id"] for _, task in done}) == TASKS
        tasks = listed(await Caller(first).get("tasks"), "tasks")
        assert {task["status"] for task in tasks} == {"done"}
        who = {task["id"]: agent for agent, task in done}
        assert all(task["assigned_agent_id"] == who[task["id"]] for task in tasks)
        chains = defaultdict(list)
        for task in sorted(tasks, key=lambda each: each["sequence"]):
            chains[task["chain_id"]].append(task)
        assert len(chains) == CHAINS
        for chain in chains.values():
            times = [time for task in chain for time in (task["claimed_at"], task["done_at"])]
            assert times == sorted(times)
