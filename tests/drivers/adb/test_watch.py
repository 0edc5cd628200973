"""The watch against scripted servers: what the real one and the simulator cannot be made to do."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from pathlib import Path
from typing import NamedTuple

from corral.drivers.adb.admission import Admission
from corral.drivers.adb.server import AdbServer
from corral.drivers.adb.services import Services
from corral.drivers.adb.watcher import Watcher
from corral.drivers.protocol import Sighting
from corral.model.states import Connection
from tests.drivers.adb.fake_server import OKAY, FakeServer, Talk, fake_server, never, text
from tests.drivers.adb.test_shell import EXIT, OUT, after_okay, packet
from tests.ports import free_port

GETPROP = "shell,v2,raw:getprop"
PROPERTIES = b"[ro.serialno]: [SER]\n[sys.boot_completed]: [1]\n"
STARTING = b"[ro.serialno]: [SER]\n"


def says(properties: bytes) -> Talk:
    return after_okay(packet(OUT, properties) + packet(EXIT, b"\0"))


class Lists:
    """track-devices-l: sends each list that is put here, and hangs up at None."""

    def __init__(self, *lists: str) -> None:
        self.queue: asyncio.Queue[str | None] = asyncio.Queue()
        for listed in lists:
            self.queue.put_nowait(listed)

    async def __call__(self, _: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(OKAY)
        while (listed := await self.queue.get()) is not None:
            writer.write(text(listed))
            await writer.drain()


async def until(sightings: AsyncGenerator[list[Sighting], None], *expected: tuple[str, Connection]) -> list[Sighting]:
    """The first sightings that are these."""
    async for seen in sightings:
        if [(each.serial, each.connection) for each in seen] == list(expected):
            return seen
    raise AssertionError("the watch ended")


class Watched(NamedTuple):
    fake: FakeServer
    lists: Lists
    sightings: AsyncGenerator[list[Sighting], None]


@asynccontextmanager
async def watched(listed: str, getprop: Talk, *, probe_s: float = 10) -> AsyncIterator[Watched]:
    """A watch of a server that lists this, and whose phone answers so."""
    lists = Lists(listed)
    async with fake_server({"host:track-devices-l": lists, GETPROP: getprop}) as fake:
        watcher = Watcher(fake.services_with(handshake_s=probe_s), boot_poll_s=0.01, probe_s=probe_s)
        async with aclosing(watcher.sightings()) as sightings:
            yield Watched(fake, lists, sightings)


async def test_a_phone_that_is_starting_is_asked_until_it_has_started() -> None:
    async with watched("P device\n", says(STARTING)) as (fake, _, sightings):
        await until(sightings, ("P", Connection.NOT_BOOTED))
        fake.script[GETPROP] = says(PROPERTIES)
        await until(sightings, ("P", Connection.CONNECTED))


async def test_a_phone_that_hangs_is_offline_with_a_reason_until_it_answers() -> None:
    async with watched("P device\n", never, probe_s=0.05) as (fake, _, sightings):
        async for seen in sightings:
            if seen and "did not answer" in (seen[0].message or ""):
                break
        fake.script[GETPROP] = says(PROPERTIES)
        await until(sightings, ("P", Connection.CONNECTED))


async def test_what_answers_but_is_no_android_is_not_connected() -> None:
    async with watched("P device\n", says(b"sh: no getprop")) as (_, _, sightings):
        async for seen in sightings:
            if seen and "not as Android does" in (seen[0].message or ""):
                assert seen[0].connection is Connection.OFFLINE
                break


async def test_a_phone_plugged_in_anew_is_asked_again() -> None:
    async with watched("P device transport_id:1\n", says(PROPERTIES)) as (fake, lists, sightings):
        await until(sightings, ("P", Connection.CONNECTED))
        lists.queue.put_nowait("")
        await until(sightings)
        lists.queue.put_nowait("P device transport_id:2\n")
        await until(sightings, ("P", Connection.CONNECTED))

    assert fake.requests.count(GETPROP) == 2


async def test_nothing_can_be_reached_while_the_server_is_away_and_everything_comes_back() -> None:
    async with watched("P device\n", says(PROPERTIES)) as (_, lists, sightings):
        await until(sightings, ("P", Connection.CONNECTED))
        lists.queue.put_nowait(None)
        lists.queue.put_nowait("P device\n")
        await until(sightings)
        await until(sightings, ("P", Connection.CONNECTED))


async def test_a_watch_without_a_server_says_that_there_are_no_phones(tmp_path: Path) -> None:
    server = AdbServer(port=free_port(), program=tmp_path / "no adb here")
    async with aclosing(Watcher(Services(server, Admission())).sightings()) as sightings:
        assert await anext(sightings) == []


async def test_a_watch_that_is_closed_leaves_nothing_running() -> None:
    before = asyncio.all_tasks()
    async with watched("P device\n", never) as (_, _, sightings):
        await anext(sightings)
    ours = [task for task in asyncio.all_tasks() - before if task.get_name().startswith("adb ")]

    assert ours == []
