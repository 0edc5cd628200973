"""The spool's tables, in SQLite: small synchronous acts, each of which the caller makes one transaction.

A committed act survives kill -9 and a power cut (WAL, synchronous = FULL). When the limit is reached the oldest log
events go, then the oldest files with their events; what changes a state is never dropped, even beyond the limit.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from corral.model.errors import SpoolFullError
from corral.node.spool.records import Dropped, SpooledEvent, SpooledFile, Waiting

_SCHEMA: Final = """
create table if not exists files (
    key text primary key, name text not null, job_id text not null, lease_token text not null,
    sha256 text not null, size_bytes integer not null, content_type text not null);
create table if not exists events (
    number integer primary key autoincrement, event_id text not null unique, kind text not null, body blob not null,
    job_id text, lease_token text, ends_job integer not null, waits_for text references files (key));
create index if not exists events_by_kind on events (kind, number);
create index if not exists events_by_file on events (waits_for) where waits_for is not null;
create table if not exists refused (number integer primary key autoincrement, message text not null, body blob not null);
"""
_MOST_REFUSED: Final = 1000
_EVENT_COLUMNS: Final = "number, event_id, kind, body, job_id, lease_token, ends_job"
_FILE_COLUMNS: Final = "key, name, job_id, lease_token, sha256, size_bytes, content_type"
_ROW_BYTES: Final = 200
"""What a row costs on disk beside its body, roughly."""


class Store:
    """Everything that waits to be sent. Not safe between threads: one thread owns it."""

    def __init__(self, path: Path, *, limit_bytes: int) -> None:
        self._limit_bytes = limit_bytes
        self.directory = path
        (path / "files").mkdir(parents=True, exist_ok=True)
        self.connection = sqlite3.connect(path / "spool.sqlite", isolation_level=None, check_same_thread=False)
        for pragma in ("journal_mode = wal", "synchronous = full", "wal_autocheckpoint = 500", "foreign_keys = on"):
            self.connection.execute(f"pragma {pragma}")
        self.connection.executescript(_SCHEMA)
        self._used_bytes = 0
        self.recount()
        self._sweep()

    @property
    def used_bytes(self) -> int:
        return self._used_bytes

    def path_of(self, file: SpooledFile) -> Path:
        return self.directory / "files" / file.name

    def add(self, events: Iterable[SpooledEvent]) -> Dropped:
        """Queue events behind all others; one that is known already is not queued again."""
        new = list(events)
        dropped = self._make_room(sum(_cost(event) for event in new), for_files=False)
        for event in new:
            self._insert(event, waits_for=None)
        return dropped

    def add_file(self, file: SpooledFile, event: SpooledEvent) -> Dropped:
        """Queue a file and the event that tells of it, which waits for the file. Raises SpoolFullError."""
        dropped = self._make_room(file.size_bytes + _cost(event), for_files=True)
        self.connection.execute(
            f"insert into files ({_FILE_COLUMNS}) values (?, ?, ?, ?, ?, ?, ?)",  # noqa: S608 - a constant
            (file.key, file.name, file.job_id, file.lease_token, file.sha256, file.size_bytes, file.content_type),
        )
        self._used_bytes += file.size_bytes
        self._insert(event, waits_for=file.key)
        return dropped

    def read_batch(self, *, most: int, most_bytes: int) -> list[Waiting]:
        """The oldest events that may go now, within bounds, but at least one if there is any."""
        rows = self.connection.execute(
            f"select {_EVENT_COLUMNS} from events where waits_for is null order by number limit ?",  # noqa: S608
            (most,),
        )
        batch: list[Waiting] = []
        size = 0
        for number, event_id, kind, body, job_id, token, ends_job in rows:
            size += len(body)
            if batch and size > most_bytes:
                break
            event = SpooledEvent(
                event_id=event_id, kind=kind, body=body, job_id=job_id, lease_token=token, ends_job=bool(ends_job)
            )
            batch.append(Waiting(number, event))
        return batch

    def remove(self, waiting: Sequence[Waiting]) -> None:
        """The server has answered these."""
        for each in waiting:
            if self.connection.execute("delete from events where number = ?", (each.number,)).rowcount:
                self._used_bytes -= _cost(each.event)

    def refuse(self, waiting: Waiting, message: str) -> None:
        """Put an event aside that the server does not understand, with what it said; the newest thousand are kept."""
        self.remove([waiting])
        self.connection.execute("insert into refused (message, body) values (?, ?)", (message, waiting.event.body))
        self.connection.execute(
            "delete from refused where number <= (select max(number) from refused) - ?", (_MOST_REFUSED,)
        )

    def list_refused(self) -> list[tuple[str, bytes]]:
        return self.connection.execute("select message, body from refused order by number").fetchall()

    def next_files(self, *, most: int) -> list[SpooledFile]:
        """The oldest files that are still to be sent."""
        rows = self.connection.execute(
            f"select {_FILE_COLUMNS} from files order by rowid limit ?",  # noqa: S608 - a constant
            (most,),
        )
        return [_file(row) for row in rows]

    def release(self, file: SpooledFile) -> None:
        """The file has arrived: its event may go, and the file itself is no longer needed."""
        self.connection.execute("update events set waits_for = null where waits_for = ?", (file.key,))
        self._forget(file)

    def give_up(self, file: SpooledFile) -> None:
        """The file will never arrive: nobody is to hear of it as stored."""
        self._drop_events("select number, body from events where waits_for = ?", (file.key,))
        self._forget(file)

    def count(self) -> int:
        """How many events wait, those of files included."""
        (count,) = self.connection.execute("select count(*) from events").fetchone()
        return int(count)

    def close(self) -> None:
        self.connection.close()

    def _insert(self, event: SpooledEvent, *, waits_for: str | None) -> None:
        added = self.connection.execute(
            "insert into events (event_id, kind, body, job_id, lease_token, ends_job, waits_for)"
            " values (?, ?, ?, ?, ?, ?, ?) on conflict (event_id) do nothing",
            (event.event_id, event.kind, event.body, event.job_id, event.lease_token, event.ends_job, waits_for),
        )
        if added.rowcount:
            self._used_bytes += _cost(event)

    def _make_room(self, size_bytes: int, *, for_files: bool) -> Dropped:
        log_events = 0
        while self._used_bytes + size_bytes > self._limit_bytes:
            gone = self._drop_events("select number, body from events where kind = 'log' order by number limit 100")
            if not gone:
                break
            log_events += gone
        files: list[SpooledFile] = []
        while self._used_bytes + size_bytes > self._limit_bytes and (oldest := self.next_files(most=1)):
            self.give_up(oldest[0])
            files += oldest
        if for_files and self._used_bytes + size_bytes > self._limit_bytes:
            raise SpoolFullError(f"the spool is full: {size_bytes} bytes do not fit into {self._limit_bytes}")
        return Dropped(log_events, tuple(files))

    def _drop_events(self, query: str, values: tuple[object, ...] = ()) -> int:
        rows = self.connection.execute(query, values).fetchall()
        for number, body in rows:
            self.connection.execute("delete from events where number = ?", (number,))
            self._used_bytes -= len(body) + _ROW_BYTES
        return len(rows)

    def _forget(self, file: SpooledFile) -> None:
        if self.connection.execute("delete from files where key = ?", (file.key,)).rowcount:
            self._used_bytes -= file.size_bytes
        self.path_of(file).unlink(missing_ok=True)

    def recount(self) -> None:
        """Measure what is used; needed whenever an act was rolled back."""
        query = "select coalesce(sum(length(body) + ?), 0) from events"
        (events,) = self.connection.execute(query, (_ROW_BYTES,)).fetchone()
        (files,) = self.connection.execute("select coalesce(sum(size_bytes), 0) from files").fetchone()
        self._used_bytes = int(events) + int(files)

    def _sweep(self) -> None:
        """Delete files that no row speaks of: a crash came between the copy and its commit."""
        known = {name for (name,) in self.connection.execute("select name from files")}
        for path in (self.directory / "files").iterdir():
            if path.name not in known:
                path.unlink()


def _cost(event: SpooledEvent) -> int:
    return len(event.body) + _ROW_BYTES


def _file(row: tuple[str, str, str, str, str, int, str]) -> SpooledFile:
    key, name, job_id, token, sha256, size_bytes, content_type = row
    return SpooledFile(
        key=key,
        name=name,
        job_id=job_id,
        lease_token=token,
        sha256=sha256,
        size_bytes=size_bytes,
        content_type=content_type,
    )
