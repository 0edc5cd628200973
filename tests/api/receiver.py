"""A receiver of webhooks on this machine, which does as it is told."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field


@dataclass
class Received:
    """One request."""

    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Receiver:
    """Answers as `answers` say, in order, then 200. An answer is what is written; None hangs, b"" drops the connection."""

    url: str = ""
    answers: list[bytes | None] = field(default_factory=list)
    received: list[Received] = field(default_factory=list)
    is_asked: asyncio.Event = field(default_factory=asyncio.Event)
    _let_go: asyncio.Event = field(default_factory=asyncio.Event)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            first, *lines = head.rstrip().split("\r\n")
            headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
            body = await reader.readexactly(int(headers.get("content-length", 0)))
            self.received.append(Received(first.split()[1], headers, body))
            self.is_asked.set()
            answer = self.answers.pop(0) if self.answers else answering(200)
            if answer is None:
                await self._let_go.wait()
            else:
                writer.write(answer)
                await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    def let_go(self) -> None:
        self._let_go.set()


def answering(status: int, body: bytes = b"", **headers: str) -> bytes:
    told = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items())
    return f"HTTP/1.1 {status} Said\r\ncontent-length: {len(body)}\r\n{told}\r\n".encode() + body


@asynccontextmanager
async def receiving(*answers: bytes | None) -> AsyncIterator[Receiver]:
    """A receiver on a free port of this machine."""
    receiver = Receiver(answers=list(answers))
    serve: Callable[[asyncio.StreamReader, asyncio.StreamWriter], object] = receiver.serve
    server = await asyncio.start_server(serve, "127.0.0.1", 0)  # type: ignore[arg-type]  # it is a coroutine
    receiver.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/hook"
    try:
        yield receiver
    finally:
        receiver.let_go()
        server.close()
        await server.wait_closed()
