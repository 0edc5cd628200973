"""The file service: stat, list, receive and send, in both versions of the first two. Each request is a recorded command."""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING, Final

from corral.model.reading import read_count
from corral.simulator.adbd.stream import Buffered, Stream, StreamClosedError
from corral.simulator.phone.files import MAX_BYTES, Entry, FileError, Files, resolve

if TYPE_CHECKING:
    from corral.simulator.phone.phone import Phone

_REQUEST: Final = struct.Struct("<4sI")
_STAT_V1: Final = struct.Struct("<4sIII")
_STAT_V2: Final = struct.Struct("<4sIQQIIIIQqqq")
_DENT_V1: Final = struct.Struct("<4sIIII")
_DENT_V2: Final = struct.Struct("<4sIQQIIIIQqqqI")
_MAX_PATH: Final = 1024
_MAX_DATA: Final = 64 * 1024
_SHELL: Final = 2000
_DEFAULT_MODE: Final = 0o644


class SyncService:
    """One `sync:` stream: requests until QUIT."""

    def __init__(self, phone: Phone, connection: str) -> None:
        self._phone = phone
        self._connection = connection

    async def serve(self, stream: Stream) -> None:
        """Answer each request. What is no request ends the stream."""
        source = Buffered(stream)
        while True:
            kind, length = _REQUEST.unpack(await source.exactly(_REQUEST.size))
            if kind == b"QUIT":
                return
            if length > _MAX_PATH:
                await stream.write(_failure("path too long"))
                return
            path = (await source.exactly(length)).decode(errors="replace")
            if not await self._answer(kind, path, stream, source):
                return

    async def _answer(self, kind: bytes, path: str, stream: Stream, source: Buffered) -> bool:
        names = {b"SEND": "push", b"RECV": "pull", b"LIST": "list", b"LIS2": "list"}
        line = f"sync {names.get(kind, 'stat')} {path}"
        async with self._phone.command(
            line, connection=self._connection, stream=str(stream.local_id), is_read_only=kind != b"SEND"
        ) as running:
            running.status = 0
            match kind:
                case b"STAT" | b"STA2" | b"LST2":
                    await stream.write(_stat(kind, self._phone.files, path))
                case b"LIST" | b"LIS2":
                    await stream.write(_listing(kind, self._phone.files, path))
                case b"RECV":
                    await self._send_file(path, stream)
                case b"SEND":
                    await self._receive_file(path, stream, source)
                case _:
                    await stream.write(_failure(f"unknown command {kind!r}"))
                    return False
            return True

    async def _send_file(self, path: str, stream: Stream) -> None:
        try:
            data = self._phone.files.read(path)
        except FileError as error:
            await stream.write(_failure(f"open failed: {error.reason}"))
            return
        for at in range(0, len(data), _MAX_DATA):
            part = data[at : at + _MAX_DATA]
            await stream.write(_REQUEST.pack(b"DATA", len(part)) + part)
        await stream.write(_REQUEST.pack(b"DONE", 0))

    async def _receive_file(self, target: str, stream: Stream, source: Buffered) -> None:
        """The path comes with the mode after a comma; the data, with the time of the file at its end."""
        path, _, mode = target.rpartition(",")
        received = bytearray()
        problem = self._prepare(path)
        while True:
            kind, length = _REQUEST.unpack(await source.exactly(_REQUEST.size))
            if kind == b"DONE":
                break
            if kind != b"DATA" or length > _MAX_DATA:
                await stream.write(_failure("invalid data message"))
                raise StreamClosedError
            data = await source.exactly(length)
            if problem is None:
                received += data
            if len(received) > MAX_BYTES:
                received.clear()
                problem = "write failed: No space left on device"
        problem = problem or self._store(path, bytes(received), mode=mode, modified_at=length)
        await stream.write(_failure(problem) if problem else _REQUEST.pack(b"OKAY", 0))

    def _prepare(self, path: str) -> str | None:
        """Make the directories that are missing; a word about why the file cannot be put there."""
        files = self._phone.files
        parent = resolve(path).rpartition("/")[0] or "/"
        try:
            if not files.exists(parent):
                files.make_directory(parent, parents=True)
        except FileError as error:
            return f"secure_mkdirs failed: {error.reason}"
        try:
            files.check_writable(path)
        except FileError as error:
            return f"couldn't create file: {error.reason}"
        return None

    def _store(self, path: str, data: bytes, *, mode: str, modified_at: int) -> str | None:
        told = read_count(mode)
        bits = _DEFAULT_MODE if told is None else told & 0o777
        try:
            self._phone.files.write(path, data, mode=bits, modified_at=modified_at)
        except FileError as error:
            return f"write failed: {error.reason}"
        return None


def _failure(reason: str) -> bytes:
    return _REQUEST.pack(b"FAIL", len(reason.encode())) + reason.encode()


def _stat(kind: bytes, files: Files, path: str) -> bytes:
    try:
        entry = files.stat(path)
    except FileError as error:
        if kind == b"STAT":
            return _STAT_V1.pack(kind, 0, 0, 0)
        return _STAT_V2.pack(kind, error.errno, *(0,) * 10)
    if kind == b"STAT":
        return _STAT_V1.pack(kind, entry.mode, entry.size & 0xFFFFFFFF, entry.modified_at & 0xFFFFFFFF)
    return _STAT_V2.pack(kind, 0, *_numbers(entry, path))


def _numbers(entry: Entry, path: str) -> tuple[int, ...]:
    """Device, inode, mode, links, owner, group, size, and three times."""
    inode = zlib.crc32(resolve(path).encode())
    at = entry.modified_at
    return (1, inode, entry.mode, 1, _SHELL, _SHELL, entry.size, at, at, at)


def _listing(kind: bytes, files: Files, path: str) -> bytes:
    parts = []
    for name in files.names(path) if files.is_directory(path) else []:
        inside = f"{path.rstrip('/')}/{name}"
        entry, encoded = files.stat(inside), name.encode()
        if kind == b"LIST":
            size, at = entry.size & 0xFFFFFFFF, entry.modified_at & 0xFFFFFFFF
            parts.append(_DENT_V1.pack(b"DENT", entry.mode, size, at, len(encoded)))
        else:
            parts.append(_DENT_V2.pack(b"DNT2", 0, *_numbers(entry, inside), len(encoded)))
        parts.append(encoded)
    end = _DENT_V1.pack(b"DONE", 0, 0, 0, 0) if kind == b"LIST" else _DENT_V2.pack(b"DONE", *(0,) * 12)
    return b"".join(parts) + end
