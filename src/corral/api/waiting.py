"""Pulls and claims that wait at this process, by node: woken by announcements, and by a poll where one did not arrive.

One of a kind waits per node: a newer one ends the older, whose connection is probably dead, so that nothing is granted
to a caller who is gone.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import Final
from uuid import UUID

from corral.engine.announce import EVERYBODY, WORK
from corral.model.records import News
from corral.telemetry import logger

POLL_EVERY_S: Final = 1.0
_PAUSE_S: Final = 0.02
"""Between two looks, however much is announced."""

_log = logger(__name__)


class Waiter:
    """A request that waits: `news` says that it should look again, or answer as things stand if it is over."""

    def __init__(
        self,
        node_id: str,
        *,
        wants_work: bool,
        cancelling: frozenset[UUID],
        watching: frozenset[UUID] | None,
        inputs_taken: Mapping[UUID, int] | None,
        tunnelling: frozenset[UUID] | None,
    ) -> None:
        self.node_id = node_id
        self.wants_work = wants_work
        self.cancelling = cancelling
        self.watching = watching
        self.inputs_taken = inputs_taken
        self.tunnelling = tunnelling
        self.news = asyncio.Event()

    def is_touched_by(self, news: News) -> bool:
        """Whether the news is any to this request."""
        taken = self.inputs_taken
        return (
            (news.has_work and self.wants_work)
            or not self.cancelling.issuperset(news.cancel)
            or (self.watching is not None and not self.watching.issuperset(news.watch))
            or (taken is not None and any(seq > taken.get(token, 0) for token, seq in news.inputs.items()))
            or (self.tunnelling is not None and not self.tunnelling.issuperset(news.tunnels))
        )


class Waiting:
    """The registry of one kind of request. `poll` is to run as a task; `look` finds the nodes that have news.

    `hint` is a word of announcements that speaks to nobody by name: it makes this look before the next poll.
    """

    def __init__(self, look: Callable[[list[str]], Awaitable[list[News]]], *, hint: str | None = None) -> None:
        self._look_for_news = look
        self._hint = hint
        self._hinted = asyncio.Event()
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
        self,
        node_id: str,
        *,
        wants_work: bool,
        cancelling: frozenset[UUID],
        watching: frozenset[UUID] | None = None,
        inputs_taken: Mapping[UUID, int] | None = None,
        tunnelling: frozenset[UUID] | None = None,
    ) -> Iterator[Waiter]:
        """Be woken from now on: enter before looking, so that nothing slips in between."""
        waiter = Waiter(
            node_id,
            wants_work=wants_work,
            cancelling=cancelling,
            watching=watching,
            inputs_taken=inputs_taken,
            tunnelling=tunnelling,
        )
        if (older := self._waiters.get(node_id)) is not None:
            older.news.set()
        self._waiters[node_id] = waiter
        try:
            yield waiter
        finally:
            if self._waiters.get(node_id) is waiter:
                del self._waiters[node_id]

    def wake(self, node_ids: Collection[str]) -> None:
        """Let the requests of these nodes look again."""
        if self._hint in node_ids:
            self._hinted.set()
        for name in self._waiters if EVERYBODY in node_ids else node_ids:
            waiter = self._waiters.get(name.removeprefix(WORK))
            if waiter is not None and (waiter.wants_work or not name.startswith(WORK)):
                waiter.news.set()

    def close(self) -> None:
        """Answer every request as things stand, those to come included: the process is about to stop."""
        self._is_closed = True
        for waiter in self._waiters.values():
            waiter.news.set()

    def is_over(self, waiter: Waiter) -> bool:
        """Whether the request should answer as things stand: a newer one came, or the process is about to stop."""
        return self._is_closed or self._waiters.get(waiter.node_id) is not waiter

    async def poll(self) -> None:
        """Look for news of all waiting nodes, once a second and at every hint, for ever."""
        while True:
            await asyncio.sleep(_PAUSE_S)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(
                    POLL_EVERY_S - _PAUSE_S
                ):  # wait_for may swallow the cancel that ends this task
                    await self._hinted.wait()
            self._hinted.clear()
            if self._waiters:
                try:
                    await self._look()
                except Exception as error:  # noqa: BLE001 - the top of a loop: whatever happens, look again
                    _log.warning("could not look for news of waiting nodes", error=str(error))

    async def _look(self) -> None:
        for news in await self._look_for_news(list(self._waiters)):
            waiter = self._waiters.get(news.node_id)
            if waiter is not None and waiter.is_touched_by(news):
                waiter.news.set()
