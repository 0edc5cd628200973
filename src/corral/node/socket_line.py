"""A WebSocket to the server as a line for adb's bytes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Final

from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus

from corral.model.errors import ServerUnavailableError
from corral.node.problems import raise_for_problem
from corral.sockets import DirectConnect

MOST_FRAME_BYTES: Final = 1 << 20
_CONNECT_S: Final = 10.0
_GOODBYE_S: Final = 2.0
_MOST_QUEUED: Final = 4


class SocketLine:
    """See Line."""

    def __init__(self, connection: ClientConnection) -> None:
        self._connection = connection

    async def read(self) -> bytes:
        try:
            return await self._connection.recv(decode=False)
        except ConnectionClosed:
            return b""

    async def send(self, data: bytes) -> None:
        try:
            await self._connection.send(data)
        except ConnectionClosed as error:
            raise ConnectionResetError("the tunnel was closed") from error

    def abort(self) -> None:
        """Nothing: whoever opened the line closes it, with a word on why."""

    async def close(self, reason: str = "") -> None:
        """Let go, and say why, within a moment. The reason is a frame of text: not every server is told that of a close."""
        try:
            async with asyncio.timeout(_GOODBYE_S):
                if reason:
                    await self._connection.send(reason)
                await self._connection.close()
        except (ConnectionClosed, TimeoutError):
            return
        finally:
            self._connection.transport.abort()


@asynccontextmanager
async def open_line(url: str, *, headers: Mapping[str, str]) -> AsyncIterator[SocketLine]:
    """A line for the length of a block. Raises ServerUnavailableError, RequestRefusedError and the like."""
    try:
        connection = await DirectConnect(
            url,
            additional_headers=headers,
            max_size=MOST_FRAME_BYTES,
            max_queue=_MOST_QUEUED,
            compression=None,
            open_timeout=_CONNECT_S,
            close_timeout=_GOODBYE_S,
        )
    except InvalidStatus as error:
        raise_for_problem(error.response.status_code, bytes(error.response.body or b""), url=url)
        raise ServerUnavailableError(f"answered {error.response.status_code} to a WebSocket") from error
    except (OSError, TimeoutError, InvalidHandshake) as error:
        raise ServerUnavailableError(f"no tunnel: {type(error).__name__}: {error}") from error
    line = SocketLine(connection)
    try:
        yield line
    finally:
        await line.close()
