"""Send the spool's events to the server, oldest first, until each was answered.

An event that the server takes, knows already or finds too late is done with. One that it does not understand is put
aside. While the server is away everything waits, for hours if need be.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Final
from uuid import UUID

from corral.model.errors import RequestRefusedError, ServerUnavailableError
from corral.model.records import EventResult
from corral.model.states import EventOutcome
from corral.node.backoff import Backoff
from corral.node.link import Link
from corral.node.spool.records import Waiting
from corral.node.spool.spool import Spool
from corral.node.spool.store import Store
from corral.telemetry import logger

MOST_EVENTS: Final = 500
MOST_BYTES: Final = 1 << 20
_CREDENTIAL: Final = frozenset({401, 403})
_log = logger(__name__)


class DeliverEvents:
    """The loop that empties the spool. `on_ended` hears of each lease whose job_finished was answered."""

    def __init__(self, spool: Spool, link: Link, *, on_ended: Callable[[UUID], None]) -> None:
        self._spool = spool
        self._link = link
        self._on_ended = on_ended
        self._backoff = Backoff()
        self._turn = asyncio.Lock()

    async def run(self) -> None:
        """For ever."""
        while True:
            await self.flush()
            await self._spool.changed.wait()

    async def flush(self) -> None:
        """Return once nothing waits that could be sent now; ask again for as long as the server is away."""
        async with self._turn:
            while True:
                self._spool.changed.clear()
                batch = await self._spool.act(lambda store: store.read_batch(most=MOST_EVENTS, most_bytes=MOST_BYTES))
                if not batch:
                    return
                try:
                    await self._deliver(batch)
                except ServerUnavailableError as error:
                    await self._pause(error.message)
                else:
                    self._backoff.reset()

    async def _deliver(self, batch: Sequence[Waiting]) -> None:
        try:
            results = await self._link.call_back([each.event.body for each in batch])
        except RequestRefusedError as error:
            if error.status in _CREDENTIAL:  # an operator can mend that, and losing events would not
                raise ServerUnavailableError(f"the server refuses this node's credential: {error.message}") from error
            await self._refused(batch, error)
        else:
            await self._settle(batch, results)

    async def _refused(self, batch: Sequence[Waiting], error: RequestRefusedError) -> None:
        """A batch that is refused as a whole is sent in halves, until the event that spoils it stands alone."""
        if len(batch) == 1:
            result = EventResult(batch[0].event.event_id, EventOutcome.INVALID, error.message)
            await self._settle(batch, [result])
            return
        half = len(batch) // 2
        await self._deliver(batch[:half])
        await self._deliver(batch[half:])

    async def _settle(self, batch: Sequence[Waiting], results: Sequence[EventResult]) -> None:
        def settle(store: Store) -> None:
            for waiting, result in zip(batch, results, strict=True):
                if result.outcome is EventOutcome.INVALID:
                    store.refuse(waiting, result.message or "")
                else:
                    store.remove([waiting])

        await self._spool.act(settle)
        for waiting, result in zip(batch, results, strict=True):
            event = waiting.event
            if result.outcome is EventOutcome.INVALID:
                _log.error("the server does not understand an event; it was put aside", why=result.message)
            elif result.outcome is EventOutcome.STALE:
                _log.info("an event came too late to count", why=result.message, job_id=event.job_id)
            if event.ends_job and event.lease_token is not None:
                self._on_ended(UUID(event.lease_token))

    async def _pause(self, why: str) -> None:
        if self._backoff.failures == 0:
            _log.warning("events wait for the server", why=why)
        await asyncio.sleep(self._backoff.next_s())
