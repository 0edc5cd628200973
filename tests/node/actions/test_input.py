"""Touch, text and keys."""

from __future__ import annotations

import pytest

from corral.model.errors import ActionFailedError, DeviceNotBootedError
from tests.node.actions.conftest import Workshop
from tests.node.actions.scripted_phone import failed

SIZE = {"wm size": "Physical size: 1081x2001", "^input": ""}


@pytest.mark.parametrize(
    ("action", "with_", "command"),
    [
        ("input.tap", {"x": 10, "y": 20.6}, "input tap 10 21"),
        ("input.tap", {"x": 50, "y": 100, "unit": "percent"}, "input tap 540 2000"),
        ("input.swipe", {"from_x": 1, "from_y": 2, "to_x": 3, "to_y": 4}, "input swipe 1 2 3 4 300"),
        (
            "input.swipe",
            {"from_x": 0, "from_y": 75, "to_x": 100, "to_y": 25, "unit": "percent", "duration_ms": 900},
            "input swipe 0 1500 1080 500 900",
        ),
        ("input.key", {"key": "home"}, "input keyevent KEYCODE_HOME"),
        ("input.key", {"key": "KEYCODE_BACK", "times": 3}, "input keyevent KEYCODE_BACK KEYCODE_BACK KEYCODE_BACK"),
        ("input.key", {"key": "66"}, "input keyevent 66"),
        ("input.text", {"text": "a b"}, "input text a%sb"),
    ],
)
async def test_each_gesture_is_one_command(
    workshop: Workshop, action: str, with_: dict[str, object], command: str
) -> None:
    workshop.told(SIZE)

    assert await workshop.perform(action, **with_) == {}

    assert [said for said in workshop.phone.commands if said.startswith("input")] == [command]


async def test_typing_can_end_with_enter(workshop: Workshop) -> None:
    workshop.told(SIZE)

    await workshop.perform("input.text", text="x", submit=True)

    assert workshop.phone.commands == ["input text x", "input keyevent KEYCODE_ENTER"]


async def test_a_point_beyond_the_screen_is_refused(workshop: Workshop) -> None:
    with pytest.raises(ActionFailedError, match="120 percent"):
        await workshop.perform("input.tap", x=1, y=120, unit="percent")


async def test_a_screen_of_unknown_size_is_a_failure(workshop: Workshop) -> None:
    workshop.told({"wm size": failed(127, "wm: not found")})

    with pytest.raises(ActionFailedError, match="how large"):
        await workshop.perform("input.tap", x=1, y=1, unit="percent")


@pytest.mark.parametrize("answer", ["Error: Unknown keycode: KEYCODE_NOPE", failed(255, "Error: Unknown keycode")])
async def test_an_unknown_key_is_a_failure_whatever_the_exit_code(workshop: Workshop, answer: str) -> None:
    workshop.told({"^input": answer})

    with pytest.raises(ActionFailedError, match="input: Error: Unknown keycode"):
        await workshop.perform("input.key", key="NOPE")


async def test_input_to_a_phone_that_is_starting_is_told_apart(workshop: Workshop) -> None:
    workshop.told({"^input": failed(20, "cmd: Can't find service: input")})

    with pytest.raises(DeviceNotBootedError):
        await workshop.perform("input.tap", x=1, y=1)
