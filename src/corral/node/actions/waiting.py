"""Waiting for something to become so, within bounds. Both names of time are here alone, for tests to replace."""

from __future__ import annotations

import asyncio
import time

sleep = asyncio.sleep
now = time.monotonic


class Patience:
    """How long something has been waited for, and whether that is long enough. Without a limit it never ends."""

    def __init__(self, limit_s: float | None = None) -> None:
        self._limit_s = limit_s
        self._began_at = now()

    @property
    def waited_s(self) -> float:
        return now() - self._began_at

    @property
    def is_over(self) -> bool:
        return self._limit_s is not None and self.waited_s >= self._limit_s

    async def pause(self, pause_s: float) -> None:
        """Sleep this long, or to the end of the limit if that is nearer."""
        left_s = pause_s if self._limit_s is None else self._limit_s - self.waited_s
        await sleep(max(0.0, min(pause_s, left_s)))
