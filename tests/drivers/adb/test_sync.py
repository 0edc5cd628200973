from __future__ import annotations

import asyncio
import struct
from pathlib import Path

import pytest

from corral.drivers.adb.phone import AdbPhone
from corral.model.errors import CommandFailedError, DeviceError, DeviceOfflineError
from tests.drivers.adb.fake_server import OKAY, Talk, fake_server

FILE = 0o100644


def frame(kind: bytes, data: bytes) -> bytes:
    return kind + struct.pack("<I", len(data)) + data


def status(mode: int, size: int) -> bytes:
    return b"STAT" + struct.pack("<III", mode, size, 0)


async def _read_frame(reader: asyncio.StreamReader) -> tuple[bytes, bytes]:
    kind, length = struct.unpack("<4sI", await reader.readexactly(8))
    return kind, b"" if kind == b"DONE" else await reader.readexactly(length)


def sync_service(*, size: int = 0, mode: int = FILE, received: list[bytes] | None = None, file: bytes = b"") -> Talk:
    """A phone's sync service: keeps what it is sent, claims these facts of every file, and sends this one."""

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(OKAY)
        while True:
            kind, data = await _read_frame(reader)
            if kind == b"QUIT":
                return
            if kind == b"STAT":
                writer.write(status(mode, size))
            elif kind == b"RECV":
                writer.write(file)
            elif kind == b"DONE":
                writer.write(frame(b"OKAY", b""))
            elif received is not None:
                received.append(data)

    return talk


async def test_a_file_is_sent_with_its_mode(tmp_path: Path) -> None:
    source = tmp_path / "x"
    source.write_bytes(b"abc" * 50_000)
    received: list[bytes] = []
    async with fake_server({"sync:": sync_service(size=150_000, received=received)}) as fake:
        await AdbPhone(fake.services, "P").push(source, "/sdcard/x", mode=0o755)

    assert received[0] == f"/sdcard/x,{0o100755}".encode()
    assert b"".join(received[1:]) == source.read_bytes()


async def test_a_file_that_is_smaller_on_the_phone_than_what_was_sent_is_an_error(tmp_path: Path) -> None:
    source = tmp_path / "x"
    source.write_bytes(b"abc")
    async with fake_server({"sync:": sync_service(size=2)}) as fake:
        with pytest.raises(DeviceError, match="has 2 bytes on the phone after 3 were sent"):
            await AdbPhone(fake.services, "P").push(source, "/sdcard/x")


async def test_a_phone_that_refuses_early_is_heard_although_there_is_more_to_send(tmp_path: Path) -> None:
    source = tmp_path / "x"
    source.write_bytes(bytes(30_000_000))

    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(OKAY)
        await reader.read(1)
        writer.write(frame(b"FAIL", b"couldn't create file: Read-only file system"))
        await writer.drain()
        await asyncio.Event().wait()  # and reads no more

    async with fake_server({"sync:": refuse}) as fake:
        with pytest.raises(CommandFailedError, match="/system/x: couldn't create file: Read-only file system"):
            await AdbPhone(fake.services, "P").push(source, "/system/x")


async def test_a_local_file_that_is_not_there_is_said_before_the_phone_is_asked(tmp_path: Path) -> None:
    async with fake_server({}) as fake:
        with pytest.raises(DeviceError, match="nothing cannot be read: No such file"):
            await AdbPhone(fake.services, "P").push(tmp_path / "nothing", "/sdcard/x")

    assert fake.requests == []


async def test_a_file_is_received_whole(tmp_path: Path) -> None:
    data = bytes(range(256)) * 10_000
    pieces = [data[at : at + 60_000] for at in range(0, len(data), 60_000)]
    sent = b"".join(frame(b"DATA", piece) for piece in pieces) + b"DONE\0\0\0\0"
    async with fake_server({"sync:": sync_service(size=len(data), file=sent)}) as fake:
        await AdbPhone(fake.services, "P").pull("/sdcard/x", tmp_path / "x")

    assert (tmp_path / "x").read_bytes() == data


@pytest.mark.parametrize(
    ("sent", "words", "error"),
    [
        (frame(b"FAIL", b"open failed: No such file or directory"), "No such file", CommandFailedError),
        (frame(b"DATA", b"abc") + b"DONE\0\0\0\0", "3 of the 9 bytes", DeviceError),
        (frame(b"DATA", b"abc"), "broke off", DeviceOfflineError),
        (b"DATA\xff\xff\xff\xff", "DATA", DeviceError),
        (b"WHAT\0\0\0\0", "WHAT", DeviceError),
    ],
)
async def test_a_file_that_does_not_arrive_leaves_none_behind(
    tmp_path: Path, sent: bytes, words: str, error: type[DeviceError]
) -> None:
    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(OKAY)
        await _read_frame(reader)
        writer.write(status(FILE, 9))
        await _read_frame(reader)
        writer.write(sent)
        await writer.drain()
        writer.write_eof()
        await reader.read()

    async with fake_server({"sync:": talk}) as fake:
        with pytest.raises(error, match=words):
            await AdbPhone(fake.services, "P").pull("/sdcard/x", tmp_path / "x")

    assert list(tmp_path.iterdir()) == []


async def test_a_directory_cannot_be_pulled(tmp_path: Path) -> None:
    async with fake_server({"sync:": sync_service(mode=0o040755)}) as fake:
        with pytest.raises(CommandFailedError, match="is a directory"):
            await AdbPhone(fake.services, "P").pull("/sdcard", tmp_path / "x")


async def test_a_file_is_not_pulled_to_where_it_cannot_be_written(tmp_path: Path) -> None:
    async with fake_server({"sync:": sync_service()}) as fake:
        with pytest.raises(DeviceError, match="cannot be written"):
            await AdbPhone(fake.services, "P").pull("/sdcard/x", tmp_path / "no" / "x")
