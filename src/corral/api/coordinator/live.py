"""An answer that goes on: sent as it comes, ended with the caller who hangs up, broken off where one does not keep up."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any, Final

from litestar.response import Response
from litestar.response.base import ASGIResponse
from litestar.types import Receive, Scope, Send

from corral.telemetry import logger

# A proxy that gathers the answer before it passes it on would spoil it.
_HEADERS: Final = {"cache-control": "no-store", "x-accel-buffering": "no"}
_log = logger(__name__)


class LiveResponse(Response[bytes]):
    """Sends what an iterator yields. `at_end` is called whatever ends it."""

    def __init__(self, parts: AsyncIterator[bytes], *, is_too_slow: asyncio.Event, at_end: Callable[[], None]) -> None:
        super().__init__(b"", media_type="text/event-stream", headers=_HEADERS)
        self._parts = parts
        self._is_too_slow = is_too_slow
        self._at_end = at_end

    def to_asgi_response(self, *_: Any, **__: Any) -> ASGIResponse:  # noqa: ANN401 - whatever Litestar would add
        return _LiveAnswer(self._parts, is_too_slow=self._is_too_slow, at_end=self._at_end)


class _LiveAnswer(ASGIResponse):
    __slots__ = ("at_end", "is_too_slow", "parts")

    _should_set_content_length = False

    def __init__(self, parts: AsyncIterator[bytes], *, is_too_slow: asyncio.Event, at_end: Callable[[], None]) -> None:
        super().__init__(headers=_HEADERS, media_type="text/event-stream", status_code=200)
        self.parts = parts
        self.is_too_slow = is_too_slow
        self.at_end = at_end

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self.at_end()

    async def send_body(self, send: Send, receive: Receive) -> None:
        sending = asyncio.create_task(self._send_parts(send))
        ends = {
            sending,
            asyncio.create_task(_until_gone(receive)),
            asyncio.create_task(self.is_too_slow.wait()),
        }
        try:
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in ends:
                task.cancel()
            await asyncio.gather(*ends, return_exceptions=True)
        if self.is_too_slow.is_set():
            _log.info("a listener did not keep up, and was let go")
        elif not sending.cancelled():
            sending.result()

    async def _send_parts(self, send: Send) -> None:
        async for part in self.parts:
            await send({"type": "http.response.body", "body": part, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
