"""Touch, text and keys. None may be repeated when its outcome is unknown."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from corral.workflow.action_spec import ActionSpec, Args

Coordinate = Annotated[float, Meta(ge=0, le=20_000)]
Unit = Annotated[Literal["px", "percent"], Meta(description="Pixels, or percent of the screen.")]
Key = Annotated[
    str,
    Meta(
        pattern=r"^[A-Za-z0-9_]{1,60}$",
        description="A key's name without KEYCODE_, such as HOME, BACK or ENTER, or its number in quotes.",
        extra={"expected": "a key's name such as HOME, BACK or ENTER"},
    ),
]


class TapArgs(Args, frozen=True, kw_only=True):
    x: Coordinate
    y: Coordinate
    unit: Unit = "px"


class SwipeArgs(Args, frozen=True, kw_only=True):
    from_x: Coordinate
    from_y: Coordinate
    to_x: Coordinate
    to_y: Coordinate
    unit: Unit = "px"
    duration_ms: Annotated[int, Meta(ge=1, le=60_000)] = 300


class TextArgs(Args, frozen=True, kw_only=True):
    text: Annotated[str, Meta(max_length=4000, description="What to type into the focused field.")]
    submit: Annotated[bool, Meta(description="Press Enter afterwards.")] = False


class KeyArgs(Args, frozen=True, kw_only=True):
    key: Key
    times: Annotated[int, Meta(ge=1, le=100)] = 1


ACTIONS = (
    ActionSpec(name="input.tap", summary="Tap a point.", args=TapArgs),
    ActionSpec(name="input.swipe", summary="Swipe from one point to another.", args=SwipeArgs),
    ActionSpec(name="input.text", summary="Type text.", args=TextArgs),
    ActionSpec(name="input.key", summary="Press a key.", args=KeyArgs),
)
