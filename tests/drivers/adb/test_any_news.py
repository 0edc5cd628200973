"""Whatever an adb server lists and its phones say of themselves, the watch goes on and a scan ends."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Mapping
from contextlib import aclosing
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from corral.drivers.adb.discover import discover
from corral.drivers.adb.phone import AdbPhone
from corral.drivers.adb.watcher import Watcher
from corral.drivers.protocol import Sighting
from corral.model.errors import CorralError
from tests.drivers.adb.fake_server import OKAY, FakeServer, Talk, fake_server, text
from tests.drivers.adb.test_connection import HOSTILE
from tests.drivers.adb.test_shell import EXIT, OUT, packet

LAST = "LAST"
ADDRESS = "127.0.0.1:5555"
GETPROP = "shell,v2,raw:getprop"
NOT_ASKED = "it has not been asked yet how it is"
PORTS = st.sampled_from(["5555", "0", "-1", "²", "٣", "9" * 5_000, "9" * 19, "1_0", " 1", ""]) | st.text(max_size=5)
HANDLES = st.one_of(
    st.builds(
        lambda host, port: f"{host}:{port}", st.sampled_from(["127.0.0.1", "localhost", "[::1]", "x", ""]), PORTS
    ),
    PORTS.map(lambda port: f"emulator-{port}"),
    st.sampled_from(["P", "(no serial number)", "????????????", "adb-X-abcdef._adb-tls-connect._tcp"]),
    st.text(max_size=8),
)
STATES = st.sampled_from(
    ["device", "offline", "unauthorized", "no permissions (x); see [y]", "device model:²", "levitating", ""]
) | st.text(max_size=8)
LISTS = st.lists(st.builds(lambda handle, state: f"{handle} {state}", HANDLES, STATES), max_size=5).map("\n".join)
PROPERTIES = st.one_of(
    st.binary(max_size=60),
    st.lists(
        st.builds(
            lambda name, value: f"[{name}]: [{value}]\n".encode(errors="replace"),
            st.sampled_from(["ro.serialno", "sys.boot_completed", "ro.kernel.qemu", "ro.product.model"]),
            st.text(max_size=8),
        ),
        max_size=4,
    ).map(b"".join),
)


def saying(said: bytes, *, hangs_up: bool) -> Talk:
    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError):
            writer.write(said)
            await writer.drain()
            if hangs_up:
                writer.write_eof()
            await reader.read()

    return talk


def attempt(script: Mapping[str, bytes | Talk], act: Callable[[FakeServer], Awaitable[object]]) -> None:
    """Fails when it takes long, or when an error is dropped on the way."""

    async def run() -> None:
        dropped: list[dict[str, Any]] = []
        asyncio.get_running_loop().set_exception_handler(lambda _, context: dropped.append(context))
        async with fake_server(dict(script)) as fake, asyncio.timeout(20):
            await act(fake)
        assert dropped == []

    asyncio.run(run())


def watch(until: Callable[[list[Sighting]], bool]) -> Callable[[FakeServer], Awaitable[None]]:
    async def act(fake: FakeServer) -> None:
        async with aclosing(Watcher(fake.services, boot_poll_s=0.001).sightings()) as sightings:
            async for seen in sightings:
                if until(seen):
                    return

    return act


@settings(max_examples=100, deadline=None)
@given(listed=LISTS)
@example(listed="127.0.0.1:² device")
@example(listed="127.0.0.1:" + "9" * 5_000 + " device")
def test_any_list_is_read_and_leaves_the_others_in_sight(listed: str) -> None:
    tracking = saying(OKAY + text(f"{listed}\n{LAST} unauthorized\n"), hangs_up=False)

    attempt({"host:track-devices-l": tracking}, watch(lambda seen: LAST in {each.serial for each in seen}))


@pytest.mark.parametrize("request_", ["host:track-devices-l", "host:version"])
@settings(max_examples=60, deadline=None)
@given(said=HOSTILE | st.builds(lambda listed: OKAY + text(listed), LISTS) | st.just(OKAY + text("-" + "f" * 9_000)))
def test_any_bytes_of_a_server_are_news_or_a_server_that_is_away(request_: str, said: bytes) -> None:
    attempt({request_: saying(said, hangs_up=True)}, watch(lambda seen: not seen))


@settings(max_examples=100, deadline=None)
@given(said=HOSTILE | PROPERTIES.map(lambda said: OKAY + packet(OUT, said) + packet(EXIT, b"\0")))
def test_whatever_a_phone_says_of_itself_it_is_seen(said: bytes) -> None:
    attempt(
        {
            "host:track-devices-l": saying(OKAY + text("P device\n"), hangs_up=False),
            GETPROP: saying(said, hangs_up=True),
        },
        watch(lambda seen: [each.message for each in seen] != [NOT_ASKED]),
    )


@settings(max_examples=60, deadline=None)
@given(said=HOSTILE | st.text(max_size=60).map(lambda words: OKAY + text(words)))
@example(said=OKAY + text("already connected to it"))
def test_any_answer_to_a_scan_is_a_line_or_none(said: bytes) -> None:
    async def act(fake: FakeServer) -> None:
        assert len(await discover(fake.server, [ADDRESS])) <= 1

    talk = saying(said, hangs_up=True)
    attempt(
        {f"host:{verb}:{ADDRESS}": talk for verb in ("connect", "disconnect")}
        | {f"host-serial:{ADDRESS}:get-state": talk},
        act,
    )


@settings(max_examples=60, deadline=None)
@given(said=HOSTILE)
def test_any_bytes_are_heard_or_end_the_listening(said: bytes) -> None:
    async def act(fake: FakeServer) -> None:
        with contextlib.suppress(CorralError):
            await AdbPhone(fake.services, "P").listen("logcat", lambda _: None)

    attempt({"shell,v2,raw:logcat": saying(said, hangs_up=True)}, act)
