"""What is told of tests, and what is remembered of them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from corral.model.states import CaseStatus
from corral.node.suites.results import Ledger, TellResults, make_result, name_some
from corral.wire.testing import LONGEST_NAME, LONGEST_TRACE, MOST_RESULTS, ToldResult


def result(name: str = "a", status: CaseStatus = CaseStatus.PASSED, *, try_: int = 1, trace: str = "") -> ToldResult:
    return make_result(("C", name), status, try_=try_, duration_s=0.1, trace=trace)


class Told:
    def __init__(self) -> None:
        self.batches: list[list[ToldResult]] = []
        self.heard = asyncio.Event()

    def hear(self, results: Sequence[ToldResult]) -> None:
        self.batches.append([*results])
        self.heard.set()


async def test_results_are_told_together_after_a_while() -> None:
    told = Told()
    tell = TellResults(told.hear)

    tell.add(result("a"))
    tell.add(result("b"))

    assert told.batches == []
    await told.heard.wait()
    assert [[each.name for each in batch] for batch in told.batches] == [["a", "b"]]


async def test_no_batch_is_larger_than_the_server_takes() -> None:
    told = Told()
    tell = TellResults(told.hear)

    for _ in range(MOST_RESULTS):
        tell.add(result())
    for _ in range(30):
        tell.add(result(trace="x" * LONGEST_TRACE))
    tell.flush()
    tell.flush()

    assert len(told.batches[0]) == MOST_RESULTS
    assert sum(len(batch) for batch in told.batches[1:]) == 30
    assert max(len(batch) for batch in told.batches[1:]) == 20


def test_names_that_are_too_long_for_the_server_are_cut() -> None:
    long = make_result(("C" * 600, "n" * 600), CaseStatus.FAILED, try_=1, duration_s=-1)

    assert (len(long.class_name), len(long.name)) == (LONGEST_NAME, LONGEST_NAME)
    assert long.duration_s == 0


def test_a_ledger_is_read_again_by_the_next_attempt(tmp_path: Path) -> None:
    first = Ledger(tmp_path / "tests")
    for each in (
        result("a", CaseStatus.FAILED),
        result("a", CaseStatus.PASSED, try_=2),
        result("b", CaseStatus.ERRORED),
        result("안녕\n", CaseStatus.SKIPPED),
    ):
        first.record(each)

    second = Ledger(tmp_path / "tests")

    assert second.next_try(("C", "a")) == 3
    assert second.next_try(("C", "new")) == 1
    assert second.list_bad() == [("C", "b")]
    assert second.list_bad(from_try=2) == []
    assert second.count() == {"total": 3, "passed": 1, "failed": 0, "errored": 1, "skipped": 1, "flaky": 1}


def test_many_are_named_by_the_first() -> None:
    assert name_some([("C", str(number)) for number in range(5)]) == "C#0, C#1, C#2 and 2 more"
    assert name_some([("", "only a name"), ("Only.Class", "")]) == "only a name, Only.Class"
