"""One stream within a connection: a service of the phone and its caller, one unacknowledged message each way."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Final

from corral.drivers.adb.packets import CLSE, OKAY, WRTE, Packet, ProtocolError

_MAX_UNREAD: Final = 4
"""A peer sends one message and waits for its acknowledgement; some slack, then it is no adb."""


class StreamClosedError(Exception):
    """The other side closed the stream."""


class Stream:
    """What a service reads from and writes to. Closing it from the other side cancels the service."""

    def __init__(self, *, local_id: int, remote_id: int, max_payload: int, send: Callable[[Packet], None]) -> None:
        self.local_id = local_id
        self.remote_id = remote_id
        self._max_payload = max_payload
        self._send = send
        self._incoming: deque[bytes] = deque()
        self._arrived = asyncio.Event()
        self._may_send = asyncio.Event()
        self._may_send.set()
        self.is_closed = False

    async def read(self) -> bytes:
        """The next bytes; none once the other side has closed."""
        while not self._incoming:
            if self.is_closed:
                return b""
            self._arrived.clear()
            await self._arrived.wait()
        data = self._incoming.popleft()
        if not self.is_closed:
            self._send(Packet(OKAY, self.local_id, self.remote_id))
        return data

    async def write(self, data: bytes) -> None:
        """Send it all, each message acknowledged before the next. Raises StreamClosedError."""
        for start in range(0, len(data), self._max_payload):
            await self._may_send.wait()
            if self.is_closed:
                raise StreamClosedError
            self._may_send.clear()
            self._send(Packet(WRTE, self.local_id, self.remote_id, data[start : start + self._max_payload]))

    async def flush(self) -> None:
        """Wait until the last message was acknowledged: closing before that may lose it."""
        await self._may_send.wait()

    def close(self) -> None:
        """Tell the other side that there is no more."""
        if not self.is_closed:
            self._end()
            self._send(Packet(CLSE, self.local_id, self.remote_id))

    def on_write(self, data: bytes) -> None:
        if len(self._incoming) >= _MAX_UNREAD:
            raise ProtocolError("more messages than were acknowledged")
        self._incoming.append(data)
        self._arrived.set()

    def on_okay(self) -> None:
        self._may_send.set()

    def on_close(self) -> None:
        """The other side is gone: whoever waits to read or write learns of it."""
        self._end()

    def _end(self) -> None:
        self.is_closed = True
        self._arrived.set()
        self._may_send.set()


class Buffered:
    """Exact reads from a stream, for services with a framing of their own."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._rest = b""

    async def exactly(self, count: int) -> bytes:
        """So many bytes. Raises StreamClosedError when there are fewer."""
        parts, missing = [], count
        while missing > 0:
            if not self._rest:
                self._rest = await self._stream.read()
                if not self._rest:
                    raise StreamClosedError
            part, self._rest = self._rest[:missing], self._rest[missing:]
            parts.append(part)
            missing -= len(part)
        return b"".join(parts)

    async def some(self) -> bytes:
        """Whatever comes next; none at the end."""
        if self._rest:
            part, self._rest = self._rest, b""
            return part
        return await self._stream.read()
