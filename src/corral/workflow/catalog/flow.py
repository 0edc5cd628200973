"""Actions that only shape the flow."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from corral.workflow.action_spec import ANYWHERE, ActionSpec, Args


class SleepArgs(Args, frozen=True, kw_only=True):
    duration_s: Annotated[float, Meta(ge=0, le=86_400, description="How long to wait.")]


ACTIONS = (
    ActionSpec(
        name="flow.sleep",
        summary="Wait. The step's timeout must be longer.",
        args=SleepArgs,
        modes=ANYWHERE,
        repeatable=True,
        duration_field="duration_s",
    ),
)
