"""What requests that wait for news have in common."""

import asyncio
import contextlib
from typing import Any

from litestar import Request


async def until_gone(request: Request[Any, Any, Any]) -> None:
    """Return when the caller has hung up. The body must have been read."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def first_of(news: asyncio.Event, gone: asyncio.Task[None], *, timeout_s: float) -> None:
    """Return at the first of news, the caller's end and the timeout."""
    heard = asyncio.create_task(news.wait())
    try:
        await asyncio.wait({heard, gone}, timeout=timeout_s, return_when=asyncio.FIRST_COMPLETED)
    finally:
        heard.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await heard
