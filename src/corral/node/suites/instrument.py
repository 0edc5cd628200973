"""Executing instrumented tests until each has a result: the whole suite of a package, or the tests that are named.

A process that dies fails the test that was under way, and the rest is executed by a new one. Trouble of the phone passes
through as what it is: it says nothing about any test.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from msgspec import Struct

from corral.drivers.protocol import Phone
from corral.model.errors import ActionFailedError
from corral.model.states import CaseStatus
from corral.model.testing import ClaimedCase
from corral.node.actions.quoting import command_line
from corral.node.suites.hearing import Ending, HeardTest, hear
from corral.node.suites.results import WHOLE_CLASS, Key, key_from, make_result, title_of
from corral.wire.testing import ToldResult

_LONGEST_LIST: Final = 16_000
"""Characters of named tests in one command line: adb takes 64 KB, a vendor's program 30."""

_STATUS: Final = {
    0: CaseStatus.PASSED,
    -1: CaseStatus.ERRORED,
    -2: CaseStatus.FAILED,
    -3: CaseStatus.SKIPPED,
    -4: CaseStatus.SKIPPED,
}
_CHOOSING: Final = frozenset(
    {
        *("class", "notClass", "package", "notPackage", "testFile", "notTestFile", "tests_regex", "size", "annotation"),
        *("notAnnotation", "filter", "numShards", "shardIndex", "log"),
    }
)
"""Arguments of AndroidX's runner that choose tests. It refuses some of them beside named tests, and they were heeded before."""

_PARAMETERS: Final = re.compile(r"\[.*\]\Z", re.DOTALL)
_METHOD: Final = re.compile(r"[\w$]+")
NO_TESTS: Final = frozenset({WHOLE_CLASS, "initializationError"})
"""Names under which a class fails as a whole; none of them can be executed by itself."""

_MOST_BARREN: Final = 2


class Instrumentation(Struct, frozen=True, kw_only=True):
    """What is to be run: the test package with its runner, and the runner's arguments."""

    component: str
    arguments: dict[str, str]
    classes: str | None = None

    def whole_line(self) -> str:
        return self._line({**self.arguments, **self._chosen()})

    def list_line(self) -> str:
        return self._line({**self.arguments, **self._chosen(), "log": "true"})

    def line_for(self, names: Iterable[str]) -> str:
        """A run of these alone: `Class` or `Class#method`."""
        kept = {name: value for name, value in self.arguments.items() if name not in _CHOOSING}
        return self._line({**kept, "class": ",".join(names)})

    def _chosen(self) -> dict[str, str]:
        return {"class": self.classes} if self.classes else {}

    def _line(self, arguments: dict[str, str]) -> str:
        given = [word for name, value in arguments.items() for word in ("-e", name, value)]
        return command_line("am", "instrument", "-w", "-r", *given, self.component)


