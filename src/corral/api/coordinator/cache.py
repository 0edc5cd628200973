"""The coordinator's dashboard, read at most once a second however many ask."""

import asyncio
import math
import time
from typing import Final

import msgspec

from corral.engine import Engine
from corral.wire.coordinator import Overview

_KEPT_S: Final = 1.0
_EVENTS: Final = 60


class OverviewCache:
    """The last answer of this process. Those who ask while it is being read wait for the same one."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._lock = asyncio.Lock()
        self._read_at = -math.inf
        self._text = b""

    async def get(self) -> bytes:
        """As JSON, at most a second old. Raises DatabaseUnavailableError."""
        async with self._lock:
            now = time.monotonic()
            if now >= self._read_at + _KEPT_S:
                self._text, self._read_at = msgspec.json.encode(await self._read()), now
            return self._text

    async def _read(self) -> Overview:
        return Overview(
            agents=await self._engine.agents.list(),
            channels=await self._engine.channels.list(),
            chains=await self._engine.chains.list(),
            tasks=await self._engine.tasks.list(),
            events=list(await self._engine.agents.list_events(limit=_EVENTS)),
        )
