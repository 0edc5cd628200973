"""Pulls that wait at this process, by node: woken by announcements, and by a poll where one did not arrive.

One pull per node waits: a newer one ends the older, whose connection is probably dead, so that no job is granted
to a caller who is gone.
"""

import asyncio
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Final
from uuid import UUID

from corral.engine import Engine
from corral.engine.announce import EVERYBODY
from corral.telemetry import logger

POLL_EVERY_S: Final = 1.0
_log = logger(__name__)


class Waiter:
    """A pull that waits: `news` says that it should look again, or answer as things stand if it is over."""

    def __init__(
        self, node_id: str, *, wants_work: bool, cancelling: frozenset[UUID], watching: frozenset[UUID] | None
    ) -> None:
        self.node_id = node_id
        self.wants_work = wants_work
        self.cancelling = cancelling
        self.watching = watching
        self.news = asyncio.Event()


class WaitingPulls:
    """The registry. `poll` is to run as a task."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._waiters: dict[str, Waiter] = {}
        self._is_closed = False

    @property
    def is_closed(self) -> bool:
        """Whether the process is about to stop, and nothing should wait any more."""
        return self._is_closed

    def __len__(self) -> int:
        return len(self._waiters)

    @contextmanager
    def wait(
        self, node_id: str, *, wants_work: bool, cancelling: frozenset[UUID], watching: frozenset[UUID] | None = None
    ) -> Iterator[Waiter]:
        """Be woken from now on: enter before looking, so that nothing slips in between."""
        waiter = Waiter(node_id, wants_work=wants_work, cancelling=cancelling, watching=watching)
        if (older := self._waiters.get(node_id)) is not None:
            older.news.set()
        self._waiters[node_id] = waiter
        try:
            yield waiter
        finally:
            if self._waiters.get(node_id) is waiter:
                del self._waiters[node_id]

    def wake(self, node_ids: Collection[str]) -> None:
        """Let the pulls of these nodes look again."""
        for node_id in self._waiters if EVERYBODY in node_ids else node_ids:
            if (waiter := self._waiters.get(node_id)) is not None:
                waiter.news.set()

    def close(self) -> None:
        """Answer every pull as things stand, those to come included: the process is about to stop."""
        self._is_closed = True
        for waiter in self._waiters.values():
            waiter.news.set()

    def is_over(self, waiter: Waiter) -> bool:
        """Whether the pull should answer as things stand: a newer one came, or the process is about to stop."""
        return self._is_closed or self._waiters.get(waiter.node_id) is not waiter

    async def poll(self) -> None:
        """Look for news of all waiting nodes, once a second, for ever."""
        while True:
            await asyncio.sleep(POLL_EVERY_S)
            if self._waiters:
                try:
                    await self._look()
                except Exception as error:  # noqa: BLE001 - the top of a loop: whatever happens, look again
                    _log.warning("could not look for news of waiting nodes", error=str(error))

    async def _look(self) -> None:
        for news in await self._engine.nodes.list_news(list(self._waiters)):
            waiter = self._waiters.get(news.node_id)
            if waiter is not None and (
                (news.has_work and waiter.wants_work)
                or not waiter.cancelling.issuperset(news.cancel)
                or (waiter.watching is not None and not waiter.watching.issuperset(news.watch))
            ):
                waiter.news.set()
