"""What can be opened on a phone: shell (both protocols), exec, sync, reboot. Everything else is refused."""

from __future__ import annotations

import asyncio
import struct
from typing import TYPE_CHECKING, Final

from corral.model.reading import read_count
from corral.simulator.adbd.connection import Connection, Service
from corral.simulator.adbd.stream import Buffered, Stream, StreamClosedError
from corral.simulator.adbd.sync import SyncService
from corral.simulator.shell.call import Io

if TYPE_CHECKING:
    from corral.simulator.phone.phone import Phone

_STDIN, _STDOUT, _STDERR, _EXIT, _CLOSE_STDIN = range(5)
_FRAME: Final = struct.Struct("<BI")
_MAX_FRAME: Final = 1 << 20
_MAX_LINE: Final = 1 << 20


def open_service(phone: Phone, destination: str, connection: Connection) -> Service | None:
    """The service of this name, or none if phones have no such service."""
    name, _, rest = destination.partition(":")
    name, *options = name.split(",")
    services: dict[str, Service] = {
        "shell": lambda stream: _shell(phone, rest, stream, connection, is_v2="v2" in options),
        "exec": lambda stream: _raw(phone, rest, stream, connection),
        "sync": lambda stream: SyncService(phone, connection.name).serve(stream),
        "reboot": lambda stream: _reboot(phone, stream, connection),
        "reconnect": lambda stream: _reconnect(stream, connection),
        "root": _refuse_root,
        "unroot": _refuse_root,
        "remount": _refuse_root,
    }
    return services.get(name)


async def _refuse_root(stream: Stream) -> None:
    await stream.write(b"adbd cannot run as root in production builds\n")


async def _shell(phone: Phone, line: str, stream: Stream, connection: Connection, *, is_v2: bool) -> None:
    if not is_v2:
        await _raw(phone, line, stream, connection)
        return
    io = _FramedIo(stream)
    reading = asyncio.create_task(io.receive())
    try:
        status = await _run(phone, line, io, connection, stream)
        await stream.write(_FRAME.pack(_EXIT, 1) + bytes([status & 0xFF]))
    finally:
        reading.cancel()


async def _raw(phone: Phone, line: str, stream: Stream, connection: Connection) -> None:
    """Output and complaints in one stream, and no exit code: what adb had before its second shell protocol."""
    await _run(phone, line, _RawIo(stream), connection, stream)


async def _run(phone: Phone, line: str, io: Io, connection: Connection, stream: Stream) -> int:
    if line.strip():
        return await phone.run(line, io, connection=connection.name, stream=str(stream.local_id))
    status, rest = 0, b""
    while data := await io.read():  # an interactive shell: line after line until the input ends
        *lines, rest = (rest + data).split(b"\n")
        for each in lines:
            text = each.decode(errors="replace").strip("\r ")
            word, *rest_of_line = text.split() or [""]
            if word == "exit":
                told = read_count(rest_of_line[0]) if rest_of_line else None
                return status if told is None else told
            if text:
                status = await phone.run(text, io, connection=connection.name, stream=str(stream.local_id))
        if len(rest) > _MAX_LINE:
            return 1
    return status


async def _reboot(phone: Phone, stream: Stream, connection: Connection) -> None:
    async with phone.command(
        "reboot", connection=connection.name, stream=str(stream.local_id), is_read_only=False
    ) as running:
        running.status = 0
        running.task = None  # the answer must get out before the line is cut
    stream.close()
    await asyncio.sleep(0)
    phone.reboot()


async def _reconnect(stream: Stream, connection: Connection) -> None:
    await stream.write(b"done")
    await stream.flush()
    connection.cut()


class _RawIo:
    def __init__(self, stream: Stream) -> None:
        self._stream = stream

    async def read(self) -> bytes:
        return await self._stream.read()

    async def out(self, data: bytes) -> None:
        await self._stream.write(data)

    async def err(self, data: bytes) -> None:
        await self._stream.write(data)


class _FramedIo:
    """The second shell protocol: input, output and complaints in frames of their own."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._incoming: asyncio.Queue[bytes] = asyncio.Queue(maxsize=4)
        self._has_ended = False

    async def receive(self) -> None:
        """Sort what arrives, until there is no more input."""
        frames = Buffered(self._stream)
        try:
            while True:
                kind, length = _FRAME.unpack(await frames.exactly(_FRAME.size))
                if length > _MAX_FRAME:
                    break
                data = await frames.exactly(length)
                if kind == _STDIN and data:
                    await self._incoming.put(data)
                elif kind == _CLOSE_STDIN:
                    break
        except StreamClosedError:
            pass
        await self._incoming.put(b"")

    async def read(self) -> bytes:
        if self._has_ended:
            return b""
        data = await self._incoming.get()
        self._has_ended = not data
        return data

    async def out(self, data: bytes) -> None:
        await self._write(_STDOUT, data)

    async def err(self, data: bytes) -> None:
        await self._write(_STDERR, data)

    async def _write(self, kind: int, data: bytes) -> None:
        if data:
            await self._stream.write(_FRAME.pack(kind, len(data)) + data)
