"""Copying files by adb's sync service: requests of four letters and a little-endian length."""

from __future__ import annotations

import asyncio
import stat
import struct
from collections.abc import AsyncIterator
from pathlib import Path
from typing import IO, Final

from msgspec import Struct

from corral.drivers.adb.connection import Connection
from corral.drivers.adb.pump import open_source, pump, read_chunks
from corral.drivers.adb.services import Services
from corral.drivers.partial import partial_file
from corral.model.errors import CommandFailedError, DeviceError

_HEADER: Final = struct.Struct("<4sI")
_STAT: Final = struct.Struct("<4sIII")
_LONGEST_PATH: Final = 1024
_LONGEST_WORDS: Final = 1 << 16
_LONGEST_CHUNK: Final = 1 << 16
_WRITTEN_AT_ONCE: Final = 1 << 20
_SIZE_BITS: Final = 0xFFFFFFFF


class Status(Struct, frozen=True):
    """A file of the phone. The size is modulo 4 GiB, which is all that every phone can tell."""

    mode: int
    size_bytes: int


async def push(services: Services, handle: str, *, source: Path, path: str, mode: int) -> None:
    """Copy a file to the phone, then compare its size there."""
    with open_source(source) as file:
        async with services.opened(handle, "sync:") as connection:
            await _ask(connection, b"SEND", f"{path},{stat.S_IFREG | mode}")
            sent = _Counter()
            await pump(connection, _frames(file, sent), _read_okay(connection, path))
            status = await _stat(connection, path)
            await _ask(connection, b"QUIT", "")
    if status.size_bytes != sent.total & _SIZE_BITS or not stat.S_ISREG(status.mode):
        raise DeviceError(f"{path} has {status.size_bytes} bytes on the phone after {sent.total} were sent")


async def pull(services: Services, handle: str, *, path: str, target: Path) -> None:
    """Copy a file from the phone beside its target, then move it there."""
    async with services.opened(handle, "sync:") as connection:
        status = await _stat(connection, path)
        if stat.S_ISDIR(status.mode):
            raise CommandFailedError(f"{path} is a directory on the phone")
        async with partial_file(target) as file:
            await _ask(connection, b"RECV", path)
            total = await _receive(connection, file, path)
            # What only looks like a file, as those of /proc, tells no size.
            if status.size_bytes and total & _SIZE_BITS != status.size_bytes:
                raise DeviceError(f"{total} of the {status.size_bytes} bytes of {path} arrived")
        await _ask(connection, b"QUIT", "")


class _Counter:
    total = 0


async def _frames(file: IO[bytes], sent: _Counter) -> AsyncIterator[bytes]:
    async for chunk in read_chunks(file):
        sent.total += len(chunk)
        yield _HEADER.pack(b"DATA", len(chunk)) + chunk
    modified_at = int((await asyncio.to_thread(Path(file.name).stat)).st_mtime)
    yield _HEADER.pack(b"DONE", modified_at & _SIZE_BITS)


async def _ask(connection: Connection, kind: bytes, words: str) -> None:
    data = words.encode()
    if len(data) > _LONGEST_PATH:
        raise CommandFailedError(f"a path of {len(data)} bytes is too long for adb, which takes {_LONGEST_PATH}")
    await connection.send(_HEADER.pack(kind, len(data)) + data)


async def _stat(connection: Connection, path: str) -> Status:
    await _ask(connection, b"STAT", path)
    kind, mode, size, _ = _STAT.unpack(await connection.read_exactly(_STAT.size))
    if kind != b"STAT":
        raise _unexpected(kind)
    return Status(mode, size)


async def _read_okay(connection: Connection, path: str) -> None:
    kind, length = _HEADER.unpack(await connection.read_exactly(_HEADER.size))
    if kind == b"FAIL":
        raise await _refusal(connection, length, path)
    if kind != b"OKAY":
        raise _unexpected(kind)


async def _receive(connection: Connection, file: IO[bytes], path: str) -> int:
    total, pending = 0, bytearray()
    while True:
        kind, length = _HEADER.unpack(await connection.read_exactly(_HEADER.size))
        if kind == b"FAIL":
            raise await _refusal(connection, length, path)
        if kind == b"DATA" and length <= _LONGEST_CHUNK:
            pending += await connection.read_exactly(length)
            total += length
        elif kind != b"DONE":
            raise _unexpected(kind)
        if kind == b"DONE" or len(pending) >= _WRITTEN_AT_ONCE:
            await asyncio.to_thread(file.write, bytes(pending))
            pending.clear()
        if kind == b"DONE":
            return total


async def _refusal(connection: Connection, length: int, path: str) -> CommandFailedError:
    words = (await connection.read_exactly(min(length, _LONGEST_WORDS))).decode(errors="replace").strip()
    return CommandFailedError(f"{path}: {words or 'the phone refused without a word'}")


def _unexpected(kind: bytes) -> DeviceError:
    return DeviceError(f"the phone answered a file request with {kind!r}")
