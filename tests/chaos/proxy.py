"""A bad network between nodes and servers: it cuts, delays, loses answers, sends requests again; and keeps what it saw."""

import asyncio
import contextlib
import random
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import IO, Any

import msgspec
from msgspec import Struct

from tests.chaos.messages import Message, read_message

_READ_LIMIT = 1 << 20
_ANSWER_S = 60.0
_KEPT = (
    "/api/nodes/callback",
    "/api/nodes/pull",
    "/api/nodes/claim",
    "/api/nodes/heartbeat",
    "/api/nodes/register",
)


class Weather(Struct):
    """What happens to a node's requests now. Chances are from 0 to 1."""

    is_cut: bool = False
    is_mute: bool = False
    """Whether callbacks are lost on their way, and nothing else is."""

    most_delay_s: float = 0.0
    lost_replies: float = 0.0
    doubled: float = 0.0


class Exchange(Struct, kw_only=True):
    """A request that reached a server, and its answer if there was one. Times are of the proxy's monotonic clock."""

    node: str
    line: str
    asked_at_s: float
    request: Any
    is_again: bool
    """Whether it was sent by the proxy once more, in the node's name."""

    answered_at_s: float | None = None
    status: int | None = None
    answer: Any = None
    is_delivered: bool = False
    """Whether the answer went on to the node."""


class Proxy:
    """One port per node; each request goes to any server that answers."""

    def __init__(self, servers: Callable[[], list[int]], *, seed: int, path: Path) -> None:
        self._servers = servers
        self._chance = random.Random(seed)
        self._sink: IO[bytes] = path.open("wb")
        self._listeners: list[asyncio.Server] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._open: dict[str, set[asyncio.StreamWriter]] = {}
        self.weather: dict[str, Weather] = {}
        self.ports: dict[str, int] = {}
        self.requests = 0

    @classmethod
    @asynccontextmanager
    async def listening(
        cls, nodes: list[str], servers: Callable[[], list[int]], *, seed: int, path: Path
    ) -> AsyncIterator["Proxy"]:
        proxy = cls(servers, seed=seed, path=path)
        for node in nodes:
            await proxy._listen(node)
        try:
            yield proxy
        finally:
            await proxy._close()

    def cut(self, node: str) -> None:
        """Let nothing of this node through, and end what is under way."""
        self.weather[node].is_cut = True
        for writer in self._open[node]:
            writer.transport.abort()

    def is_cut(self, node: str) -> bool:
        return self.weather[node].is_cut

    def clear(self) -> None:
        """Fair weather for everybody."""
        for weather in self.weather.values():
            weather.is_cut = weather.is_mute = False
            weather.most_delay_s = weather.lost_replies = weather.doubled = 0.0

    def flush(self) -> None:
        """Have everything on disk that was seen."""
        self._sink.flush()

    async def _listen(self, node: str) -> None:
        self.weather[node] = Weather()
        self._open[node] = set()

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            self._open[node].add(writer)
            try:
                with contextlib.suppress(OSError, EOFError, ValueError, asyncio.LimitOverrunError):
                    await self._serve(node, reader, writer)
            finally:
                self._open[node].discard(writer)
                writer.close()

        listener = await asyncio.start_server(serve, "127.0.0.1", 0, limit=_READ_LIMIT)
        self._listeners.append(listener)
        self.ports[node] = listener.sockets[0].getsockname()[1]

    async def _serve(self, node: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        weather = self.weather[node]
        while not self.is_cut(node) and (request := await read_message(reader)) is not None:
            if weather.most_delay_s:
                await asyncio.sleep(self._chance.uniform(0, weather.most_delay_s))
            if self.is_cut(node) or (weather.is_mute and "/api/nodes/callback" in request.first_line):
                return
            if self._chance.random() < weather.doubled:
                self._send_again(node, request, self._chance.uniform(0, 5))
            exchange = self._begin(node, request, is_again=False)
            try:
                answer = await self._forward(exchange, request)
                if answer is None or self.is_cut(node) or self._chance.random() < weather.lost_replies:
                    return
                if weather.most_delay_s:
                    await asyncio.sleep(self._chance.uniform(0, weather.most_delay_s))
                writer.write(answer.raw)
                await writer.drain()
                exchange.is_delivered = True
            finally:  # a server's answer is evidence, whoever hears it
                self._keep(exchange)

    def _begin(self, node: str, request: Message, *, is_again: bool) -> Exchange:
        self.requests += 1
        return Exchange(
            node=node,
            line=request.first_line,
            asked_at_s=time.monotonic(),
            request=_kept(request, request.first_line),
            is_again=is_again,
        )

    def _send_again(self, node: str, request: Message, after_s: float) -> None:
        async def send() -> None:
            await asyncio.sleep(after_s)
            exchange = self._begin(node, request, is_again=True)
            try:
                await self._forward(exchange, request)
            finally:
                self._keep(exchange)

        task = asyncio.create_task(send())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _forward(self, exchange: Exchange, request: Message) -> Message | None:
        """The answer of a server, which is then in the exchange, too; None where none came."""
        ports = self._servers()
        self._chance.shuffle(ports)
        for port in ports:
            try:
                reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=_READ_LIMIT)
            except OSError:
                continue
            try:
                async with asyncio.timeout(_ANSWER_S):
                    writer.write(request.raw)
                    await writer.drain()
                    answer = await read_message(reader, has_body=not request.head.startswith(b"HEAD"))
            except (OSError, EOFError, TimeoutError, ValueError):
                return None
            finally:
                writer.close()
            if answer is not None:
                exchange.answered_at_s = time.monotonic()
                exchange.status = int(answer.first_line.split()[1])
                exchange.answer = _kept(answer, exchange.line)
            return answer
        return None

    def _keep(self, exchange: Exchange) -> None:
        self._sink.write(msgspec.json.encode(exchange) + b"\n")

    async def _close(self) -> None:
        for listener in self._listeners:
            listener.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for writers in self._open.values():
            for writer in writers:
                writer.transport.abort()
        self._sink.close()


def _kept(message: Message, line: str) -> object:
    return message.json if any(path in line for path in _KEPT) else None
