"""Streams of `am instrument -w -r` as phones print them, in any number of pieces."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corral.node.suites.instrumentation import (
    LONGEST_VALUE,
    Broken,
    Ended,
    Finished,
    Happening,
    InstrumentationParser,
    Started,
)

CLASS = "com.example.LoginTest"


def bundle(name: str, code: int, *, stack: str | None = None, class_name: str = CLASS) -> str:
    lines = [f"class={class_name}", "current=1", "id=AndroidJUnitRunner", "numtests=3"]
    lines += [] if stack is None else [f"stack={stack}"]
    lines += [f"stream=\n{class_name}:" if code == 1 else "stream=.", f"test={name}"]
    return "".join(f"INSTRUMENTATION_STATUS: {line}\n" for line in lines) + f"INSTRUMENTATION_STATUS_CODE: {code}\n"


DONE = "INSTRUMENTATION_RESULT: stream=\n\nTime: 0.5\n\nOK (3 tests)\n\n\nINSTRUMENTATION_CODE: -1\n"
STACK = "java.lang.AssertionError: expected:<1> but was:<2>\n\tat org.junit.Assert.fail(Assert.java:89)\n\n\tat x.y(Z.java:1)"


def hear(text: str, size: int = 1 << 20) -> list[Happening]:
    parser, data = InstrumentationParser(), text.encode()
    heard: list[Happening] = []
    for at in range(0, len(data), size):
        heard += parser.feed(data[at : at + size])
    return [*heard, *parser.end()]


def test_a_suite_is_heard_test_by_test() -> None:
    text = bundle("a", 1) + bundle("a", 0) + bundle("b", 1) + bundle("b", -2, stack=STACK) + DONE

    assert hear(text) == [
        Started(CLASS, "a", 3),
        Ended(CLASS, "a", 0, ""),
        Started(CLASS, "b", 3),
        Ended(CLASS, "b", -2, STACK),
        Finished(-1, None),
    ]


@pytest.mark.parametrize("code", [-1, -3, -4])
def test_errors_ignored_tests_and_assumptions_keep_their_code(code: int) -> None:
    assert hear(bundle("a", 1) + bundle("a", code, stack="why")) == [
        Started(CLASS, "a", 3),
        Ended(CLASS, "a", code, "why"),
    ]


@given(size=st.integers(1, 40), breaks=st.sampled_from(["\n", "\r\n", "\r\r\n"]))
def test_pieces_and_line_breaks_make_no_difference(size: int, breaks: str) -> None:
    text = bundle("größe[0: 한글]", 1) + bundle("größe[0: 한글]", -2, stack=STACK) + DONE

    assert hear(text.replace("\n", breaks), size) == hear(text)


def test_a_process_that_dies_says_why() -> None:
    crash = (
        "INSTRUMENTATION_RESULT: longMsg=java.lang.OutOfMemoryError: pthread_create\n"
        "INSTRUMENTATION_RESULT: shortMsg=Process crashed.\nINSTRUMENTATION_CODE: 0\n"
    )

    assert hear(bundle("a", 1) + crash) == [
        Started(CLASS, "a", 3),
        Finished(0, "Process crashed.: java.lang.OutOfMemoryError: pthread_create"),
    ]


def test_what_says_the_same_twice_is_told_once() -> None:
    text = "INSTRUMENTATION_RESULT: longMsg=Process crashed.\nINSTRUMENTATION_RESULT: shortMsg=Process crashed.\n"

    assert hear(text + "INSTRUMENTATION_CODE: 0\n") == [Finished(0, "Process crashed.")]


def test_a_runner_that_is_not_there_is_told_of_in_androids_words() -> None:
    text = (
        "INSTRUMENTATION_STATUS: Error=Unable to find instrumentation info for: ComponentInfo{com.x/com.y.Runner}\n"
        "INSTRUMENTATION_STATUS: id=ActivityManagerService\n"
        "INSTRUMENTATION_STATUS_CODE: -1\n"
        "android.util.AndroidException: INSTRUMENTATION_FAILED: com.x/com.y.Runner\n"
        "\tat com.android.commands.am.Instrument.run(Instrument.java:519)\n"
    )

    assert hear(text) == [
        Broken("Unable to find instrumentation info for: ComponentInfo{com.x/com.y.Runner}", is_system=False),
        Broken("com.x/com.y.Runner", is_system=False),
    ]


@pytest.mark.parametrize("before", ["", "onError: commandError=false message="])
def test_a_system_that_went_down_is_told_apart(before: str) -> None:
    text = f"{bundle('a', 1)}{before}INSTRUMENTATION_ABORTED: System has crashed.\n"

    assert hear(text)[1:] == [Broken("System has crashed.", is_system=True)]


def test_a_stack_that_names_a_failed_instrumentation_is_only_a_stack() -> None:
    stack = "junit.Failure: it said\n  at INSTRUMENTATION_FAILED: nothing"

    assert hear(bundle("a", -2, stack=stack)) == [Ended(CLASS, "a", -2, stack)]


def test_other_bundles_and_loose_lines_are_passed_over() -> None:
    parser = InstrumentationParser()
    noise = "WARNING: linker: unused DT entry\n"
    metrics = "INSTRUMENTATION_STATUS: memory=12\nINSTRUMENTATION_STATUS_CODE: 2\n"
    odd = "INSTRUMENTATION_STATUS_CODE: many\nINSTRUMENTATION_STATUS: no pair\nINSTRUMENTATION_STATUS_CODE: 7\n"

    heard = list(parser.feed((noise + bundle("a", 1) + metrics + odd + bundle("a", 0)).encode()))

    assert heard == [Started(CLASS, "a", 3), Ended(CLASS, "a", 0, "")]
    assert parser.loose == ["WARNING: linker: unused DT entry"]


def test_a_class_that_fails_as_a_whole_has_no_test_name() -> None:
    assert hear(bundle("null", -2, stack="x")) == [Ended(CLASS, "", -2, "x")]


def test_what_has_no_end_is_cut() -> None:
    endless = "java.lang.StackOverflowError\n" + "\tat a.b.C.d(C.java:1)\n" * 10_000
    one_line = "x" * 1_000_000

    [deep] = hear(bundle("a", -2, stack=endless))
    [wide] = hear(bundle("a", -2, stack=one_line), 1000)

    assert isinstance(deep, Ended)
    assert isinstance(wide, Ended)
    assert (len(deep.stack), len(wide.stack)) <= (LONGEST_VALUE, LONGEST_VALUE)


def test_a_last_line_without_a_break_counts() -> None:
    assert hear("INSTRUMENTATION_CODE: -1") == [Finished(-1, None)]


@given(st.binary())
def test_nothing_that_a_phone_prints_breaks_the_parser(noise: bytes) -> None:
    parser = InstrumentationParser()

    heard = [*parser.feed(noise + b"\n"), *parser.feed(b"INSTRUMENTATION_CODE: -1\n"), *parser.end()]

    assert heard[-1] == Finished(-1, None)
