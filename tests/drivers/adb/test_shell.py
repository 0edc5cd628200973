from __future__ import annotations

import asyncio
import struct

import pytest

from corral.drivers.adb.admission import Admission
from corral.drivers.adb.phone import AdbPhone
from corral.drivers.adb.server import AdbServer
from corral.drivers.adb.services import Services
from corral.model.errors import DeviceError, DeviceOfflineError
from tests.drivers.adb.fake_server import OKAY, Talk, fake_server, never, text

OUT, ERR, EXIT, CLOSE_STDIN = 1, 2, 3, 4


def packet(kind: int, data: bytes) -> bytes:
    return struct.pack("<BI", kind, len(data)) + data


def after_okay(data: bytes) -> Talk:
    """Open the service, read the end of the input that the client sends, then say this."""

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(OKAY)
        assert await reader.readexactly(5) == packet(CLOSE_STDIN, b"")
        writer.write(data)
        await writer.drain()

    return talk


async def test_both_outputs_and_the_exit_code_arrive_apart() -> None:
    said = (
        packet(OUT, b"on")
        + packet(ERR, b"e\xff")
        + packet(OUT, b"e\n")
        + packet(9, b"new kind")
        + packet(EXIT, b"\x07")
    )
    async with fake_server({"shell,v2,raw:x": after_okay(said)}) as fake:
        result = await AdbPhone(fake.services, "P").shell("x")

    assert (result.exit_code, result.stdout, result.stderr) == (7, b"one\n", b"e\xff")
    assert result.text == "one"


async def test_output_beyond_the_limit_is_dropped_and_the_exit_code_kept() -> None:
    said = packet(OUT, b"a" * 300_000) + packet(OUT, b"b") + packet(ERR, b"c" * 10) + packet(EXIT, b"\0")
    async with fake_server({"shell,v2,raw:x": after_okay(said)}) as fake:
        result = await AdbPhone(fake.services, "P").shell("x", max_output_bytes=5)

    assert (result.exit_code, result.stdout, result.stderr) == (0, b"aaaaa", b"ccccc")


@pytest.mark.parametrize("said", [b"", packet(OUT, b"half"), b"\x01\xff\0\0\0few", b"\x03\x01"])
async def test_a_phone_that_leaves_before_the_exit_code_is_offline_and_may_have_begun(said: bytes) -> None:
    async with fake_server({"shell,v2,raw:x": after_okay(said)}) as fake:
        with pytest.raises(DeviceOfflineError) as caught:
            await AdbPhone(fake.services, "P").shell("x")

    assert caught.value.is_started


async def test_an_exit_code_of_the_wrong_size_is_refused() -> None:
    async with fake_server({"shell,v2,raw:x": after_okay(packet(EXIT, b"123"))}) as fake:
        with pytest.raises(DeviceError, match="exit code of 3 bytes"):
            await AdbPhone(fake.services, "P").shell("x")


async def test_cancelling_closes_the_connection() -> None:
    async def hang(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(OKAY)
        await never(reader, writer)

    async with fake_server({"shell,v2,raw:sleep 100": hang}) as fake:
        services = fake.services
        await services.features("P")
        fake.left.clear()
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.1):
                await AdbPhone(services, "P").shell("sleep 100")
        await fake.left.wait()


class OldPhone:
    """Answers `exec:` as a phone without the shell protocol does, whatever the marker is."""

    def __init__(self, output: bytes, end: bytes = b"\n%s3\n") -> None:
        self.output = output
        self.end = end

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while digits := await reader.read(4):
            request = (await reader.readexactly(int(digits, 16))).decode()
            if request.endswith("features"):
                writer.write(OKAY + text("cmd"))
                break
            writer.write(OKAY)
            if request.startswith("exec:"):
                assert request.startswith("exec:sh -c 'a b' 2>&1; ")
                marker = request.rsplit("echo ", 1)[1].removesuffix("$code").encode()
                writer.write(self.output + self.end.replace(b"%s", marker))
                break
        await writer.drain()
        writer.close()


async def _run_on_old(phone: OldPhone, limit: int = 1 << 20) -> tuple[int, bytes]:
    listener = await asyncio.start_server(phone.serve, "127.0.0.1", 0)
    async with listener:
        services = Services(AdbServer(port=listener.sockets[0].getsockname()[1]), Admission())
        result = await AdbPhone(services, "P").shell("a b", max_output_bytes=limit)
    return result.exit_code, result.stdout


@pytest.mark.parametrize("output", [b"", b"x", b"x\n", b"\n\n", b"y" * 200_000])
async def test_an_old_phone_tells_the_exit_code_in_a_last_line(output: bytes) -> None:
    assert await _run_on_old(OldPhone(output)) == (3, output)


@pytest.mark.parametrize("output", [b"", b"x\n", b"y" * 200_000])
async def test_who_listens_to_an_old_phone_hears_all_but_the_last_line(output: bytes) -> None:
    heard = bytearray()
    listener = await asyncio.start_server(OldPhone(output).serve, "127.0.0.1", 0)
    async with listener:
        services = Services(AdbServer(port=listener.sockets[0].getsockname()[1]), Admission())

        assert await AdbPhone(services, "P").listen("a b", heard.extend) == 3

    assert bytes(heard) == output


async def test_who_listens_hears_what_has_come_while_the_command_goes_on() -> None:
    async def begin(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(OKAY + packet(1, b"begun"))
        await never(reader, writer)

    heard: asyncio.Queue[bytes] = asyncio.Queue()
    async with fake_server({"shell,v2,raw:x": begin}) as fake:
        listening = asyncio.create_task(AdbPhone(fake.services, "P").listen("x", heard.put_nowait))

        assert await heard.get() == b"begun"
        listening.cancel()
        await asyncio.gather(listening, return_exceptions=True)


async def test_who_listens_is_told_when_the_phone_goes_away() -> None:
    async with fake_server({"shell,v2,raw:x": after_okay(packet(1, b"half"))}) as fake:
        with pytest.raises(DeviceOfflineError) as caught:
            await AdbPhone(fake.services, "P").listen("x", lambda _: None)

    assert caught.value.is_started


async def test_an_old_phones_output_is_bounded_too() -> None:
    assert await _run_on_old(OldPhone(b"z" * 100_000), limit=10) == (3, b"z" * 10)


@pytest.mark.parametrize("end", [b"", b"\n%s", b"\n%s\n", b"\nother:3\n"])
async def test_an_old_phone_that_leaves_out_the_last_line_went_away(end: bytes) -> None:
    with pytest.raises(DeviceOfflineError):
        await _run_on_old(OldPhone(b"x", end))
