"""What changed at the coordinator door, read once by this process and told to everybody who listens here.

The log of changes is the database's, so that any process can serve any stream, and one that broke off goes on where
it was. What changes within a quarter of a second is told as one. A listener who does not keep up is let go: whoever
comes back with the last id misses nothing.
"""

import asyncio
from collections import deque
from collections.abc import Collection
from typing import Final

from corral.api.coordinator.frames import frame_changes
from corral.engine import Engine
from corral.engine.announce import COORDINATOR, EVERYBODY
from corral.model.coordinator import Place
from corral.telemetry import logger

COALESCE_S: Final = 0.25
_POLL_S: Final = 1.0
_BATCH: Final = 500
_MOST_WAITING_BYTES: Final = 1024 * 1024
_log = logger(__name__)


class Listener:
    """One stream: `take` what is to be sent. `joined_at` is the place behind which it is told everything."""

    def __init__(self, joined_at: Place) -> None:
        self.joined_at = joined_at
        self._waiting: deque[bytes] = deque()
        self._waiting_bytes = 0
        self._news = asyncio.Event()
        self.is_over = asyncio.Event()
        self.is_too_slow = asyncio.Event()

    def put(self, frames: bytes) -> None:
        """To be sent. Too much that waits is thrown away: the listener is to be let go."""
        if self._waiting and self._waiting_bytes + len(frames) > _MOST_WAITING_BYTES:
            self._waiting.clear()
            self.is_too_slow.set()
        elif not self.is_too_slow.is_set():
            self._waiting.append(frames)
            self._waiting_bytes += len(frames)
        self._news.set()

    def end(self) -> None:
        """Let the stream end in good order."""
        self.is_over.set()
        self._news.set()

    async def take(self, timeout_s: float) -> bytes:
        """All that waits; empty after a while without news, or at the end."""
        if not self._waiting and not self.is_over.is_set():
            self._news.clear()
            try:
                async with asyncio.timeout(timeout_s):
                    await self._news.wait()
            except TimeoutError:
                return b""
        taken = b"".join(self._waiting)
        self._waiting.clear()
        self._waiting_bytes = 0
        return taken


class StreamHub:
    """Everybody who listens at this process. `run` is to be a task; it reads nothing while nobody listens."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._listeners: set[Listener] = set()
        self._place: Place | None = None
        self._news = asyncio.Event()
        self._is_closed = False

    def __len__(self) -> int:
        return len(self._listeners)

    async def join(self) -> Listener:
        """Be told everything from now on; `leave` in the end. Raises DatabaseUnavailableError."""
        place = self._place
        if place is None:
            found = await self._engine.changes.find_stream_end()
            place = self._place = self._place or found  # another may have found one meanwhile
        listener = Listener(place)
        if self._is_closed:
            listener.end()
        self._listeners.add(listener)
        self._news.set()
        return listener

    def leave(self, listener: Listener) -> None:
        self._listeners.discard(listener)

    def hear(self, names: Collection[str]) -> None:
        """Read at once, if that is what is announced."""
        if COORDINATOR in names or EVERYBODY in names:
            self._news.set()

    def close(self) -> None:
        """End every stream, those to come included: the process is about to stop."""
        self._is_closed = True
        for listener in self._listeners:
            listener.end()

    async def run(self) -> None:
        """Read and tell, for ever."""
        while True:
            if not self._listeners:
                self._place = None
                self._news.clear()
                await self._news.wait()
            try:
                is_more = await self._tell()
            except Exception as error:  # noqa: BLE001 - the top of a loop: whatever happens, read again
                _log.warning("cannot read what changed", error=str(error))
                is_more = False
            await asyncio.sleep(COALESCE_S)
            if not is_more:
                await self._until_news()

    async def _until_news(self) -> None:
        try:
            async with asyncio.timeout(_POLL_S):
                await self._news.wait()
        except TimeoutError:
            return

    async def _tell(self) -> bool:
        """Tell everybody what changed since the last time, up to a batch; say whether there is more."""
        self._news.clear()
        if self._place is None:
            return False
        changes = await self._engine.changes.list_changes(self._place, limit=_BATCH)
        if not changes:
            return False
        frames = await frame_changes(self._engine, changes)
        self._place = changes[-1].place
        for listener in self._listeners:
            listener.put(frames)
        return len(changes) == _BATCH
