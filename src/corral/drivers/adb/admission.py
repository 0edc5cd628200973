"""Who may open a connection to a phone, and when: so that neither many calls nor one broken phone take adb down.

Work and probes have a budget each: probes go on while all of the work hangs, and the other way round.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from time import monotonic
from typing import Final

from corral.drivers.backoff import Backoff
from corral.model.errors import DeviceOfflineError

WORK_LIMIT: Final = 32
PROBE_LIMIT: Final = 8
# One refusal may be a phone that just went away; the next calls should say so themselves.
_FREE_FAILURES: Final = 2


class Admission:
    """The budgets of one host, and the pauses of each of its phones."""

    def __init__(
        self, *, limit: int = WORK_LIMIT, probes: int = PROBE_LIMIT, clock: Callable[[], float] = monotonic
    ) -> None:
        self._work = asyncio.Semaphore(limit)
        self._probes = asyncio.Semaphore(probes)
        self._clock = clock
        self._pauses: dict[str, _Pause] = {}

    @asynccontextmanager
    async def working(self, handle: str) -> AsyncIterator[None]:
        """Hold a place. Raises DeviceOfflineError at once while the phone is to be left in peace."""
        self._refuse_if_paused(handle)
        async with self._work:
            yield

    @asynccontextmanager
    async def probing(self) -> AsyncIterator[None]:
        """Hold a place for a probe, which has pauses of its own: deadlines begin when it is given."""
        async with self._probes:
            yield

    def failed(self, handle: str, reason: str) -> None:
        """A connection to the phone could not be opened: leave it in peace for a while, longer each time."""
        pause = self._pauses.setdefault(handle, _Pause())
        pause.reason = reason
        seconds = pause.backoff.fail()
        if pause.backoff.failures > _FREE_FAILURES:
            pause.until = self._clock() + seconds

    def succeeded(self, handle: str) -> None:
        """It answered, or was plugged in anew: nothing is held against it any more."""
        self._pauses.pop(handle, None)

    def _refuse_if_paused(self, handle: str) -> None:
        pause = self._pauses.get(handle)
        if pause is None or (seconds := pause.until - self._clock()) <= 0:
            return
        raise DeviceOfflineError(
            f"{handle} failed {pause.backoff.failures} times ({pause.reason}); it is tried again in {seconds:.1f} s",
            is_started=False,
        )


class _Pause:
    def __init__(self) -> None:
        self.backoff = Backoff()
        self.until = 0.0
        self.reason = ""
