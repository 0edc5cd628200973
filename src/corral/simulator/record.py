"""What happened on the phones: every command, when it ran, how it ended; and whether two jobs ever met on one phone.

A phone knows nothing of jobs, so whoever drives it says so with a command that does nothing:

    : corral-job=<job id> fence=<number>

By itself it speaks for all that follows on the same connection. At the head of a longer line (`: corral-job=… fence=…;
input tap 1 2`) it speaks for that line alone, and then exactly. Commands that only look (`dumpsys`, `getprop`, `df`, …)
may run at any time unless such a line claims them for a job: a node samples the health of its phones between jobs.

The record is made for tests. It holds command lines as they came, so whatever secrets were typed are in it.
"""

from __future__ import annotations

import asyncio
import re
from collections import defaultdict, deque
from collections.abc import Callable
from pathlib import Path
from typing import IO, Final

import msgspec
from msgspec import Struct

from corral.simulator.clock import Clock

_MARKER: Final = re.compile(r"\s*:\s+corral-job=(\S+)\s+fence=([0-9]{1,18})\s*(?:;|$|&&)")
_KEPT: Final = 200_000


class Entry(Struct, kw_only=True):
    """One command on one phone. Times are seconds since the simulator started."""

    number: int
    phone: str
    via: str
    """The connection and the stream that it came by."""

    line: str
    is_read_only: bool
    started_s: float
    ended_s: float | None = None
    outcome: str | None = None
    """exited; cancelled (the caller closed the stream); cut (the connection or the phone went away)."""

    status: int | None = None
    job: str | None = None
    fence: int | None = None
    is_claimed: bool = False
    """Whether its own line named the job, rather than an earlier marker."""


class Violation(Struct, frozen=True, kw_only=True):
    """Two jobs met on one phone, or one went on after it had been fenced off."""

    phone: str
    at_s: float
    rule: str
    """overlap, stale_fence or shared_fence."""

    message: str
    command: int
    other: int | None = None


class _Books:
    """What is known of one phone."""

    def __init__(self) -> None:
        self.markers: dict[str, tuple[str, int]] = {}
        self.newest: tuple[str, int] | None = None
        self.running: dict[int, Entry] = {}


class Record:
    """The commands of all phones, in order of their start; written to a file as they end, if one is given."""

    def __init__(self, clock: Clock, path: Path | None = None) -> None:
        self._clock = clock
        self._sink: IO[bytes] | None = path.open("wb", buffering=0) if path else None
        self._books: defaultdict[str, _Books] = defaultdict(_Books)
        self._count = 0
        self._waiting: list[tuple[Callable[[Entry], bool], asyncio.Future[Entry]]] = []
        self.entries: deque[Entry] = deque(maxlen=_KEPT)
        self.violations: list[Violation] = []

    @property
    def count(self) -> int:
        """How many commands there have been, also those no longer kept."""
        return self._count

    def begin(self, *, phone: str, connection: str, stream: str, line: str, is_read_only: bool) -> Entry:
        """A command starts now."""
        books = self._books[phone]
        marked = _MARKER.match(line)
        self._count += 1
        entry = Entry(
            number=self._count,
            phone=phone,
            via=f"{connection}/{stream}",
            line=line,
            is_read_only=is_read_only,
            started_s=round(self._clock.now(), 6),
        )
        if marked:
            named = (marked[1], int(marked[2]))
            entry.job, entry.fence = named
            entry.is_claimed = marked.end() < len(line.rstrip())
            if not entry.is_claimed:
                books.markers[connection] = named
        elif connection in books.markers:
            entry.job, entry.fence = books.markers[connection]
        self._judge(entry, books, is_marker=marked is not None)
        books.running[entry.number] = entry
        self.entries.append(entry)
        self._tell(entry)
        return entry

    def end(self, entry: Entry, outcome: str, status: int | None = None) -> None:
        """A command ended now."""
        entry.ended_s, entry.outcome, entry.status = round(self._clock.now(), 6), outcome, status
        self._books[entry.phone].running.pop(entry.number, None)
        self._tell(entry)
        if self._sink:
            self._sink.write(msgspec.json.encode(entry) + b"\n")

    async def wait_for(self, fits: Callable[[Entry], bool]) -> Entry:
        """The first command that fits: one that is on record, or else the next to start or end that does."""
        found = next((entry for entry in self.entries if fits(entry)), None)
        if found is not None:
            return found
        told: asyncio.Future[Entry] = asyncio.get_running_loop().create_future()
        waiting = (fits, told)
        self._waiting.append(waiting)
        try:
            return await told
        finally:
            self._waiting.remove(waiting)

    def _tell(self, entry: Entry) -> None:
        for fits, future in self._waiting:
            if not future.done() and fits(entry):
                future.set_result(entry)

    def running(self) -> list[Entry]:
        """The commands that have not ended."""
        return [entry for books in self._books.values() for entry in books.running.values()]

    def close(self) -> None:
        """Write what is still running, and the violations, and close the file."""
        if self._sink:
            for line in (*self.running(), *self.violations):
                self._sink.write(msgspec.json.encode(line) + b"\n")
            self._sink.close()
            self._sink = None

    def _judge(self, entry: Entry, books: _Books, *, is_marker: bool) -> None:
        if entry.job is None or entry.fence is None:
            return
        newest = books.newest
        if newest and entry.fence < newest[1] and (is_marker or _counts(entry)):
            what = f"job {entry.job} acted with fence {entry.fence} after job {newest[0]} had come with {newest[1]}"
            self._violate(entry, "stale_fence", what)
        elif newest and entry.fence == newest[1] and entry.job != newest[0]:
            self._violate(entry, "shared_fence", f"jobs {newest[0]} and {entry.job} have the same fence {entry.fence}")
        if newest is None or entry.fence > newest[1]:
            books.newest = (entry.job, entry.fence)
        if is_marker or _counts(entry):
            for other in books.running.values():
                if other.job not in {None, entry.job} and _counts(other):
                    what = f"job {entry.job} began “{entry.line}” while “{other.line}” of job {other.job} was running"
                    self._violate(entry, "overlap", what, other)

    def _violate(self, entry: Entry, rule: str, message: str, other: Entry | None = None) -> None:
        self.violations.append(
            Violation(
                phone=entry.phone,
                at_s=entry.started_s,
                rule=rule,
                message=message,
                command=entry.number,
                other=other.number if other else None,
            )
        )


def _counts(entry: Entry) -> bool:
    return entry.is_claimed or not entry.is_read_only
