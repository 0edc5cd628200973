"""The spool as the agent's loop sees it: a thread of its own writes, and whatever waits is committed together.

`put` returns at once; who needs to know that an event is on disk awaits what it returns.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import queue
import sqlite3
import threading
from collections.abc import Callable, Sequence
from contextvars import copy_context
from functools import partial
from pathlib import Path
from typing import Any, Final, Self, TypeVar
from uuid import uuid4

from corral.model.errors import CorralError
from corral.node.events import log_event, log_line
from corral.node.spool.records import Dropped, SpooledEvent, SpooledFile
from corral.node.spool.store import Store
from corral.telemetry import logger

T = TypeVar("T")
_Act = tuple[Callable[[Store], Any], "asyncio.Future[Any]"]
_Results = list[tuple["asyncio.Future[Any]", Any, BaseException | None]]
_AGAIN_S: Final = 1.0
_MOST_TOGETHER: Final = 500
_PIECE_BYTES: Final = 1 << 18
_log = logger(__name__)


class Spool:
    """What waits to be told. Opened and used on one event loop; `changed` and `files_changed` say that there is more."""

    def __init__(self, path: Path, *, limit_bytes: int) -> None:
        self._store = Store(path, limit_bytes=limit_bytes)
        self._acts: queue.SimpleQueue[_Act | None] = queue.SimpleQueue()
        write = partial(copy_context().run, self._write)  # its log lines are about the same node
        self._thread = threading.Thread(target=write, name="spool", daemon=True)
        self._closing = threading.Event()
        self.changed = asyncio.Event()
        self.files_changed = asyncio.Event()

    async def __aenter__(self) -> Self:
        self._loop = asyncio.get_running_loop()
        self._thread.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        self._closing.set()
        self._acts.put(None)
        await asyncio.to_thread(self._thread.join)
        self._store.close()

    def put(self, *events: SpooledEvent) -> asyncio.Future[Dropped]:
        """Queue events. The future is done once they are on disk."""

        def add(store: Store) -> Dropped:
            return store.add(events)

        done = self.act(add)
        done.add_done_callback(self._added)
        return done

    async def put_file(self, source: Path, *, file: SpooledFile, event: SpooledEvent) -> None:
        """Queue a copy of a file and the event that tells of it; on return both are on disk. Raises SpoolFullError."""
        target = self._store.path_of(file)
        await asyncio.to_thread(_copy, source, target)

        def add(store: Store) -> Dropped:
            return store.add_file(file, event)

        try:
            dropped = await self.act(add)
        except BaseException:
            await asyncio.to_thread(target.unlink, missing_ok=True)
            raise
        self._tell_dropped(dropped)
        self.files_changed.set()

    def act(self, act: Callable[[Store], T]) -> asyncio.Future[T]:
        """Have the writing thread do something; the future is done once it is committed."""
        done: asyncio.Future[T] = self._loop.create_future()
        self._acts.put((act, done))
        return done

    def path_of(self, file: SpooledFile) -> Path:
        return self._store.path_of(file)

    def _added(self, done: asyncio.Future[Dropped]) -> None:
        self.changed.set()
        if not done.cancelled() and done.exception() is None:
            self._tell_dropped(done.result())

    def _tell_dropped(self, dropped: Dropped) -> None:
        if dropped.log_events:
            _log.warning("the spool is full: the oldest log events were dropped", events=dropped.log_events)
        for file in dropped.files:
            _log.warning("the spool is full: an artifact was dropped", key=file.key, size_bytes=file.size_bytes)
            line = f"artifact {file.key} ({file.size_bytes} bytes) was dropped: the node's spool is full"
            self.put(log_event(job_id=file.job_id, lease_token=file.lease_token, lines=[log_line("warning", line)]))

    def _write(self) -> None:
        while (first := self._acts.get()) is not None:
            acts: list[_Act] = [first]
            while len(acts) < _MOST_TOGETHER and not self._acts.empty():
                more = self._acts.get()
                if more is None:  # an end: after these
                    self._acts.put(None)
                    break
                acts.append(more)
            results = self._commit_at_last(acts)
            if not self._loop.is_closed():
                self._loop.call_soon_threadsafe(_resolve, results)

    def _commit_at_last(self, acts: Sequence[_Act]) -> _Results:
        """A disk that is full or broken is waited for, as nothing that changes a state may be lost; until the end."""
        while True:
            try:
                return self._commit(acts)
            except (sqlite3.Error, OSError) as error:
                _log.exception("the spool cannot be written; trying again")
                if self._closing.wait(_AGAIN_S):
                    return [(done, None, error) for _, done in acts]

    def _commit(self, acts: Sequence[_Act]) -> _Results:
        """Each act is whole or not at all; those that worked are committed by one sync to disk."""
        connection = self._store.connection
        results: _Results = []
        try:
            connection.execute("begin immediate")
            for act, done in acts:
                connection.execute("savepoint act")
                try:
                    results.append((done, act(self._store), None))
                except (CorralError, sqlite3.IntegrityError) as error:  # the caller's, who awaits it
                    connection.execute("rollback to act")
                    self._store.recount()
                    results.append((done, None, error))
                connection.execute("release act")
            connection.execute("commit")
        except BaseException:
            if connection.in_transaction:
                connection.execute("rollback")
            self._store.recount()
            raise
        return results


def new_name() -> str:
    """A name for a file in the spool's own directory."""
    return uuid4().hex


def digest(path: Path) -> tuple[str, int]:
    """The sha256 of a file, and its size."""
    found = hashlib.sha256()
    size = 0
    with path.open("rb") as stream:
        while piece := stream.read(_PIECE_BYTES):
            found.update(piece)
            size += len(piece)
    return found.hexdigest(), size


def _copy(source: Path, target: Path) -> None:
    """A copy, and not a link: what the job does to its file afterwards is not to be sent."""
    with source.open("rb") as reading, target.open("xb") as writing:
        while piece := reading.read(_PIECE_BYTES):
            writing.write(piece)
        writing.flush()
        os.fsync(writing.fileno())


def _resolve(results: _Results) -> None:
    for done, result, error in results:
        if done.done():
            continue
        if error is None:
            done.set_result(result)
        else:
            done.set_exception(error)
            done.exception()  # whoever did not wait for it has been told by the log
