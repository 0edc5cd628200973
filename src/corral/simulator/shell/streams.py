"""Streams that are not the caller's: files, pipes, captured output."""

from __future__ import annotations

from typing import Final

from corral.simulator.clock import Clock
from corral.simulator.shell.call import Io

_MAX_CAPTURED: Final = 32 << 20


class Captured:
    """Reads given bytes; keeps what is written, up to a bound (a runaway pipe must not eat the host's memory)."""

    def __init__(self, stdin: bytes = b"") -> None:
        self._stdin = stdin
        self.stdout = bytearray()
        self.stderr = bytearray()

    async def read(self) -> bytes:
        data, self._stdin = self._stdin, b""
        return data

    async def out(self, data: bytes) -> None:
        _keep(self.stdout, data)

    async def err(self, data: bytes) -> None:
        _keep(self.stderr, data)


class Redirected:
    """Another Io with some of its streams replaced by buffers, or joined."""

    def __init__(self, outer: Io, *, stdin: bytes | None = None) -> None:
        self._outer = outer
        self._stdin = stdin
        self._targets: dict[int, bytearray | int] = {}

    def send(self, stream: int, target: bytearray | int) -> None:
        """Stream 1 or 2 goes into this buffer, or to where the other stream goes *now* (`2>&1`)."""
        if isinstance(target, int):
            target = self._targets.get(target, target)
        self._targets[stream] = target

    def feed(self, stdin: bytes) -> None:
        self._stdin = stdin

    async def read(self) -> bytes:
        if self._stdin is None:
            return await self._outer.read()
        data, self._stdin = self._stdin, b""
        return data

    async def out(self, data: bytes) -> None:
        await self._write(1, data)

    async def err(self, data: bytes) -> None:
        await self._write(2, data)

    async def _write(self, stream: int, data: bytes) -> None:
        target = self._targets.get(stream, stream)
        if isinstance(target, bytearray):
            _keep(target, data)
        elif target == 1:
            await self._outer.out(data)
        else:
            await self._outer.err(data)


class Dripping:
    """Another Io whose output comes a byte at a time."""

    def __init__(self, outer: Io, interval_s: float, clock: Clock) -> None:
        self._outer = outer
        self._interval_s = interval_s
        self._clock = clock

    async def read(self) -> bytes:
        return await self._outer.read()

    async def out(self, data: bytes) -> None:
        for at in range(len(data)):
            await self._clock.sleep(self._interval_s)
            await self._outer.out(data[at : at + 1])

    async def err(self, data: bytes) -> None:
        for at in range(len(data)):
            await self._clock.sleep(self._interval_s)
            await self._outer.err(data[at : at + 1])


def _keep(buffer: bytearray, data: bytes) -> None:
    buffer += data[: max(0, _MAX_CAPTURED - len(buffer))]
