"""The test suites of a fleet: which tests a phone has, and how each goes there by the scenario, the seed and its history."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from corral.simulator.phone.identity import Identity, story_of
from corral.simulator.scenario.model import Outcome, ScriptedTests, Suite
from corral.simulator.scenario.timetable import is_meant


class ScriptedTest(NamedTuple):
    """One test."""

    class_name: str
    name: str
    group: ScriptedTests


class Suites:
    """Shared by all phones of a fleet: a flaky test fails so many times, on whichever phones."""

    def __init__(self, suites: Sequence[Suite], *, seed: int) -> None:
        self._suites = {suite.package: suite for suite in suites}
        self._seed = seed
        self._failed: Counter[tuple[str, str]] = Counter()

    def all(self) -> list[Suite]:
        return list(self._suites.values())

    def get(self, package: str) -> Suite | None:
        return self._suites.get(package)

    def tests_of(self, suite: Suite) -> Iterator[ScriptedTest]:
        for group in suite.tests:
            for name in group.all_names:
                yield ScriptedTest(group.class_, name, group)

    def outcome_of(self, test: ScriptedTest, identity: Identity) -> Outcome:
        """How the test goes now on this phone. Counts it, so ask once for each time."""
        group = test.group
        if not is_meant(group.phones, identity, seed=self._seed, about=f"{test.class_name}#{test.name}"):
            return "pass"
        if group.outcome != "flaky":
            return group.outcome
        self._failed[test[:2]] += 1
        return "fail" if self._failed[test[:2]] <= group.fails else "pass"

    def seconds_of(self, test: ScriptedTest, identity: Identity) -> float:
        """How long it takes there: always the same for the same seed."""
        given = test.group.duration_s
        if not isinstance(given, tuple):
            return given
        return story_of(self._seed, test.class_name, test.name, identity.serial).uniform(given[0], given[1])
