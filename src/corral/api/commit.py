"""Group commit: callbacks that arrive within a few milliseconds are applied in one transaction.

A callback is answered only after the commit that holds it. A few transactions are under way at a time; while they are,
whatever comes in gathers for the next one: the more there is to do, the more of it shares a transaction.
"""

import asyncio
from collections import deque
from collections.abc import Sequence
from typing import Final

from corral.engine import Engine
from corral.model.errors import DatabaseUnavailableError
from corral.model.records import EventResult, Json

_GATHER_S: Final = 0.002
_MOST_EVENTS: Final = 500
_MOST_AT_ONCE: Final = 4

_Entry = tuple[str, Sequence[Json], asyncio.Future[list[EventResult]]]


class CallbackCommitter:
    """Gathers callbacks, and applies a few groups at a time."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._entries: deque[_Entry] = deque()
        self._events = 0
        self._timer: asyncio.TimerHandle | None = None
        self._commits: set[asyncio.Task[None]] = set()

    async def apply(self, node_id: str, events: Sequence[Json]) -> list[EventResult]:
        """What became of each event, after the commit. Raises DatabaseUnavailableError: then send them again."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[list[EventResult]] = loop.create_future()
        self._entries.append((node_id, events, future))
        self._events += len(events)
        if self._events >= _MOST_EVENTS:
            self._start()
        elif self._timer is None:
            self._timer = loop.call_later(_GATHER_S, self._start)
        return await future

    def _start(self) -> None:
        """Begin with what has gathered, unless enough is under way: then whatever ends next makes room for it."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        while self._entries and len(self._commits) < _MOST_AT_ONCE:
            commit = asyncio.get_running_loop().create_task(self._commit(self._take()))
            self._commits.add(commit)
            commit.add_done_callback(self._end)

    def _end(self, commit: asyncio.Task[None]) -> None:
        self._commits.discard(commit)
        if not commit.cancelled():
            self._start()

    def _take(self) -> list[_Entry]:
        """The oldest callbacks, at least one, and no more events than one transaction should have."""
        taken: list[_Entry] = []
        count = 0
        while self._entries and (not taken or count + len(self._entries[0][1]) <= _MOST_EVENTS):
            taken.append(self._entries.popleft())
            count += len(taken[-1][1])
        self._events -= count
        return taken

    async def _commit(self, entries: list[_Entry]) -> None:
        try:
            callbacks = [(node_id, events) for node_id, events, _ in entries]
            answers = await self._engine.events.apply_callbacks(callbacks)
        except asyncio.CancelledError:
            for _, _, future in entries:
                future.cancel()
            raise
        except Exception as error:  # noqa: BLE001 - whoever called back hears of it, whatever it is
            await self._commit_apart(entries, error)
        else:
            for (_, _, future), answer in zip(entries, answers, strict=True):
                if not future.done():
                    future.set_result(answer)

    async def _commit_apart(self, entries: list[_Entry], error: Exception) -> None:
        """What one callback breaks must not cost the others theirs; an absent database is nobody's in particular."""
        if len(entries) > 1 and not isinstance(error, DatabaseUnavailableError):
            for entry in entries:
                await self._commit([entry])
            return
        for _, _, future in entries:
            if not future.done():
                future.set_exception(error)
