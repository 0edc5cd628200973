from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from corral.drivers.adb.phone import AdbPhone
from corral.drivers.adb.server import AdbServer
from corral.model.errors import CommandFailedError, CorralError, DeviceOfflineError, DriverUnavailableError
from tests.drivers.adb.fake_server import OKAY, fail, fake_server, never, text

HOSTILE = st.one_of(
    st.binary(max_size=200),
    st.lists(
        st.one_of(
            st.binary(max_size=20),
            st.sampled_from(
                [
                    OKAY,
                    b"FAIL",
                    b"ffff",
                    b"-001",
                    b"\x01\xff\xff\xff\xff",
                    b"\x03\x01\0\0\0",
                    b"DATA\xff\xff\xff\xff",
                    b"DATA\x01\0\0\0x",
                    b"FAIL\xff\xff\xff\x7f",
                    b"STAT" + b"\0" * 12,
                    b"DONE\0\0\0\0",
                ]
            ),
        ),
        max_size=8,
    ).map(b"".join),
)


async def test_an_answer_is_read() -> None:
    async with fake_server({"host:devices-l": OKAY + text("grüezi")}) as fake:
        assert await fake.server.query("host:devices-l") == "grüezi"


async def test_a_refusal_is_raised_as_what_it_means() -> None:
    async with fake_server({"host:transport:X": fail("device 'X' not found")}) as fake:
        with pytest.raises(DeviceOfflineError, match="'X' not found"):
            await fake.server.query("host:transport:X")


async def test_what_does_not_speak_adb_is_told_apart() -> None:
    async with fake_server({"host:version": b"HTTP/1.1 400 Bad Request\r\n\r\n"}) as fake:
        with pytest.raises(DriverUnavailableError, match="does not speak its protocol"):
            await fake.server.query("host:version")


@pytest.mark.parametrize("length", [b"-001", b"00g0", b"+0x1", b"\xff\xff\xff\xff"])
async def test_a_length_that_is_none_is_refused(length: bytes) -> None:
    async with fake_server({"host:version": OKAY + length + b"x" * 100}) as fake:
        with pytest.raises(DriverUnavailableError, match="where a length belongs"):
            await fake.server.query("host:version")


async def test_nobody_listening_is_said_and_nothing_is_started(unused_tcp_port: int) -> None:
    with pytest.raises(DriverUnavailableError, match=f"no adb server answers at 127.0.0.1:{unused_tcp_port}"):
        await AdbServer(port=unused_tcp_port).query("host:version")


async def test_a_server_that_answers_too_late_is_not_waited_for() -> None:
    async with fake_server({"host:version": never}) as fake:
        with pytest.raises(TimeoutError):
            await fake.server.query("host:version", within_s=0.05)
        await fake.left.wait()


async def test_a_request_that_adb_cannot_carry_is_refused_before_it_is_sent() -> None:
    async with fake_server({}) as fake:
        phone = AdbPhone(fake.services, "P")
        for _ in range(5):
            with pytest.raises(CommandFailedError, match="too long for adb"):
                await phone.shell("x" * 70_000)


@pytest.mark.parametrize("service", ["shell", "screenshot", "push", "pull", "install", "reboot", "features"])
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(hostile=HOSTILE)
def test_hostile_bytes_neither_hang_nor_crash_a_call(service: str, hostile: bytes, tmp_path: Path) -> None:
    source = tmp_path / "source.apk"
    source.write_bytes(b"x" * 1000)
    target = tmp_path / "target"
    target.unlink(missing_ok=True)

    async def attempt() -> None:
        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(hostile)
            with contextlib.suppress(ConnectionError):
                await writer.drain()
                writer.write_eof()
                await reader.read()

        services = {
            "shell": "shell,v2,raw:id",
            "screenshot": "exec:screencap -p",
            "push": "sync:",
            "pull": "sync:",
            "install": "exec:cmd package install -S 1000",
            "reboot": "reboot:",
            "features": "host-serial:P:features",
        }
        async with fake_server({services[service]: answer}) as fake:
            phone = AdbPhone(fake.services, "P")
            calls: dict[str, Callable[[], Awaitable[object]]] = {
                "shell": lambda: phone.shell("id"),
                "screenshot": phone.screenshot,
                "push": lambda: phone.push(source, "/sdcard/x"),
                "pull": lambda: phone.pull("/sdcard/x", target),
                "install": lambda: phone.install(source),
                "reboot": phone.reboot,
                "features": lambda: fake.services.features("P"),
            }
            async with asyncio.timeout(20):
                with contextlib.suppress(CorralError):
                    await calls[service]()

    asyncio.run(attempt())

    assert list(tmp_path.glob(".*.part")) == []