class RunSuite:
    """Executes tests on one phone; `on_result` hears each result as it comes."""

    def __init__(
        self,
        phone: Phone,
        instrumentation: Instrumentation,
        *,
        test_timeout_s: float,
        on_result: Callable[[ToldResult], None],
        on_output: Callable[[bytes], None],
        on_trouble: Callable[[str], None],
    ) -> None:
        self._phone = phone
        self._instrumentation = instrumentation
        self._test_timeout_s = test_timeout_s
        self._on_result = on_result
        self._on_output = on_output
        self._on_trouble = on_trouble

    async def list_tests(self) -> list[Key]:
        """All tests that would be executed, in the runner's order. Raises ActionFailedError if there are none."""
        found: dict[Key, None] = {}

        def take(test: HeardTest) -> None:
            key = key_from(test.ended.class_name, test.ended.name)
            if key[1] not in NO_TESTS:
                found[key] = None

        ending = await self._hear(self._instrumentation.list_line(), take)
        if ending.trouble is not None:
            raise ActionFailedError(f"the tests could not be listed: {ending.trouble}")
        if not found:
            raise ActionFailedError(f"{self._instrumentation.component} has no tests to execute")
        return list(found)

    async def run_whole(self, next_try: Callable[[Key], int]) -> None:
        """Every test of the suite, once. Raises ActionFailedError if there are none."""
        seen: set[Key] = set()

        def take(test: HeardTest) -> None:
            key = key_from(test.ended.class_name, test.ended.name)
            if key not in seen:
                seen.add(key)
                self._on_result(_told(key, test, next_try(key)))

        ending = await self._hear(self._instrumentation.whole_line(), take)
        if ending.trouble is None:
            if not seen:
                raise ActionFailedError(f"{self._instrumentation.component} has no tests to execute")
            return
        self._on_trouble(ending.trouble)
        if ending.running is not None and ending.running not in seen:
            seen.add(ending.running)
            self._on_result(_cut_short(ending.running, ending, next_try(ending.running)))
        rest = [key for key in await self.list_tests() if key not in seen]
        await self.run_named([ClaimedCase(*key, next_try(key)) for key in rest])

    async def run_named(self, cases: Sequence[ClaimedCase]) -> None:
        """These tests; on return each has a result. Raises ActionFailedError where the process dies before any begins."""
        rest = {(case.class_name, case.name): case.try_ for case in cases}
        barren = 0
        while rest:
            before = len(rest)
            trouble = await self._run_some(rest)
            barren = barren + 1 if len(rest) == before else 0
            if barren == _MOST_BARREN:
                raise ActionFailedError(f"the app's process ends before a test begins: {trouble}")

    async def _run_some(self, rest: dict[Key, int]) -> str | None:
        """Some of the rest, which loses those that have a result; why that ended early, if it did."""
        batch = _fitting(rest)

        def take(test: HeardTest) -> None:
            key = key_from(test.ended.class_name, test.ended.name)
            if key in rest:
                self._on_result(_told(key, test, rest.pop(key)))
            elif key[1] in NO_TESTS:  # the class failed as a whole, and so did those of its tests that were asked for
                for each in [asked for asked in batch if asked in rest and asked[0] == key[0]]:
                    self._on_result(_told(each, test, rest.pop(each)))

        ending = await self._hear(self._instrumentation.line_for(dict.fromkeys(map(_address, batch))), take)
        if ending.trouble is None:
            for key in [each for each in batch if each in rest]:
                words = "the runner did not execute it"
                self._on_result(make_result(key, CaseStatus.ERRORED, try_=rest.pop(key), duration_s=0, message=words))
            return None
        self._on_trouble(ending.trouble)
        if ending.running is not None and ending.running in rest:
            self._on_result(_cut_short(ending.running, ending, rest.pop(ending.running)))
        return ending.trouble

    async def _hear(self, line: str, take: Callable[[HeardTest], None]) -> Ending:
        return await hear(self._phone, line, on_test=take, on_output=self._on_output, quiet_s=self._test_timeout_s)


def _told(key: Key, test: HeardTest, try_: int) -> ToldResult:
    status, stack = _STATUS[test.ended.code], test.ended.stack
    if status is CaseStatus.PASSED:
        return make_result(key, status, try_=try_, duration_s=test.duration_s)
    message = stack.strip().partition("\n")[0].strip() or ("ignored" if status is CaseStatus.SKIPPED else None)
    return make_result(key, status, try_=try_, duration_s=test.duration_s, message=message, trace=stack)


def _cut_short(key: Key, ending: Ending, try_: int) -> ToldResult:
    """The test that was under way when its process ended, or hung."""
    if ending.is_stuck:
        words = f"it did not end within {ending.ran_s:.0f} s"
        return make_result(key, CaseStatus.ERRORED, try_=try_, duration_s=ending.ran_s, message=words)
    words = f"the process ended: {ending.trouble}"
    return make_result(key, CaseStatus.FAILED, try_=try_, duration_s=ending.ran_s, message=words)


def _address(key: Key) -> str:
    """How the runner is told of a test. It knows parameterized ones by their method alone, and odd names by no word at all."""
    method = _PARAMETERS.sub("", key[1])
    return title_of((key[0], method)) if _METHOD.fullmatch(method) else key[0]


def _fitting(rest: Iterable[Key]) -> list[Key]:
    """As many as one command line holds; at least one."""
    batch: list[Key] = []
    size = 0
    for key in rest:
        size += len(_address(key)) + 1
        if batch and size > _LONGEST_LIST:
            break
        batch.append(key)
    return batch
