"""Instrumented tests: `am instrument`, on this phone alone or shared with the other phones of the run."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final
from uuid import uuid4

from corral.model.errors import ActionFailedError, CorralError, FailedTestsError
from corral.model.testing import ClaimedCase
from corral.node.actions.commands import run_tool
from corral.node.actions.protocol import Action, Bench
from corral.node.actions.scratch import new_file, own_file
from corral.node.suites.instrument import NO_TESTS, Instrumentation, RunSuite
from corral.node.suites.results import BAD, Key, Ledger, TellResults, key_of, name_some, title_of
from corral.wire.testing import ToldResult
from corral.workflow.catalog.testing import InstrumentArgs, SuiteOutput

_MOST_OUTPUT: Final = 8 << 20
_TAKEN: Final = {"class": "class", "log": "shard"}
"""Arguments of the runner that have a member of their own."""


async def instrument(bench: Bench, args: InstrumentArgs) -> SuiteOutput:
    """Execute the tests. Raises FailedTestsError if one of them failed for good here, and what the phone raises."""
    if taken := sorted(args.args.keys() & _TAKEN.keys()):
        raise ActionFailedError(f"args: {taken[0]} is not given there, but by {_TAKEN[taken[0]]}")
    suite = _Suite(bench, args, await _find_component(bench, args))
    try:
        if args.shard == "tests":
            await suite.run_shared()
        else:
            await suite.run_alone()
    finally:
        suite.close()
    return await suite.conclude()


async def _find_component(bench: Bench, args: InstrumentArgs) -> str:
    """The package and its runner, as `am instrument` takes them."""
    if args.runner is not None:
        return f"{args.package}/{args.runner}"
    said = await run_tool(bench.phone, "pm", "list", "instrumentation")
    listed = re.findall(r"^instrumentation:(\S+?)/(\S+)", said, re.MULTILINE)
    runners = [runner for package, runner in listed if package == args.package]
    if not runners:
        others = ", ".join(sorted({package for package, _ in listed})[:10])
        there = f"the phone has {others}" if others else "the phone has none at all"
        raise ActionFailedError(f"{args.package} is no test package that is installed: {there}")
    if len(runners) > 1:
        raise ActionFailedError(f"{args.package} has several runners: name one of {', '.join(sorted(runners))}")
    return f"{args.package}/{runners[0]}"


class _Suite:
    """The step's suite: what is executed, and what is kept of it."""

    def __init__(self, bench: Bench, args: InstrumentArgs, component: str) -> None:
        self._bench = bench
        self._args = args
        self._component = component
        self._ledger = Ledger(own_file(bench, "tests"))
        self._output = _Kept(new_file(bench, "instrument.txt"))
        self._tell = TellResults(bench.report_tests)
        self._runner = RunSuite(
            bench.phone,
            Instrumentation(component=component, arguments=args.args, classes=args.class_),
            test_timeout_s=args.test_timeout_s,
            on_result=self._keep,
            on_output=self._output.add,
            on_trouble=lambda why: bench.log("warning", f"the tests' process ended early: {why}"),
        )

    async def run_alone(self) -> None:
        """All tests on this phone, and again those that failed."""
        await self._runner.run_whole(self._ledger.next_try)
        for _ in range(self._args.test_retries):
            failed = [key for key in self._ledger.list_bad() if key[1] not in NO_TESTS]
            if not failed:
                return
            self._bench.log("info", f"trying again what failed: {name_some(failed)}")
            await self._runner.run_named([ClaimedCase(*key, self._ledger.next_try(key)) for key in failed])

    async def run_shared(self) -> None:
        """Portions of the run's tests, until nothing is left for this phone."""
        listed = await self._runner.list_tests()
        offer = await self._bench.offer_tests(
            listed,
            chunk=self._args.chunk,
            test_retries=self._args.test_retries,
            infra_retries=self._args.infra_retries,
        )
        self._bench.log("info", f"{self._component}: {offer.total} tests, shared by the phones of this run")
        while True:
            chunk = await self._bench.claim_tests(uuid4())
            if chunk.is_done:
                return
            if chunk.tests:
                await self._runner.run_named(chunk.tests)
                self._tell.flush()

    def close(self) -> None:
        """Tell what is still to be told, however the suite ended."""
        self._tell.flush()
        self._output.close()

    async def conclude(self) -> SuiteOutput:
        """The counts, or the failure that they are."""
        counts = self._ledger.count()
        words = ", ".join(f"{count} {name}" for name, count in counts.items() if count and name != "total")
        self._bench.log("info", f"{counts['total']} tests on this phone{': ' if words else ''}{words}")
        # A shared test that may be tried again is not lost yet; another phone has it by now.
        last_try = self._args.test_retries + 1 if self._args.shard == "tests" else 1
        bad = self._ledger.list_bad(from_try=last_try)
        if bad:
            await self._store_output()
            raise FailedTestsError(f"{len(bad)} of {counts['total']} tests failed: {name_some(bad)}")
        return SuiteOutput(**counts)

    def _keep(self, result: ToldResult) -> None:
        self._ledger.record(result)
        self._tell.add(result)
        if result.status in BAD:
            self._bench.log(
                "error", f"{_title(result)} {result.status.value}: {result.message or 'no reason was given'}"
            )

    async def _store_output(self) -> None:
        """What `am` printed, beside the results: it says more than they do. Without it they still count."""
        try:
            await self._bench.store(self._output.path, kind="log", name=self._output.path.name)
        except (CorralError, OSError) as error:
            self._bench.log("warning", f"the output of am instrument could not be kept: {error}")


class _Kept:
    """What was printed, up to a limit, as a file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = path.open("wb")
        self._size = 0

    def add(self, chunk: bytes) -> None:
        if self._size < _MOST_OUTPUT and not self._file.closed:
            self._file.write(chunk[: _MOST_OUTPUT - self._size])
            self._size += len(chunk)

    def close(self) -> None:
        self._file.close()


def _title(result: ToldResult) -> str:
    key: Key = key_of(result)
    return title_of(key) if result.try_ == 1 else f"{title_of(key)} (try {result.try_})"


ACTIONS: dict[str, Action] = {"test.instrument": instrument}
