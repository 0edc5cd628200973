"""The simulator's time: seconds since its start. Tests put a clock in its place that they move themselves."""

import asyncio
import datetime as dt
import time
from typing import Protocol


class Clock(Protocol):
    """Everything that the simulator waits for or dates goes through one of these."""

    def now(self) -> float:
        """Seconds since the simulator started."""
        ...

    def today(self) -> dt.datetime:
        """What the phones' own clocks show (UTC)."""
        ...

    async def sleep(self, seconds: float) -> None: ...


class RealClock:
    """Time as it passes."""

    def __init__(self) -> None:
        self._start = time.monotonic()

    def now(self) -> float:
        return time.monotonic() - self._start

    def today(self) -> dt.datetime:
        return dt.datetime.now(dt.UTC)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(max(0.0, seconds))


class ManualClock:
    """Time that passes only when told to."""

    def __init__(self, today: dt.datetime = dt.datetime(2030, 1, 1, 12, 0, tzinfo=dt.UTC)) -> None:
        self._first_day = today
        self._now = 0.0
        self._sleepers: list[tuple[float, asyncio.Event]] = []

    def now(self) -> float:
        return self._now

    def today(self) -> dt.datetime:
        return self._first_day + dt.timedelta(seconds=self._now)

    async def sleep(self, seconds: float) -> None:
        if seconds <= 0:
            await asyncio.sleep(0)
            return
        sleeper = (self._now + seconds, asyncio.Event())
        self._sleepers.append(sleeper)
        try:
            await sleeper[1].wait()
        finally:
            self._sleepers.remove(sleeper)

    async def advance(self, seconds: float) -> None:
        """Move on, waking sleepers in the order of their times and letting each act before the next."""
        end = self._now + seconds
        while due := [at for at, woken in self._sleepers if at <= end and not woken.is_set()]:
            self._now = max(self._now, min(due))
            for at, woken in self._sleepers:
                if at <= self._now:
                    woken.set()
            await self._settle()
        self._now = end
        await self._settle()

    @staticmethod
    async def _settle() -> None:
        for _ in range(20):  # a woken task may wake others in turn
            await asyncio.sleep(0)
