"""The two ends of a tunnel, each a WebSocket: a caller's of this process, or one that another process handed over."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any, Final, NoReturn, Protocol, cast

from litestar import WebSocket
from litestar.exceptions import WebSocketDisconnect
from websockets.asyncio.connection import Connection
from websockets.exceptions import ConnectionClosed

MOST_FRAME_BYTES: Final = 1 << 20
GOING_AWAY: Final = 1001
OVER: Final = 4409
"""Closed because the session, or its hold of the phone, has ended. As the status 409 would say it."""

LAST_WORD: Final = 4502
"""Closed because an end said so, in words of its own: the phone cannot be reached, say."""

_LONGEST_REASON: Final = 120
_GOODBYE_S: Final = 2.0
_SEND_S: Final = 60.0
_NO_STATUS: Final = frozenset({1005, 1006, 1015})


class EndClosedError(Exception):
    """One end of a tunnel is gone; the other is told the same."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(reason)
        # Numbers that only say that nothing was said cannot be said.
        self.code = GOING_AWAY if code in _NO_STATUS else code
        self.reason = reason


class End(Protocol):
    """Binary frames both ways. Sending waits while the other side does not read."""

    async def receive(self) -> bytes:
        """The next frame. Raises EndClosedError."""
        ...

    async def send(self, data: bytes) -> None:
        """Raises EndClosedError; also when the other side takes nothing for a minute."""
        ...

    async def close(self, code: int, reason: str) -> None:
        """Say goodbye and let go, within a moment; never raises."""
        ...


class SocketEnd:
    """The WebSocket of a caller of this process."""

    def __init__(self, socket: WebSocket[Any, Any, Any]) -> None:
        self._socket = socket

    async def receive(self) -> bytes:
        message = cast("dict[str, Any]", await self._socket.receive())
        if message["type"] == "websocket.disconnect":
            raise EndClosedError(message.get("code") or GOING_AWAY, message.get("reason") or "the other end has gone")
        data = message.get("bytes")
        if data is None:  # a text is an end's last word: granian does not tell the reason of a close
            raise EndClosedError(LAST_WORD, message.get("text") or "")
        if len(data) > MOST_FRAME_BYTES:
            raise EndClosedError(1009, "a frame is too large")
        return cast("bytes", data)

    async def send(self, data: bytes) -> None:
        try:
            async with asyncio.timeout(_SEND_S):
                await self._socket.send({"type": "websocket.send", "bytes": data, "text": None})
        except (TimeoutError, RuntimeError, OSError, WebSocketDisconnect) as error:
            raise EndClosedError(GOING_AWAY, "the other end has gone") from error

    async def close(self, code: int, reason: str) -> None:
        with contextlib.suppress(TimeoutError, RuntimeError, OSError, WebSocketDisconnect):
            async with asyncio.timeout(_GOODBYE_S):
                await self._socket.close(code, shorten(reason))


class PeerEnd:
    """A WebSocket between two server processes, seen from either."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def receive(self) -> bytes:
        try:
            data = await self._connection.recv(decode=False)
        except ConnectionClosed as error:
            _raise(error)
        return data

    async def send(self, data: bytes) -> None:
        try:
            async with asyncio.timeout(_SEND_S):
                await self._connection.send(data)
        except ConnectionClosed as error:
            _raise(error)
        except TimeoutError as error:
            raise EndClosedError(GOING_AWAY, "the other end has gone") from error

    async def close(self, code: int, reason: str) -> None:
        try:
            async with asyncio.timeout(_GOODBYE_S):
                await self._connection.close(code, shorten(reason))
        except TimeoutError:
            self._connection.transport.abort()


async def relay(one: End, other: End) -> EndClosedError:
    """Carry frames both ways until an end is gone; how it said so. Cancelled, it leaves both open."""
    pumps = [asyncio.create_task(_pump(one, other)), asyncio.create_task(_pump(other, one))]
    try:
        done, _ = await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
        return done.pop().result()
    finally:
        for pump in pumps:
            pump.cancel()
        await asyncio.gather(*pumps, return_exceptions=True)


def shorten(reason: str) -> str:
    """As much of it as a WebSocket's last frame holds."""
    return reason.encode()[:_LONGEST_REASON].decode(errors="ignore")


async def _pump(source: End, target: End) -> EndClosedError:
    try:
        while True:
            await target.send(await source.receive())
    except EndClosedError as closed:
        return closed


def _raise(error: ConnectionClosed) -> NoReturn:
    said = error.rcvd or error.sent
    if said is None:
        raise EndClosedError(GOING_AWAY, "the connection broke off") from error
    raise EndClosedError(said.code, said.reason) from error
