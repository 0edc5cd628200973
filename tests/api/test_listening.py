"""Waking pulls: announcements across processes, the poll behind them, and coming back."""

import asyncio
from collections.abc import Collection
from pathlib import Path

from corral.api.waiting import Waiting
from corral.engine import Engine
from corral.engine.announce import EVERYBODY, STEPS, WORK, decode, encode
from corral.engine.embedded import EmbeddedPostgres
from corral.engine.listen import Listener
from corral.model.records import NewStep
from tests.engine.farm import Farm


class Hearing:
    """What a listener heard."""

    def __init__(self) -> None:
        self.heard: asyncio.Queue[list[str]] = asyncio.Queue()

    def __call__(self, node_ids: Collection[str]) -> None:
        self.heard.put_nowait(sorted(node_ids))


async def listen(dsn: str, hearing: Hearing) -> "asyncio.Task[None]":
    task = asyncio.create_task(Listener(dsn, sender="me", hear=hearing).run())
    assert await hearing.heard.get() == [EVERYBODY]
    return task


async def announce_often(engine: Engine) -> None:
    """Of three nodes, until it is sent."""
    for n in range(100):
        engine.announcements.announce([f"node-{n % 3}"])
    await engine.announcements.flush()


async def test_announcements_of_a_moment_are_one_notification(farm_dsn: str) -> None:
    hearing = Hearing()
    listening = await listen(farm_dsn, hearing)
    async with Engine.connect(farm_dsn, max_connections=2) as engine:
        await announce_often(engine)

    assert await hearing.heard.get() == ["node-0", "node-1", "node-2"]
    assert hearing.heard.empty()
    listening.cancel()


async def test_what_is_announced_right_after_a_notification_is_one_more(farm_dsn: str) -> None:
    hearing = Hearing()
    listening = await listen(farm_dsn, hearing)
    async with Engine.connect(farm_dsn, max_connections=2) as engine:
        engine.announcements.announce(["node-0"])
        assert await hearing.heard.get() == ["node-0"], "the first does not wait for others"
        await announce_often(engine)

    assert await hearing.heard.get() == ["node-0", "node-1", "node-2"]
    assert hearing.heard.empty()
    listening.cancel()


async def test_steps_that_are_added_are_announced(farm: Farm) -> None:
    hearing = Hearing()
    job = await farm.engine.jobs.create("build")
    farm.engine.announcements.subscribe(hearing)

    await farm.engine.steps.create_steps(job.job_id, [])
    assert hearing.heard.empty(), "nothing was added"
    await farm.engine.steps.create_steps(job.job_id, [NewStep("compile")])

    assert hearing.heard.get_nowait() == [STEPS]


async def test_what_a_process_announces_it_hears_at_once_and_once(farm_dsn: str) -> None:
    hearing = Hearing()
    async with Engine.connect(farm_dsn, max_connections=2) as engine:
        engine.announcements.subscribe(hearing)
        engine.announcements.announce(["node-1"])
        assert hearing.heard.get_nowait() == ["node-1"]

    listener = Listener(farm_dsn, sender=engine.announcements.sender, hear=hearing)
    listener._receive(None, 0, "corral", encode(engine.announcements.sender, ["node-1"]))
    assert hearing.heard.empty()


def test_too_many_nodes_for_one_notification_are_everybody() -> None:
    assert decode(encode("me", [f"node-{n:05d}" for n in range(1000)])) == ("me", [EVERYBODY])
    assert decode(encode("me", ["b", "a"])) == ("me", ["a", "b"])


async def test_a_listener_comes_back_after_postgresql_was_restarted(short_path: Path) -> None:
    server = EmbeddedPostgres(short_path / "data", durable=False)
    await server.start()
    hearing = Hearing()
    try:
        listening = await listen(server.dsn, hearing)
        await server.stop()
        await server.start()

        assert await hearing.heard.get() == [EVERYBODY]
        async with Engine.connect(server.dsn, max_connections=1) as engine:
            engine.announcements.announce(["node-1"])
        assert await hearing.heard.get() == ["node-1"]
        listening.cancel()
    finally:
        await server.stop()


async def test_a_waiting_pull_does_not_depend_on_announcements(farm: Farm) -> None:
    node = await farm.given_node(devices=1)
    waiting = Waiting(farm.engine.nodes.list_news)  # which nobody wakes: it only polls
    polling = asyncio.create_task(waiting.poll())

    with waiting.wait(node.node_id, wants_work=True, cancelling=frozenset()) as waiter:
        run = await farm.given_run()
        await waiter.news.wait()
    (grant,) = await node.pull()
    with waiting.wait(node.node_id, wants_work=False, cancelling=frozenset()) as waiter:
        await farm.engine.runs.cancel_run(run.run_id)
        await waiter.news.wait()
    assert await farm.engine.nodes.list_cancels(node.node_id) == [grant.lease_token]
    polling.cancel()


async def test_a_phone_that_is_free_is_no_news_to_a_pull_that_wants_nothing(farm: Farm) -> None:
    waiting = Waiting(farm.engine.nodes.list_news)

    with (
        waiting.wait("hungry", wants_work=True, cancelling=frozenset()) as hungry,
        waiting.wait("full", wants_work=False, cancelling=frozenset()) as full,
    ):
        waiting.wake([WORK + "hungry", WORK + "full"])

        assert hungry.news.is_set()
        assert not full.news.is_set()
        waiting.wake(["full"])
        assert full.news.is_set()
