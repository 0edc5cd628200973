"""The device's side of one adb connection, with a phone behind it. Whatever breaks the protocol ends this line alone."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from corral.drivers.adb.bridge.allowed import is_allowed
from corral.drivers.adb.bridge.line import Incoming, Line
from corral.drivers.adb.bridge.reach import AdbReach
from corral.drivers.adb.bridge.stream import Stream
from corral.drivers.adb.packets import (
    AUTH,
    CLSE,
    CNXN,
    MAX_PAYLOAD,
    OKAY,
    OPEN,
    VERSION_CHECKED,
    VERSION_UNCHECKED,
    WRTE,
    Packet,
    ProtocolError,
    encode,
    read_packet,
)
from corral.drivers.fence import check_touch
from corral.model.errors import DeviceError, TouchForbiddenError
from corral.telemetry import logger

MOST_STREAMS: Final = 64
_GREETING_S: Final = 30.0
_SEND_S: Final = 60.0
"""Somebody who takes nothing for so long is not there any more."""

_MIN_PAYLOAD: Final = 4096
_LONGEST_NAME: Final = 120
_log = logger(__name__)


async def serve_bridge(line: Line, *, reach: Callable[[], AdbReach], may_touch: Callable[[], bool]) -> None:
    """Be the phone on this line until the other side leaves or breaks the protocol; then, or cancelled, let go of all.

    `reach` finds the phone, anew for each stream, since it may have been replugged; `may_touch` is asked before
    whatever would touch it. Raises TouchForbiddenError when it says no, and DeviceError when the phone cannot be reached
    to begin with.
    """
    bridge = _Bridge(line, reach=reach, may_touch=may_touch)
    try:
        await bridge.serve()
    finally:
        line.abort()


class _Bridge:
    def __init__(self, line: Line, *, reach: Callable[[], AdbReach], may_touch: Callable[[], bool]) -> None:
        self._line = line
        self._incoming = Incoming(line)
        self._reach = reach
        self._may_touch = may_touch
        self._version = VERSION_CHECKED
        self._max_payload = MAX_PAYLOAD
        self._sending = asyncio.Lock()
        self._streams: dict[int, Stream] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._next_id = 1
        self._trouble: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def serve(self) -> None:
        check_touch(self._may_touch)
        banner = await self._reach().introduce()
        reading = asyncio.create_task(self._read(banner))
        try:
            await asyncio.wait({reading, self._trouble}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            tasks = [reading, *self._tasks]
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)
        if not reading.cancelled() and (error := reading.exception()) is not None:
            self._judge(error)
        if self._trouble.done():
            self._trouble.result()

    async def _read(self, banner: bytes) -> None:
        async with asyncio.timeout(_GREETING_S):
            await self._greet(banner)
        while True:
            await self._handle(await self._next())

    def _judge(self, error: BaseException) -> None:
        """The other side's mistakes and departures are an end like any other."""
        if isinstance(error, ProtocolError | TimeoutError):
            _log.info("an adb connection was broken off", why=str(error) or "it said nothing")
        elif not isinstance(error, asyncio.IncompleteReadError | ConnectionError):
            raise error

    async def _next(self) -> Packet:
        return await read_packet(self._incoming, is_checked=lambda: self._version < VERSION_UNCHECKED)

    async def _send(self, packet: Packet) -> None:
        async with self._sending, asyncio.timeout(_SEND_S):
            await self._line.send(encode(packet, is_checked=self._version < VERSION_UNCHECKED))

    async def _greet(self, banner: bytes) -> None:
        packet = await self._next()
        if packet.command != CNXN:
            raise ProtocolError("no greeting")
        if packet.arg1 < _MIN_PAYLOAD:
            raise ProtocolError("a peer that can receive next to nothing")
        self._max_payload = min(MAX_PAYLOAD, packet.arg1)
        # Who comes by this line has proved elsewhere that the phone is theirs: no key is asked for.
        await self._send(Packet(CNXN, VERSION_UNCHECKED, MAX_PAYLOAD, banner))
        self._version = min(VERSION_UNCHECKED, max(VERSION_CHECKED, packet.arg0))

    async def _handle(self, packet: Packet) -> None:
        if packet.command == OPEN:
            await self._on_open(packet)
        elif packet.command in {OKAY, WRTE, CLSE}:
            await self._on_stream(packet)
        elif packet.command != AUTH:  # a late word of a host that expected to be asked for its key
            raise ProtocolError("a command that has no place here")

    async def _on_open(self, packet: Packet) -> None:
        remote_id, service = packet.arg0, packet.payload.rstrip(b"\0")
        if remote_id == 0:
            raise ProtocolError("a stream without a number")
        check_touch(self._may_touch)
        if len(self._tasks) >= MOST_STREAMS or not is_allowed(service):
            _log.info("a service was refused", service=service[:_LONGEST_NAME].decode(errors="replace"))
            await self._send(Packet(CLSE, 0, remote_id))
            return
        stream = Stream(
            local_id=self._next_id,
            remote_id=remote_id,
            max_payload=self._max_payload,
            send=self._send,
            may_touch=self._may_touch,
        )
        self._next_id += 1
        self._streams[stream.local_id] = stream
        task = asyncio.create_task(self._serve_stream(stream, service))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _on_stream(self, packet: Packet) -> None:
        stream = self._streams.get(packet.arg1)
        if stream is None or (packet.arg0 and stream.remote_id != packet.arg0):
            if packet.command == WRTE:
                await self._send(Packet(CLSE, 0, packet.arg0))
        elif packet.command == OKAY:
            stream.on_okay()
        elif packet.command == WRTE:
            stream.on_write(packet.payload)
        else:
            stream.on_close()

    async def _serve_stream(self, stream: Stream, service: bytes) -> None:
        local_id = 0
        try:
            async with self._reach().open_service(service) as connection:
                local_id = stream.local_id
                await self._send(Packet(OKAY, local_id, stream.remote_id))
                await stream.carry(connection)
        except TouchForbiddenError as error:
            self._fail(error)
            return
        except DeviceError as error:
            _log.info("a service did not open", why=error.message)
        except (ConnectionError, TimeoutError) as error:
            self._fail(ConnectionAbortedError(str(error)))
            return
        finally:
            self._streams.pop(stream.local_id, None)
        try:
            await self._send(Packet(CLSE, local_id, stream.remote_id))
        except (ConnectionError, TimeoutError) as error:
            self._fail(ConnectionAbortedError(str(error)))

    def _fail(self, error: Exception) -> None:
        """One stream's trouble that is the whole line's."""
        if self._trouble.done():
            return
        if isinstance(error, TouchForbiddenError):
            self._trouble.set_exception(error)
        else:
            self._trouble.set_result(None)
