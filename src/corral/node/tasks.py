"""Small things about tasks and threads that the agent needs."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Coroutine
from typing import TypeVar

T = TypeVar("T")


async def unless(stopping: asyncio.Event, doing: Coroutine[None, None, T]) -> T | None:
    """What the coroutine returns, or nothing if told to stop before that."""
    told = asyncio.create_task(stopping.wait())
    task = asyncio.create_task(doing)
    try:
        await asyncio.wait({told, task}, return_when=asyncio.FIRST_COMPLETED)
        return task.result() if task.done() else None
    finally:
        told.cancel()
        task.cancel()
        await asyncio.wait({told, task})


def hand_over(loop: asyncio.AbstractEventLoop, act: Callable[[], None]) -> None:
    """Have the loop do something, from another thread; a loop that has ended has nothing left to do."""
    with contextlib.suppress(RuntimeError):
        loop.call_soon_threadsafe(act)


def first_of(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """What really happened: the others are its consequences."""
    error: BaseException = group
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
