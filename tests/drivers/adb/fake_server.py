"""An adb server made of a script: for each request the bytes to answer with, or a function of the connection."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from corral.drivers.adb.admission import Admission
from corral.drivers.adb.server import AdbServer
from corral.drivers.adb.services import Services

Talk = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
OKAY = b"OKAY"


def fail(words: str) -> bytes:
    return b"FAIL" + text(words)


def text(words: str) -> bytes:
    data = words.encode()
    return f"{len(data):04x}".encode() + data


async def never(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Say nothing until the other side leaves."""
    await reader.read()


class FakeServer:
    """Answers requests by the script; whatever is not in it is refused. Closes after the last answer of a connection."""

    def __init__(self, script: dict[str, bytes | Talk]) -> None:
        self.script = {"host:version": OKAY + text("0029"), **script}
        self.requests: list[str] = []
        self.left = asyncio.Event()
        """Set when a client closed its connection."""
        self.arrivals: asyncio.Queue[None] = asyncio.Queue()
        """One for each connection that was opened."""
        self.open = 0
        self.most_open = 0
        self.port = 0
        self.server = AdbServer(port=0)

    @property
    def services(self) -> Services:
        return Services(self.server, Admission())

    def services_with(self, *, handshake_s: float = 10, limit: int = 32) -> Services:
        return Services(self.server, Admission(limit=limit), handshake_s=handshake_s)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.open += 1
        self.most_open = max(self.most_open, self.open)
        self.arrivals.put_nowait(None)
        try:
            while digits := await reader.read(4):
                request = (await reader.readexactly(int(digits, 16))).decode()
                self.requests.append(request)
                answer = self.script.get(request, fail(f"unknown host service {request}"))
                if callable(answer):
                    await answer(reader, writer)
                    return
                writer.write(answer)
                if not request.startswith("host:transport:"):
                    await writer.drain()
                    return
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            self.open -= 1
            self.left.set()
            writer.transport.abort()


@asynccontextmanager
async def fake_server(script: dict[str, bytes | Talk]) -> AsyncIterator[FakeServer]:
    """A server with a phone `P` that can be talked to, and what the script says."""
    fake = FakeServer({"host:transport:P": OKAY, "host-serial:P:features": OKAY + text("shell_v2,cmd"), **script})
    listener = await asyncio.start_server(fake.serve, "127.0.0.1", 0)
    fake.port = listener.sockets[0].getsockname()[1]
    fake.server = AdbServer(port=fake.port)
    try:
        yield fake
    finally:
        listener.close()
        await listener.wait_closed()
