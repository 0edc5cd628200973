"""Do an act again and again: one that fails is logged, and done again."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Final

from msgspec import Struct

from corral.engine import Engine
from corral.telemetry import logger

SECOND: Final = timedelta(seconds=1)
_LONGEST_PAUSE: Final = timedelta(seconds=30)
_log = logger(__name__)

Act = Callable[[Engine], Awaitable[None]]


class Loop(Struct, frozen=True, kw_only=True):
    """An act and its rhythm."""

    act: Act
    every: timedelta = SECOND

    @property
    def name(self) -> str:
        return getattr(self.act, "__name__", "act")

    async def run(self, engine: Engine) -> None:
        """For ever. A failing act is tried again soon, ever less often until it works."""
        failures = 0
        while True:
            pause = self.every
            try:
                await self.act(engine)
                failures = 0
            except Exception as error:  # noqa: BLE001 - the top of a loop: whatever happens, go on
                pause = min(SECOND * 2**failures, _LONGEST_PAUSE, max(self.every, SECOND))
                failures = min(failures + 1, 10)
                _log.exception("upkeep failed", act=self.name, error=str(error))
            await asyncio.sleep(pause.total_seconds())
