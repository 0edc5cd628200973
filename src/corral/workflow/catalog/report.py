"""Words for whoever reads the run."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta, field

from corral.workflow.action_spec import ANYWHERE, ActionSpec, Args, OpenOutput


class ReportArgs(Args, frozen=True, kw_only=True):
    message: Annotated[str, Meta(min_length=1, max_length=4000, description="The line to write. Secrets are masked.")]
    level: Literal["info", "warning", "error"] = "info"
    data: Annotated[dict[str, Any], Meta(description="Values to keep with the job's result.")] = field(
        default_factory=dict
    )


ACTIONS = (
    ActionSpec(
        name="report",
        summary="Write a line to the job's log and keep values with its result: they are what it yields.",
        args=ReportArgs,
        output=OpenOutput,
        modes=ANYWHERE,
        repeatable=True,
    ),
)
