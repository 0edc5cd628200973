"""Carrying the bytes of local connections to the server, each over a WebSocket of its own."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping
from typing import Final

from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed, ConnectionClosedOK, InvalidHandshake, InvalidStatus

from corral.client.problems import to_error
from corral.sockets import DirectConnect

_CONNECT_S: Final = 30.0
"""The server meets the phone's node before it answers."""

_CHUNK: Final = 1 << 18
_MOST_FRAME_BYTES: Final = 1 << 20
_MOST_QUEUED: Final = 4
_MOST_LINES: Final = 16
_GOODBYE_S: Final = 1.0


class Carrier:
    """What is accepted here goes to one session's phone. `trouble` is why the server last refused or cut something."""

    def __init__(self, url: str, headers: Mapping[str, str]) -> None:
        self._url = url
        self._headers = headers
        self._lines: set[asyncio.Task[None]] = set()
        self.trouble: str | None = None

    def accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Carry a connection, in the background."""
        if len(self._lines) >= _MOST_LINES:
            writer.transport.abort()
            return
        task = asyncio.get_running_loop().create_task(self._carry(reader, writer))
        self._lines.add(task)
        task.add_done_callback(self._lines.discard)

    async def aclose(self) -> None:
        """Cut everything."""
        lines = list(self._lines)
        for line in lines:
            line.cancel()
        if lines:
            await asyncio.wait(lines)

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            socket = await DirectConnect(
                self._url,
                additional_headers=self._headers,
                max_size=_MOST_FRAME_BYTES,
                max_queue=_MOST_QUEUED,
                compression=None,
                open_timeout=_CONNECT_S,
                close_timeout=_GOODBYE_S,
            )
            try:
                await self._pump(socket, reader, writer)
            finally:
                await _let_go(socket)
        except InvalidStatus as error:
            said = error.response
            self.trouble = to_error(said.status_code, bytes(said.body or b""), url=self._url).message
        except (OSError, TimeoutError, InvalidHandshake) as error:
            self.trouble = f"the server cannot be reached: {error}"
        finally:
            writer.transport.abort()
            with contextlib.suppress(OSError):
                await writer.wait_closed()

    async def _pump(self, socket: ClientConnection, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        ways = [asyncio.create_task(_upward(socket, reader)), asyncio.create_task(_downward(socket, writer))]
        try:
            done, _ = await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for way in ways:
                way.cancel()
            await asyncio.gather(*ways, return_exceptions=True)
        for way in done:
            self._judge(way.exception())

    def _judge(self, error: BaseException | None) -> None:
        if isinstance(error, ConnectionClosed) and not isinstance(error, ConnectionClosedOK):
            said = error.rcvd
            self.trouble = (said.reason if said is not None else "") or "the connection to the server broke off"
        elif error is not None and not isinstance(error, ConnectionClosed | OSError):
            raise error


async def _let_go(socket: ClientConnection) -> None:
    """Say goodbye; cancelled meanwhile, or not answered, do without."""
    try:
        await socket.close()
    finally:
        socket.transport.abort()
        await socket.wait_closed()


async def _upward(socket: ClientConnection, reader: asyncio.StreamReader) -> None:
    with contextlib.suppress(ConnectionResetError):
        while data := await reader.read(_CHUNK):
            await socket.send(data)


async def _downward(socket: ClientConnection, writer: asyncio.StreamWriter) -> None:
    while True:
        writer.write(await socket.recv(decode=False))
        await writer.drain()
