"""A vendor's program made of a script: for each action the reply, or a function of the connection and the request."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from websockets.asyncio.server import ServerConnection, serve

Talk = Callable[[ServerConnection, dict[str, Any]], Awaitable[None]]


def success(data: object = None) -> str:
    return json.dumps({"code": 10000, "message": "SUCCESS", "data": data})


def failure(message: str) -> str:
    return json.dumps({"code": 10001, "message": message, "data": None})


class FakeProgram:
    def __init__(self, script: dict[str, str | bytes | Talk]) -> None:
        self.script = script
        self.requests: list[dict[str, Any]] = []
        self.left = asyncio.Event()
        """Set when a client's connection ended."""
        self.arrivals: asyncio.Queue[None] = asyncio.Queue()
        """One for each request."""
        self.open = 0
        self.most_open = 0
        self.url = ""

    async def talk(self, connection: ServerConnection) -> None:
        self.open += 1
        self.most_open = max(self.most_open, self.open)
        try:
            async for message in connection:
                request = json.loads(message)
                self.requests.append(request)
                self.arrivals.put_nowait(None)
                answer = self.script.get(request["action"], failure("unknown action"))
                if callable(answer):
                    await answer(connection, request)
                else:
                    await connection.send(answer)
        finally:
            self.open -= 1
            self.left.set()


@asynccontextmanager
async def fake_program(script: dict[str, str | bytes | Talk]) -> AsyncIterator[FakeProgram]:
    fake = FakeProgram(script)
    async with serve(fake.talk, "127.0.0.1", 0, close_timeout=0.1) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        fake.url = f"ws://127.0.0.1:{port}"
        yield fake
