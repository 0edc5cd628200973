"""Waiting for texts, tapping them, and logging in."""

from __future__ import annotations

import asyncio

import pytest

from corral.model.errors import ActionFailedError, AssertionFailedError
from tests.node.actions.conftest import Clock, Workshop
from tests.node.actions.screens import button, dump, field, node
from tests.node.actions.scripted_phone import Script, failed

NOT_IDLE = failed(1, "ERROR: could not get idle state.")
NO_ROOT = "ERROR: null root node returned by UiTestAutomationBridge."
LATER = dump(node("Loading"))
READY = dump(node("Welcome back, Kim", bounds="[0,100][200,140]"))


async def test_a_text_is_waited_for_through_the_hiccups_of_uiautomator(workshop: Workshop, clock: Clock) -> None:
    workshop.told({"uiautomator": [NOT_IDLE, NO_ROOT, LATER, READY]})

    output = await workshop.perform("ui.wait_text", text="Welcome", poll_s=2)

    assert output == {"text": "Welcome back, Kim", "waited_s": 6.0}
    assert clock.sleeps == [2.0, 2.0, 2.0]


async def test_a_text_is_gone_only_on_a_screen_that_could_be_read(workshop: Workshop, clock: Clock) -> None:
    workshop.told({"uiautomator": [LATER, NOT_IDLE, READY]})

    output = await workshop.perform("ui.wait_text", text="Loading", absent=True)

    assert output == {"text": None, "waited_s": 2.0}


async def test_waiting_ends_at_once_when_it_is_cancelled(workshop: Workshop) -> None:
    workshop.told({"uiautomator": LATER})
    waiting = asyncio.create_task(workshop.perform("ui.wait_text", text="Never"))
    await workshop.phone.heard.wait()

    waiting.cancel()

    with pytest.raises(asyncio.CancelledError):
        await waiting


async def test_a_phone_without_uiautomator_is_not_waited_for(workshop: Workshop) -> None:
    workshop.told({"uiautomator": failed(127, "/system/bin/sh: uiautomator: inaccessible or not found")})

    with pytest.raises(ActionFailedError, match="no uiautomator"):
        await workshop.perform("ui.wait_text", text="x")


async def test_no_dump_is_left_on_the_phone(workshop: Workshop) -> None:
    workshop.told({"uiautomator": READY})

    await workshop.perform("ui.wait_text", text="Welcome")

    (command,) = workshop.phone.commands
    assert command.startswith("rm -f /data/local/tmp/corral-ui.xml; ")
    assert command.endswith("; rm -f /data/local/tmp/corral-ui.xml")


async def test_a_text_is_tapped_at_its_centre(workshop: Workshop) -> None:
    workshop.told({"uiautomator": [LATER, READY], "input tap": ""})

    output = await workshop.perform("ui.tap_text", text="Welcome")

    assert output == {"x": 100.0, "y": 120.0}
    assert workshop.phone.commands[-1] == "input tap 100 120"


async def test_the_one_of_several_that_is_meant_is_tapped(workshop: Workshop) -> None:
    rows = [node("Row", bounds=f"[0,{top}][10,{top + 10}]") for top in (0, 20, 40)]
    workshop.told({"uiautomator": dump(*rows), "input tap": ""})

    assert await workshop.perform("ui.tap_text", text="Row", match="exact", index=2) == {"x": 5.0, "y": 45.0}


@pytest.mark.parametrize(
    ("screen", "with_", "message"),
    [
        (READY, {"text": "Nope"}, r"'Nope' did not appear within 10 s; it shows Welcome back, Kim"),
        (READY, {"text": "Welcome", "index": 1}, r"number 1 of 'Welcome' did not appear"),
        (NOT_IDLE, {"text": "Nope", "wait_s": 0}, "the screen could not be read: uiautomator said: ERROR: could not"),
    ],
)
async def test_a_text_that_does_not_appear_is_a_failure_that_tells_what_is_there(
    workshop: Workshop, screen: str, with_: dict[str, object], message: str
) -> None:
    workshop.told({"uiautomator": screen})

    with pytest.raises(ActionFailedError, match=message):
        await workshop.perform("ui.tap_text", **with_)

    assert not [command for command in workshop.phone.commands if command.startswith("input")]


FORM = dump(
    node("Log in", bounds="[0,0][100,20]"),
    field("bob", id_="com.example.app:id/user", bounds="[0,100][100,140]"),
    node("Password", bounds="[0,150][100,190]"),
    field(password=True, bounds="[0,200][100,240]"),
    button("LOG IN", bounds="[0,300][100,340]"),
)
LOGIN = {
    "package": "com.example.app",
    "fields": [{"field": "user", "value": "kim@example.com"}, {"field": "Password", "value": "s3cr t!"}],
    "submit": "Log in",
    "expect_text": "Welcome",
}
APP: Script = {
    "resolve-activity": "com.example.app/.Main",
    "am start": "Status: ok",
    "dumpsys activity": "mResumedActivity: ActivityRecord{1 u0 com.example.app/.Main t1}",
    "dumpsys input_method": ["mInputShown=true", "mInputShown=false"],
    "^input": "",
}


async def test_a_login_fills_in_the_form_submits_it_and_sees_the_text(workshop: Workshop) -> None:
    workshop.told({**APP, "uiautomator": [FORM, FORM, FORM, LATER, READY]})

    assert await workshop.perform("app.login", **LOGIN) == {}

    assert [command for command in workshop.phone.commands if command.startswith("input")] == [
        "input tap 50 120",
        "input keyevent KEYCODE_MOVE_END KEYCODE_DEL KEYCODE_DEL KEYCODE_DEL",
        "input text kim@example.com",
        "input keyevent KEYCODE_ESCAPE",
        "input tap 50 220",
        "input text 's3cr%st!'",
        "input tap 50 320",
    ]


async def test_a_login_says_what_it_fills_in_and_never_with_what(workshop: Workshop) -> None:
    workshop.told({**APP, "uiautomator": [FORM, FORM, FORM, FORM]})

    with pytest.raises(AssertionFailedError) as failure:
        await workshop.perform("app.login", **LOGIN)

    told = " ".join([failure.value.message, *(line for _, line in workshop.bench.lines)])
    assert "'Welcome' did not appear" in told
    assert "filled in 'Password'" in told
    for secret in ("kim@example.com", "s3cr", "bob"):
        assert secret not in told


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"fields": [{"field": "Token", "value": "x"}]}, "there is no field 'Token' within 20 s; it shows Log in"),
        ({"submit": "Go"}, "there is no button 'Go' within 20 s"),
    ],
)
async def test_a_form_that_is_not_as_told_is_a_failure(
    workshop: Workshop, changed: dict[str, object], message: str
) -> None:
    workshop.told({**APP, "uiautomator": FORM})

    with pytest.raises(ActionFailedError, match=message):
        await workshop.perform("app.login", **{**LOGIN, **changed})
