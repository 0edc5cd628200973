"""`am instrument` on a simulated phone: the lines that Android's own runner prints."""

import asyncio
import re

import pytest

from corral.model.errors import InvalidRequestError
from corral.simulator import Fleet
from corral.simulator.clock import ManualClock
from corral.simulator.scenario.load import load_scenario, parse_scenario
from corral.simulator.scenario.model import Phones, Scenario, ScriptedTests, Suite
from tests.simulator.handset import sh

RUN = "am instrument -w -r dev.x.test/androidx.test.runner.AndroidJUnitRunner"


def fleet_with(*tests: ScriptedTests, devices: int = 1) -> Fleet:
    suite = Suite(package="dev.x.test", tests=tests)
    return Fleet(devices, seed=3, scenario=Scenario(suites=(suite,)), clock=ManualClock())


def going(outcome: str = "pass", *names: str, **more: object) -> ScriptedTests:
    return ScriptedTests(class_="dev.x.ATest", names=names or ("a",), outcome=outcome, duration_s=0, **more)  # type: ignore[arg-type]


def codes(output: str) -> list[int]:
    return [int(code) for code in re.findall(r"INSTRUMENTATION_STATUS_CODE: (-?\d+)", output)]


async def test_a_suite_is_told_of_as_androids_runner_does() -> None:
    phone = fleet_with(going("pass", "a"), going("fail", "b")).phones[0]

    status, out, err = await sh(phone, RUN)

    assert (status, err) == (0, "")
    assert out.startswith(
        "INSTRUMENTATION_STATUS: class=dev.x.ATest\nINSTRUMENTATION_STATUS: current=1\n"
        "INSTRUMENTATION_STATUS: id=AndroidJUnitRunner\nINSTRUMENTATION_STATUS: numtests=2\n"
        "INSTRUMENTATION_STATUS: stream=\ndev.x.ATest:\nINSTRUMENTATION_STATUS: test=a\nINSTRUMENTATION_STATUS_CODE: 1\n"
    )
    assert codes(out) == [1, 0, 1, -2]
    assert "stack=java.lang.AssertionError: expected:<1> but was:<2>\n\tat org.junit" in out
    assert out.endswith("FAILURES!!!\nTests run: 2,  Failures: 1\n\n\nINSTRUMENTATION_CODE: -1\n")


@pytest.mark.parametrize(("outcome", "code"), [("error", -1), ("skip", -3), ("assume", -4)])
async def test_every_outcome_has_its_code(outcome: str, code: int) -> None:
    assert codes((await sh(fleet_with(going(outcome)).phones[0], RUN)).out) == [1, code]


async def test_a_crash_ends_the_process_and_says_so() -> None:
    _, out, _ = await sh(fleet_with(going("crash", "a"), going("pass", "b")).phones[0], RUN)

    assert codes(out) == [1]
    assert out.endswith("INSTRUMENTATION_RESULT: shortMsg=Process crashed.\nINSTRUMENTATION_CODE: 0\n")


async def test_tests_are_listed_without_being_executed() -> None:
    phone = fleet_with(going("crash", "a"), going("skip", "b"), going("hang", "c")).phones[0]

    assert codes((await sh(phone, f"{RUN} -e log true")).out) == [1, 0, 1, -3, 1, 0]


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        ("-e class dev.x.ATest#b", ["b"]),
        ("-e class dev.x.ATest#c,dev.x.ATest#a", ["a", "c"]),
        ("-e class dev.x.ATest", ["a", "b", "c"]),
        ("-e numShards 2 -e shardIndex 1", ["b"]),
    ],
)
async def test_tests_are_chosen_by_arguments(arguments: str, names: list[str]) -> None:
    phone = fleet_with(going("pass", "a", "b", "c")).phones[0]

    _, out, _ = await sh(phone, f"{RUN} {arguments}")

    assert re.findall(r"test=(\w+)\nINSTRUMENTATION_STATUS_CODE: 0", out) == names


