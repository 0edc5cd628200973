"""What a test runner left in the job's directory: JUnit files read and told of, and the verdict that they are."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import msgspec

from corral.drivers.protocol import Phone
from corral.model.errors import ActionFailedError, DeviceOfflineError, FailedTestsError
from corral.node.actions.protocol import Bench
from corral.node.actions.scratch import OWN
from corral.node.suites.junit import MOST_CASES, read_junit
from corral.node.suites.results import BAD, Key, Ledger, TellResults, key_of, name_some
from corral.wire.testing import ToldResult

MOST_FILES: Final = 500
_OURS: Final = ((OWN,), (".job.log",))
_ANSWER_S: Final = 10.0


def find_files(home: Path, pattern: str) -> list[Path]:
    """The plain files inside the directory that match, by name. Links that lead out of it and the node's own are left out.

    Raises ActionFailedError where there are more than anybody needs. It reads directories: call it in a thread.
    """
    found: list[Path] = []
    for path in _matching(home.resolve(), pattern):
        found.append(path)
        if len(found) > MOST_FILES:
            raise ActionFailedError(f"{pattern} matches more than {MOST_FILES} files")
    return sorted(found)


def _matching(home: Path, pattern: str) -> Iterator[Path]:
    try:
        for path in home.glob(pattern):
            is_ours = path.relative_to(home).parts[:1] in _OURS
            if not is_ours and path.resolve().is_relative_to(home) and path.is_file():
                yield path
    except (ValueError, NotImplementedError, OSError, RuntimeError) as error:
        raise ActionFailedError(f"{pattern} cannot be looked for: {error}") from error


def remove_files(home: Path, pattern: str) -> None:
    """What an earlier attempt left there must not pass for this one's."""
    for path in find_files(home, pattern):
        path.unlink(missing_ok=True)


async def read_results(files: Sequence[Path], ledger: Ledger) -> list[ToldResult]:
    """The results in these files. A test that is there twice was tried twice."""
    results: list[ToldResult] = []
    seen: Counter[Key] = Counter()
    for path in files:
        for read in await asyncio.to_thread(read_junit, path):
            key = key_of(read)
            results.append(msgspec.structs.replace(read, try_=ledger.next_try(key) + seen[key]))
            seen[key] += 1
        if len(results) > MOST_CASES:
            raise ActionFailedError(f"the runner left more than {MOST_CASES} results")
    return results


async def judge(bench: Bench, results: Sequence[ToldResult], *, is_well: bool, ledger: Ledger) -> None:
    """Tell of the results. Raises FailedTestsError if a test did not pass in the last of its tries.

    Where something went wrong (`is_well` says how the program ended) and the phone is away, its error is raised instead,
    and nothing is told: what fails on such a phone says nothing about the tests.
    """
    last = {key_of(result): result for result in results}
    bad = [key for key, result in last.items() if result.status in BAD]
    if bad or not is_well:
        await _check_phone(bench.phone)
    tell = TellResults(bench.report_tests)
    for result in results:
        ledger.record(result)
        tell.add(result)
    tell.flush()
    if bad:
        raise FailedTestsError(f"{len(bad)} of {len(last)} tests failed: {name_some(bad)}")


async def _check_phone(phone: Phone) -> None:
    """Raises the phone's own error where it is away."""
    try:
        async with asyncio.timeout(_ANSWER_S):
            await phone.shell(":")
    except TimeoutError as error:
        raise DeviceOfflineError(f"the device did not answer within {_ANSWER_S:g} s", is_started=True) from error
