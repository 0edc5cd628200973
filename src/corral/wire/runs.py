"""Asking for runs, and pages of them."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from msgspec import Meta, Struct, field

from corral.model.records import Explanation, Json, Run, RunLogLine, StepTally
from corral.model.states import JobStatus

Text = Annotated[str, Meta(min_length=1, max_length=200)]


class RunRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A workflow by name (the newest version, unless one is named), a target, and what the run may set."""

    workflow: Text
    version: Annotated[int, Meta(ge=1, le=2**31 - 1)] | None = None
    target: Json = field(default_factory=lambda: {"all": True})
    params: Json = field(default_factory=dict)
    overrides: Json = field(default_factory=dict)
    policy: Json = field(default_factory=dict)
    name: Text | None = None
    workspace: Text = "default"
    seed: Text | None = None
    youtube_video_id: Annotated[str, Meta(pattern=r"^[A-Za-z0-9_-]{11}$")] | None = None
    source_type: Text | None = None
    source_id: Text | None = None
    replay_of: UUID | None = None
    log_path: Annotated[str, Meta(min_length=1, max_length=1000)] | None = None
    """Where a distributed run's log is kept, for whoever looks for the run by it."""


class RetryRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which devices to try again, by how their job ended and by their numbers: all that did not succeed, by default."""

    statuses: Annotated[list[JobStatus], Meta(min_length=1, max_length=4)] | None = None
    indexes: Annotated[list[Annotated[int, Meta(ge=1, le=2**31 - 1)]], Meta(min_length=1, max_length=10_000)] | None = (
        None
    )


class Explanations(Struct, frozen=True, kw_only=True):
    """Jobs that wait, and why; `next` is the `after` of the following page, null on the last."""

    jobs: list[Explanation]
    next: int | None


class StepTallies(Struct, frozen=True, kw_only=True):
    """The steps of a run in the recipe's order, and how each went over all its jobs."""

    steps: list[StepTally]


class RunPage(Struct, frozen=True, kw_only=True):
    """Runs, newest first; `next` is the `before` of the following page, null on the last."""

    runs: list[Run]
    next: datetime | None


class LogPage(Struct, frozen=True, kw_only=True):
    """Log lines, oldest first; `next` is the `after` to go on with, also when there were none yet."""

    lines: list[RunLogLine]
    next: int