async def test_a_class_that_is_not_there_is_an_initialization_error() -> None:
    _, out, _ = await sh(fleet_with(going()).phones[0], f"{RUN} -e class dev.x.Missing#a")

    assert "test=initializationError" in out
    assert codes(out) == [1, -2]


async def test_a_flaky_test_fails_so_often_wherever_it_is_executed() -> None:
    fleet = fleet_with(going("flaky", "a", fails=2), devices=2)

    tried = [codes((await sh(phone, RUN)).out)[-1] for phone in (*fleet.phones, *fleet.phones)]

    assert tried == [-2, -2, 0, 0]


async def test_an_outcome_may_be_that_of_some_phones_alone() -> None:
    fleet = fleet_with(going("fail", "a", phones=Phones(indexes="2")), devices=2)

    assert [codes((await sh(phone, RUN)).out)[-1] for phone in fleet.phones] == [0, -2]


async def test_a_test_may_take_the_phone_down() -> None:
    fleet = fleet_with(going("reboot"))

    with pytest.raises(asyncio.CancelledError):
        await sh(fleet.phones[0], RUN)

    assert fleet.record.entries[-1].outcome == "cut"
    assert not fleet.phones[0].is_up


@pytest.mark.parametrize("line", [RUN.replace("dev.x", "dev.y"), RUN.replace("androidx", "other")])
async def test_a_runner_that_is_not_there_is_refused(line: str) -> None:
    status, out, err = await sh(fleet_with(going()).phones[0], line)

    assert status == 1
    assert "Error=Unable to find instrumentation info for: ComponentInfo{dev." in out
    assert "INSTRUMENTATION_FAILED: dev." in err


async def test_instrumentation_is_listed_while_its_package_is_installed() -> None:
    phone = fleet_with(going()).phones[0]

    before = await sh(phone, "pm list instrumentation")
    await sh(phone, "pm uninstall dev.x.test")

    assert before.out == "instrumentation:dev.x.test/androidx.test.runner.AndroidJUnitRunner (target=dev.corral.demo)\n"
    assert (await sh(phone, "pm list instrumentation")).out == ""
    assert (await sh(phone, RUN)).status == 1


async def test_without_raw_mode_people_read_it() -> None:
    _, out, _ = await sh(fleet_with(going("pass", "a")).phones[0], RUN.replace(" -r", ""))

    assert out.startswith("\ndev.x.ATest:.\n\nTime: ")
    assert "OK (1 test)" in out


async def test_the_shipped_suite_has_200_tests() -> None:
    fleet = Fleet(1, scenario=load_scenario("test-suite"), clock=ManualClock())

    _, out, _ = await sh(fleet.phones[0], "am instrument -w -r -e log true dev.corral.demo.test")

    assert len(set(re.findall(r"class=(.*)\n(?:.*\n)*?INSTRUMENTATION_STATUS: test=(.*)\n", out))) == 200


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("suites: [{package: a.b, tests: [{class: A}]}]", r"\$\.suites\[0\]\.tests\[0\]: needs either names or count"),
        ("suites: [{package: a.b, tests: [{class: A, names: [a, a]}]}]", r"A#a is there already"),
        ("suites: [{package: a.b, tests: [{class: A, count: 1, duration_s: [2, 1]}]}]", r"tests\[0\]\.duration_s"),
        ("suites: [{package: a.b, tests: [{class: A, count: 1, phones: {indexes: x}}]}]", r"phones\.indexes"),
        ("suites: [{package: a.b, tests: []}]", r"suites\[0\]\.tests"),
        (
            "suites: [{package: a.b, tests: [{class: A, count: 1}]}, {package: a.b, tests: [{class: A, count: 1}]}]",
            "a.b is there twice",
        ),
    ],
)
def test_a_suite_that_makes_no_sense_is_refused(text: str, complaint: str) -> None:
    with pytest.raises(InvalidRequestError, match=complaint):
        parse_scenario(text)
