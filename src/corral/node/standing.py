"""How the node stands with the server: known to it, forgotten by it, or replaced by another agent."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable

from corral.model.errors import CorralError, StaleEpochError, UnknownNodeError
from corral.node.clock import Clock
from corral.telemetry import logger

_log = logger(__name__)


class Standing:
    """Answers refusals, one at a time, unless the request is older than the last registration.

    Heartbeats, pulls and claims are under way at once, and what they are all told together is one piece of news.
    """

    def __init__(
        self, *, clock: Clock, on_forgotten: Callable[[], Awaitable[None]], on_replaced: Callable[[], None]
    ) -> None:
        self._clock = clock
        self._on_forgotten = on_forgotten
        self._on_replaced = on_replaced
        self._refusals: asyncio.Queue[tuple[CorralError, float]] = asyncio.Queue()
        self._known = asyncio.Event()
        self._registered_at = -math.inf

    def registered(self) -> None:
        """The server has just said that it knows this node."""
        self._registered_at = self._clock()
        self._known.set()

    def refused(self, error: CorralError, sent_at: float) -> None:
        """The server said no to a request that left at `sent_at`."""
        self._refusals.put_nowait((error, sent_at))

    async def ask(self, ask: Callable[[], Awaitable[None]]) -> None:
        """Ask for work for ever, after a refusal once the server knows this node again."""
        while True:
            await self._known.wait()
            asked_at = self._clock()
            try:
                await ask()
            except (StaleEpochError, UnknownNodeError) as error:
                if not self._is_past(asked_at):
                    self._known.clear()
                    self.refused(error, asked_at)

    async def run(self) -> None:
        """An unknown node may introduce itself; a replaced one must go. Raises StaleEpochError."""
        while True:
            error, sent_at = await self._refusals.get()
            if self._is_past(sent_at):
                continue
            if isinstance(error, StaleEpochError):
                self._on_replaced()
                raise error
            if isinstance(error, UnknownNodeError):
                _log.warning("the server does not know this node any more; registering again")
                await self._on_forgotten()
            else:
                _log.error("the server refuses the heartbeat", why=error.message, code=error.code)

    def _is_past(self, sent_at: float) -> bool:
        return sent_at < self._registered_at
