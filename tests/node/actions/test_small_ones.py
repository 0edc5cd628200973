"""Sleeping, reporting, asserting, opening addresses, and the vendor's program."""

from __future__ import annotations

import pytest

from corral.model.errors import ActionFailedError, AssertionFailedError
from tests.node.actions.conftest import Clock, Workshop
from tests.node.actions.scripted_phone import failed


async def test_sleeping_takes_its_time(workshop: Workshop, clock: Clock) -> None:
    assert await workshop.perform("flow.sleep", duration_s=12.5) == {}

    assert clock.sleeps == [12.5]


async def test_a_report_is_a_line_and_values_that_are_kept(workshop: Workshop) -> None:
    output = await workshop.perform("report", message="done", level="warning", data={"count": 3})

    assert output == {"count": 3}
    assert workshop.bench.lines == [("warning", "done")]


@pytest.mark.parametrize("check", [{}, {"equals": "1"}, {"contains": "1"}, {"matches": r"^\s*\d\s*$"}])
async def test_an_assertion_that_holds_yields_what_it_saw(workshop: Workshop, check: dict[str, str]) -> None:
    workshop.told({"getprop x": " 1 \n"})

    assert await workshop.perform("assert.shell", command="getprop x", **check) == {"exit_code": 0, "stdout": " 1 "}


@pytest.mark.parametrize(
    ("check", "message"),
    [
        ({"equals": "2"}, "the output is not '2'; it printed: 1"),
        ({"contains": "2"}, "does not contain '2'"),
        ({"matches": "^2"}, r"does not match '\^2'"),
        ({"exit_code": 4}, "ended with 0 instead of 4"),
    ],
)
async def test_an_assertion_that_does_not_hold_says_so(
    workshop: Workshop, check: dict[str, object], message: str
) -> None:
    workshop.told({"getprop x": "1\n"})

    with pytest.raises(AssertionFailedError, match=message):
        await workshop.perform("assert.shell", command="getprop x", **check)


async def test_an_assertion_by_a_broken_expression_never_asks_the_device(workshop: Workshop) -> None:
    with pytest.raises(ActionFailedError, match="not a regular expression"):
        await workshop.perform("assert.shell", command="true", matches="(")

    assert workshop.phone.commands == []


async def test_an_address_is_one_word_whatever_it_holds(workshop: Workshop) -> None:
    workshop.told({"am start": "Status: ok"})

    await workshop.perform("url.open", url="https://e.com/?a=1&b=$(reboot);'x'", package="com.android.chrome")

    assert workshop.phone.commands == [
        "am start -W -a android.intent.action.VIEW -d 'https://e.com/?a=1&b=$(reboot);'\"'\"'x'\"'\"'' -p com.android.chrome"
    ]


async def test_an_address_that_nothing_opens_is_a_failure(workshop: Workshop) -> None:
    workshop.told({"am start": failed(1, "Error: Activity not started, unable to resolve Intent { dat=foo: }")})

    with pytest.raises(ActionFailedError, match="unable to resolve Intent"):
        await workshop.perform("url.open", url="foo:bar")


@pytest.mark.parametrize("answer", [None, [{"serial": "S1"}], {"code": 7}])
async def test_the_vendors_answer_is_yielded(workshop: Workshop, answer: object) -> None:
    workshop.phone.answer_to_call = answer

    output = await workshop.perform("vendor.call", action="pushEvent", data={"type": "2"})

    assert output == {"code": 10000, "message": "SUCCESS", "data": answer}
    assert workshop.phone.calls == [("pushEvent", {"type": "2"})]
