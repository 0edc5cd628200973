"""What became of tests on this phone: made fit to be told, handed on in batches, and remembered for the step's next attempt."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from corral.model.states import CaseStatus
from corral.wire.testing import LONGEST_NAME, MOST_RESULTS, ToldResult

TELL_S: Final = 1.0
_MOST_CHARACTERS: Final = 400_000
"""In one batch: a callback takes a megabyte of events."""

Key = tuple[str, str]
"""A test case: class and name."""

WHOLE_CLASS: Final = "(class)"
"""The name of what fails before the first test of its class."""

BAD: Final = frozenset({CaseStatus.FAILED, CaseStatus.ERRORED})


def make_result(
    key: Key, status: CaseStatus, *, try_: int, duration_s: float, message: str | None = None, trace: str | None = None
) -> ToldResult:
    """A result with names that the server takes: what is too long is cut, and what has no name is the class itself.

    Message and trace are cut when they are told, after secrets were masked: half of a secret is not recognised.
    """
    return ToldResult(
        class_name=key[0][:LONGEST_NAME],
        name=(key[1] or WHOLE_CLASS)[:LONGEST_NAME],
        status=status,
        duration_s=round(min(max(duration_s, 0.0), 1_000_000.0), 3),
        message=message or None,
        trace=trace or None,
        try_=try_,
    )


def key_of(result: ToldResult) -> Key:
    return result.class_name, result.name


def key_from(class_name: str, name: str) -> Key:
    """The case as the server knows it: by names that are cut where they are too long."""
    return class_name[:LONGEST_NAME], (name or WHOLE_CLASS)[:LONGEST_NAME]


def title_of(key: Key) -> str:
    return f"{key[0]}#{key[1]}" if key[0] and key[1] else key[0] or key[1]


class TellResults:
    """Collects results and reports them about every second. Whoever adds must flush at the end, however that comes."""

    def __init__(self, report: Callable[[Sequence[ToldResult]], None]) -> None:
        self._report = report
        self._due: list[ToldResult] = []
        self._size = 0
        self._timer: asyncio.TimerHandle | None = None

    def add(self, result: ToldResult) -> None:
        self._due.append(result)
        self._size += sum(len(text or "") for text in (result.class_name, result.name, result.message, result.trace))
        if len(self._due) >= MOST_RESULTS or self._size >= _MOST_CHARACTERS:
            self.flush()
        elif self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(TELL_S, self.flush)

    def flush(self) -> None:
        """Report what is due, at once."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        due, self._due, self._size = self._due, [], 0
        if due:
            self._report(due)


class _Line(Struct, frozen=True, array_like=True):
    class_name: str
    name: str
    try_: int
    status: CaseStatus


class Ledger:
    """All results of the step on this phone, by case and try, kept in the job's directory.

    An attempt that repeats the step goes on counting tries, and does not forget what failed for good.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._results: dict[Key, dict[int, CaseStatus]] = {}
        if path.exists():
            for text in path.read_text("utf-8").splitlines():
                line = msgspec.json.decode(text, type=_Line)
                self._results.setdefault((line.class_name, line.name), {})[line.try_] = line.status

    def record(self, result: ToldResult) -> None:
        line = _Line(result.class_name, result.name, result.try_, result.status)
        self._results.setdefault(key_of(result), {})[result.try_] = result.status
        with self._path.open("ab") as file:
            file.write(msgspec.json.encode(line) + b"\n")

    def next_try(self, key: Key) -> int:
        return max(self._results.get(key, {}), default=0) + 1

    def has(self, key: Key) -> bool:
        return key in self._results

    def last_of(self, key: Key) -> CaseStatus | None:
        tries = self._results.get(key)
        return tries[max(tries)] if tries else None

    def list_bad(self, *, from_try: int = 1) -> list[Key]:
        """The cases whose last result is bad, if that was this try or a later one."""
        return [key for key, tries in self._results.items() if max(tries) >= from_try and tries[max(tries)] in BAD]

    def count(self) -> dict[str, int]:
        """How many cases ended how, by their last result; flaky ones passed after they had failed."""
        last = Counter(tries[max(tries)] for tries in self._results.values())
        flaky = sum(
            tries[max(tries)] is CaseStatus.PASSED and not BAD.isdisjoint(tries.values())
            for tries in self._results.values()
        )
        return {"total": len(self._results), **{status.value: last[status] for status in CaseStatus}, "flaky": flaky}


def name_some(keys: Iterable[Key], most: int = 3) -> str:
    """The first of them in words."""
    titles = [title_of(key) for key in keys]
    rest = len(titles) - most
    return ", ".join(titles[:most]) + (f" and {rest} more" if rest > 0 else "")
