"""Actions that read the screen's contents."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from corral.workflow.action_spec import ActionSpec, Args, Output
from corral.workflow.catalog.fields import Match, VisibleText, WaitSeconds


class WaitTextArgs(Args, frozen=True, kw_only=True):
    text: VisibleText
    match: Match = "contains"
    absent: Annotated[bool, Meta(description="Wait until the text is gone instead.")] = False
    poll_s: Annotated[float, Meta(ge=0.2, le=60, description="How often to look.")] = 1.0


class WaitTextOutput(Output, frozen=True, kw_only=True):
    text: str | None
    waited_s: float


class TapTextArgs(Args, frozen=True, kw_only=True):
    text: VisibleText
    match: Match = "contains"
    index: Annotated[int, Meta(ge=0, le=1000, description="Which one, from 0, if the text appears more than once.")] = 0
    wait_s: Annotated[WaitSeconds, Meta(description="How long to wait for the text.")] = 10.0


class TapTextOutput(Output, frozen=True, kw_only=True):
    x: float
    y: float


ACTIONS = (
    ActionSpec(
        name="ui.wait_text",
        summary="Wait until a text is on the screen, at most as long as the step's timeout.",
        args=WaitTextArgs,
        output=WaitTextOutput,
        repeatable=True,
    ),
    ActionSpec(
        name="ui.tap_text",
        summary="Find a text on the screen and tap it.",
        args=TapTextArgs,
        output=TapTextOutput,
        duration_field="wait_s",
    ),
)
