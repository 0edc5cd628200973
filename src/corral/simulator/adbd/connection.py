"""One connection from an adb server: the handshake, then streams. Whatever breaks the protocol ends this connection only."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Final

from corral.drivers.adb.packets import (
    AUTH,
    AUTH_SIGNATURE,
    AUTH_TOKEN,
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
from corral.simulator.adbd.stream import Stream, StreamClosedError

if TYPE_CHECKING:
    from corral.simulator.phone.phone import Phone

_MAX_STREAMS: Final = 256
_TOKEN_BYTES: Final = 20
_MIN_PAYLOAD: Final = 4096

Service = Callable[[Stream], Awaitable[None]]
Opener = Callable[[str, "Connection"], Service | None]


class Connection:
    """The device's side of one connection."""

    def __init__(
        self,
        phone: Phone,
        *,
        name: str,
        banner: bytes,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        opener: Opener,
    ) -> None:
        self.name = name
        self._phone = phone
        self._banner = banner
        self._reader = reader
        self._writer = writer
        self._opener = opener
        self._version = self._peer_version = VERSION_CHECKED
        self._max_payload = MAX_PAYLOAD
        self._streams: dict[int, tuple[Stream, asyncio.Task[None]]] = {}
        self._next_id = 1
        self._has_asked = False
        self._is_online = False

    async def serve(self) -> None:
        """Speak until the other side leaves, breaks the protocol, or the phone goes away."""
        try:
            while True:
                self._handle(await read_packet(self._reader, is_checked=self._is_checked))
                await self._writer.drain()
        except (ProtocolError, asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            await self._end()

    def cut(self) -> None:
        """Drop the line without a word, as when a cable is pulled."""
        self._writer.transport.abort()

    def look(self) -> None:
        """The phone's state changed: a host that waits may be let in, one that is no longer trusted is cut."""
        if not self._phone.is_up or (self._is_online and self._phone.faults.is_unauthorized):
            self.cut()
        elif self._has_asked and not self._is_online and not self._phone.faults.is_unauthorized:
            self._go_online()

    def _send(self, packet: Packet) -> None:
        if not self._writer.is_closing():
            self._writer.write(encode(packet, is_checked=self._is_checked()))

    def _is_checked(self) -> bool:
        return self._version < VERSION_UNCHECKED

    def _handle(self, packet: Packet) -> None:
        if packet.command == CNXN:
            self._on_connect(packet)
        elif packet.command == AUTH:
            if self._has_asked and not self._is_online and packet.arg0 == AUTH_SIGNATURE:
                self._challenge()  # no key is known here; after its last one the host sends it and waits
        elif not self._is_online:
            raise ProtocolError("a stream before the handshake")
        elif packet.command == OPEN:
            self._on_open(packet)
        elif packet.command in {OKAY, WRTE, CLSE}:
            self._on_stream(packet)
        else:
            raise ProtocolError("an unknown command")

    def _on_connect(self, packet: Packet) -> None:
        if self._is_online:
            raise ProtocolError("connected twice")
        if packet.arg1 < _MIN_PAYLOAD:
            raise ProtocolError("a peer that can receive next to nothing")
        self._peer_version = packet.arg0
        self._max_payload = min(MAX_PAYLOAD, packet.arg1)
        self._has_asked = True
        if self._phone.faults.is_unauthorized:
            self._challenge()
        else:
            self._go_online()

    def _challenge(self) -> None:
        self._send(Packet(AUTH, AUTH_TOKEN, 0, secrets.token_bytes(_TOKEN_BYTES)))

    def _go_online(self) -> None:
        self._is_online = True
        self._send(Packet(CNXN, VERSION_UNCHECKED, MAX_PAYLOAD, self._banner))
        self._version = min(VERSION_UNCHECKED, max(VERSION_CHECKED, self._peer_version))

    def _on_open(self, packet: Packet) -> None:
        remote_id, destination = packet.arg0, packet.payload.rstrip(b"\0").decode(errors="replace")
        if remote_id == 0:
            raise ProtocolError("a stream without a number")
        service = self._opener(destination, self) if len(self._streams) < _MAX_STREAMS else None
        if service is None:
            self._send(Packet(CLSE, 0, remote_id))
            return
        stream = Stream(local_id=self._next_id, remote_id=remote_id, max_payload=self._max_payload, send=self._send)
        self._next_id += 1
        self._send(Packet(OKAY, stream.local_id, remote_id))
        task = asyncio.create_task(self._serve_stream(stream, service))
        task.add_done_callback(_tell_of_crash)
        self._streams[stream.local_id] = (stream, task)

    def _on_stream(self, packet: Packet) -> None:
        found = self._streams.get(packet.arg1)
        if found is None or (found[0].remote_id != packet.arg0 and packet.arg0):
            if packet.command == WRTE:
                self._send(Packet(CLSE, 0, packet.arg0))
            return
        stream, task = found
        if packet.command == OKAY:
            stream.on_okay()
        elif packet.command == WRTE:
            stream.on_write(packet.payload)
        else:
            stream.on_close()
            task.cancel()

    async def _serve_stream(self, stream: Stream, service: Service) -> None:
        try:
            await service(stream)
            await stream.flush()
        except StreamClosedError:
            pass
        finally:
            self._streams.pop(stream.local_id, None)
            stream.close()

    async def _end(self) -> None:
        tasks = [task for _, task in self._streams.values()]
        for stream, task in list(self._streams.values()):
            stream.on_close()
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
        self._writer.close()
        with contextlib.suppress(ConnectionError):
            await self._writer.wait_closed()


def _tell_of_crash(task: asyncio.Task[None]) -> None:
    """A service that fails closes its stream and nothing else; that it is a bug of ours must still be seen."""
    error = None if task.cancelled() else task.exception()
    if error is not None:
        task.get_loop().call_exception_handler(
            {"message": "a stream of a simulated phone crashed", "exception": error, "task": task}
        )
