"""The line that a bridge speaks on, whatever carries its bytes."""

from __future__ import annotations

import asyncio
from typing import Final, Protocol

_CHUNK: Final = 1 << 16


class Line(Protocol):
    """Bytes both ways. A read or a send that fails raises ConnectionError; sending waits while the other side does not read."""

    async def read(self) -> bytes:
        """Some bytes; none at the end."""
        ...

    async def send(self, data: bytes) -> None: ...

    def abort(self) -> None:
        """Let go at once, whatever is still on its way."""
        ...


class TcpLine:
    """A TCP connection as a line."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def read(self) -> bytes:
        return await self._reader.read(_CHUNK)

    async def send(self, data: bytes) -> None:
        self._writer.write(data)
        await self._writer.drain()

    def abort(self) -> None:
        self._writer.transport.abort()


class Incoming:
    """Exact reads from a line."""

    def __init__(self, line: Line) -> None:
        self._line = line
        self._rest = b""

    async def readexactly(self, n: int) -> bytes:
        """So many bytes. Raises IncompleteReadError when there are fewer."""
        parts: list[bytes] = []
        missing = n
        while missing > 0:
            if not self._rest:
                self._rest = await self._line.read()
                if not self._rest:
                    raise asyncio.IncompleteReadError(b"".join(parts), n)
            part, self._rest = self._rest[:missing], self._rest[missing:]
            parts.append(part)
            missing -= len(part)
        return b"".join(parts)
