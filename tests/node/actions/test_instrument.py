"""Instrumented tests on a simulated phone: every test gets a result, whatever its process does."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from corral.drivers.protocol import Phone
from corral.model.errors import ActionFailedError, DeviceError, FailedTestsError, RecipeInvalidError
from corral.node.actions.registry import node_actions
from corral.simulator.scenario.model import ScriptedTests
from corral.wire.testing import ToldResult
from tests.node.actions.scripted_phone import ScriptedBench, ScriptedPhone
from tests.node.suites.direct_phone import PACKAGE, DirectPhone, fleet_with, going

A = "dev.x.ATest"


class Stand:
    """A bench with a phone that has this suite."""

    def __init__(self, folder: Path, phone: Phone) -> None:
        self.phone = phone
        self.bench = ScriptedBench(folder, phone)

    async def perform(self, **with_: Any) -> dict[str, Any]:  # noqa: ANN401 - as recipes have it
        return await node_actions()["test.instrument"].perform(self.bench, {"package": PACKAGE, **with_})

    @property
    def told(self) -> list[tuple[str, int, str]]:
        return [(each.name, each.try_, each.status.value) for each in self.bench.results]

    def result(self, name: str) -> ToldResult:
        return next(each for each in self.bench.results if each.name == name)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path


def stand_with(folder: Path, *tests: ScriptedTests) -> tuple[Stand, DirectPhone]:
    phone = DirectPhone(fleet_with(*tests).phones[0])
    return Stand(folder, phone), phone


async def test_a_whole_suite_is_told_of_test_by_test(folder: Path) -> None:
    stand, _ = stand_with(folder, going("pass", "a", "b"), going("skip", "c"), going("assume", "d"))

    output = await stand.perform()

    assert output == {"total": 4, "passed": 2, "failed": 0, "errored": 0, "skipped": 2, "flaky": 0}
    assert stand.told == [("a", 1, "passed"), ("b", 1, "passed"), ("c", 1, "skipped"), ("d", 1, "skipped")]
    assert stand.result("c").message == "ignored"
    assert (stand.result("d").message or "").startswith("org.junit.AssumptionViolatedException")


async def test_a_failure_fails_the_step_and_keeps_trace_and_output(folder: Path) -> None:
    stand, _ = stand_with(folder, going("pass", "a"), going("fail", "b"), going("error", "c"))

    with pytest.raises(FailedTestsError, match=r"2 of 3 tests failed: dev\.x\.ATest#b, dev\.x\.ATest#c") as caught:
        await stand.perform()

    assert caught.value.reason == "tests_failed"
    assert not caught.value.reason.is_infrastructure
    assert stand.result("b").message == "java.lang.AssertionError: expected:<1> but was:<2>"
    assert "\tat dev.x.ATest.b(ATest.java:42)" in (stand.result("b").trace or "")
    assert stand.result("c").status == "errored"
    [(path, kind, name)] = stand.bench.stored
    assert (kind, name) == ("log", "instrument.txt")
    assert b"INSTRUMENTATION_CODE: -1" in path.read_bytes()


async def test_a_crash_fails_its_test_and_the_rest_goes_on_in_a_new_process(folder: Path) -> None:
    stand, phone = stand_with(
        folder, going("pass", "a"), going("crash", "b"), going("pass", "c"), going("crash", "d"), going("pass", "e")
    )

    with pytest.raises(FailedTestsError, match="2 of 5"):
        await stand.perform()

    assert stand.told == [
        ("a", 1, "passed"),
        ("b", 1, "failed"),
        ("c", 1, "passed"),
        ("d", 1, "failed"),
        ("e", 1, "passed"),
    ]
    assert stand.result("b").message == "the process ended: Process crashed.: java.lang.NullPointerException: in b"
    assert phone.lines[-1].endswith(f"-e class '{A}#e' {PACKAGE}/androidx.test.runner.AndroidJUnitRunner")
    assert ("warning", "the tests' process ended early: Process crashed.: java.lang.NullPointerException: in b") in (
        stand.bench.lines
    )


async def test_what_failed_is_tried_again_and_flaky_if_it_passes_then(folder: Path) -> None:
    stand, _ = stand_with(folder, going("flaky", "a"), going("pass", "b"), going("flaky", "c", fails=2))

    output = await stand.perform(test_retries=2)

    assert output["flaky"] == 2
    assert [each for each in stand.told if each[0] != "b"] == [
        ("a", 1, "failed"),
        ("c", 1, "failed"),
        ("a", 2, "passed"),
        ("c", 2, "failed"),
        ("c", 3, "passed"),
    ]


async def test_retries_have_an_end(folder: Path) -> None:
    stand, _ = stand_with(folder, going("fail", "a"), going("pass", "b"))

    with pytest.raises(FailedTestsError, match="1 of 2"):
        await stand.perform(test_retries=1)

    assert [each for each in stand.told if each[0] == "a"] == [("a", 1, "failed"), ("a", 2, "failed")]


async def test_an_attempt_that_repeats_the_step_goes_on_counting(folder: Path) -> None:
    stand, _ = stand_with(folder, going("flaky", "a"), going("pass", "b"))

    with pytest.raises(FailedTestsError):
        await stand.perform()
    output = await stand.perform()

    assert output["flaky"] == 1
    assert stand.told[2:] == [("a", 2, "passed"), ("b", 2, "passed")]


async def test_trouble_of_the_phone_says_nothing_about_the_test_in_flight(folder: Path) -> None:
    stand, _ = stand_with(folder, going("pass", "a"), going("reboot", "b"), going("pass", "c"))

    with pytest.raises(DeviceError):
        await stand.perform()

    assert stand.told == [("a", 1, "passed")]


async def test_a_test_that_hangs_is_given_up_and_the_rest_goes_on(folder: Path) -> None:
    stand, _ = stand_with(folder, going("hang", "a"), going("pass", "b"))

    with pytest.raises(FailedTestsError, match="1 of 2"):
        await stand.perform(test_timeout_s=1)

    assert stand.told == [("a", 1, "errored"), ("b", 1, "passed")]
    assert stand.result("a").message == "it did not end within 1 s"


async def test_shared_tests_are_listed_offered_and_executed_portion_by_portion(folder: Path) -> None:
    stand, phone = stand_with(folder, going("pass", "a", "b", "c", "d"))
    stand.bench.chunks = [[(A, "c", 1), (A, "a", 1)], [], [(A, "b", 2)]]

    output = await stand.perform(shard="tests", test_retries=1)

    assert stand.bench.offered == [(A, name) for name in "abcd"]
    assert stand.told == [("a", 1, "passed"), ("c", 1, "passed"), ("b", 2, "passed")]
    assert output["total"] == 3
    assert [line.split("-e ", 1)[1].split(f" {PACKAGE}")[0] for line in phone.lines[1:]] == [
        "log true",
        f"class '{A}#c,{A}#a'",
        f"class '{A}#b'",
    ]


async def test_a_shared_test_that_may_be_tried_again_does_not_fail_this_phones_step(folder: Path) -> None:
    stand, _ = stand_with(folder, going("fail", "a"), going("pass", "b"))
    stand.bench.chunks = [[(A, "a", 1), (A, "b", 1)]]

    assert (await stand.perform(shard="tests", test_retries=1))["failed"] == 1


async def test_the_last_try_of_a_shared_test_does(folder: Path) -> None:
    stand, _ = stand_with(folder, going("fail", "a"))
    stand.bench.chunks = [[(A, "a", 2)]]

    with pytest.raises(FailedTestsError, match="1 of 1"):
        await stand.perform(shard="tests", test_retries=1)
    with pytest.raises(FailedTestsError):  # nor does it when the step is repeated and nothing is left to do
        await stand.perform(shard="tests", test_retries=1)


async def test_a_test_that_the_runner_does_not_know_is_errored(folder: Path) -> None:
    stand, _ = stand_with(folder, going("pass", "a"))
    stand.bench.chunks = [[(A, "a", 1), (A, "gone", 1), ("dev.x.Missing", "b", 1)]]

    with pytest.raises(FailedTestsError, match="2 of 3"):
        await stand.perform(shard="tests")

    assert stand.result("gone").message == "the runner did not execute it"
    assert stand.result("b").message == "java.lang.ClassNotFoundException: dev.x.Missing"


async def test_parameterized_tests_are_asked_for_by_their_method(folder: Path) -> None:
    stand, phone = stand_with(folder, going("pass", "size[0: small]".replace(" ", "_")), going("pass", "b"))
    stand.bench.chunks = [[(A, "size[0:_small]", 1)]]

    with pytest.raises(FailedTestsError):  # the simulated runner knows them by their whole name
        await stand.perform(shard="tests")

    assert f"-e class '{A}#size' " in phone.lines[-1]


async def test_many_tests_are_asked_for_in_lines_that_adb_takes(folder: Path) -> None:
    names = [f"test{number:04d}{'x' * 100}" for number in range(400)]
    stand, phone = stand_with(folder, going("pass", *names))
    stand.bench.chunks = [[(A, name, 1) for name in names]]

    assert (await stand.perform(shard="tests"))["passed"] == 400
    assert max(map(len, phone.lines)) < 30_000


@pytest.mark.parametrize("shard", ["none", "tests"])
async def test_a_process_that_dies_before_any_test_fails_the_step_and_no_test(folder: Path, shard: str) -> None:
    crash = "INSTRUMENTATION_RESULT: shortMsg=Process crashed.\nINSTRUMENTATION_CODE: 0\n"
    one = f"INSTRUMENTATION_STATUS: class={A}\nINSTRUMENTATION_STATUS: test=a\nINSTRUMENTATION_STATUS_CODE: "
    listing = f"{one}1\n{one}0\nINSTRUMENTATION_CODE: -1\n"
    phone = ScriptedPhone(
        {"pm list": f"instrumentation:{PACKAGE}/r.R (target=x)", "log true": listing, "am instrument": crash}
    )
    stand = Stand(folder, phone)
    stand.bench.chunks = [[(A, "a", 1)]]

    with pytest.raises(ActionFailedError, match=r"ends before a test begins: Process crashed\.") as caught:
        await stand.perform(shard=shard)

    assert caught.value.reason == "action_failed"
    assert stand.told == []


async def test_android_going_down_is_trouble_of_the_phone(folder: Path) -> None:
    phone = ScriptedPhone({"am instrument": "INSTRUMENTATION_ABORTED: System has crashed.\n", "pm list": ""})

    with pytest.raises(DeviceError, match="Android went down"):
        await Stand(folder, phone).perform(runner="r.R")


@pytest.mark.parametrize(
    ("with_", "words"),
    [
        (
            {"package": "dev.missing.test"},
            r"dev\.missing\.test is no test package that is installed: the phone has dev\.x",
        ),
        (
            {"runner": "no.such.Runner"},
            r"Unable to find instrumentation info for: ComponentInfo\{dev\.x\.test/no\.such",
        ),
        ({"class": "dev.x.ATest#none"}, "has no tests to execute"),
        ({"class": "dev.x.ATest#none", "shard": "tests"}, "has no tests to execute"),
        ({"args": {"log": "true"}}, "args: log is not given there, but by shard"),
    ],
)
async def test_what_is_wrong_is_said_in_words(folder: Path, with_: dict[str, Any], words: str) -> None:
    stand, _ = stand_with(folder, going("pass", "a"))

    with pytest.raises(ActionFailedError, match=words):
        await stand.perform(**with_)


async def test_only_classes_that_are_named_are_executed_and_arguments_reach_the_runner(folder: Path) -> None:
    stand, phone = stand_with(folder, going("pass", "a"), going("pass", "b", class_name="dev.x.BTest"))

    await stand.perform(**{"class": "dev.x.BTest", "args": {"size": "small", "it's": "$odd"}})

    assert stand.told == [("b", 1, "passed")]
    assert "-e size small -e 'it'\"'\"'s' '$odd' -e class dev.x.BTest" in phone.lines[-1]


async def test_a_class_that_could_be_a_command_is_refused(folder: Path) -> None:
    stand, phone = stand_with(folder, going("pass", "a"))

    with pytest.raises(RecipeInvalidError):
        await stand.perform(**{"class": "a;reboot"})

    assert phone.lines == []


async def test_results_so_far_are_told_when_the_step_is_stopped(folder: Path) -> None:
    stand, phone = stand_with(folder, going("pass", "a"), going("hang", "b"))
    performing = asyncio.create_task(stand.perform())
    await stand.bench.reported.wait()

    performing.cancel()
    await asyncio.gather(performing, return_exceptions=True)

    assert stand.told == [("a", 1, "passed")]
    assert performing.cancelled()
    assert len(phone.lines) == 2
