"""Schedules, as operators ask for, see and change them."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from msgspec import UNSET, Meta, Struct, UnsetType, field

from corral.model.records import Json
from corral.model.schedules import Firing
from corral.model.states import CatchUp, Overlap
from corral.wire.runs import Text

Cron = Annotated[str, Meta(min_length=1, max_length=200)]
ZoneName = Annotated[str, Meta(min_length=1, max_length=100)]
CatchUpLimit = Annotated[int, Meta(ge=1, le=100)]


class ScheduledRun(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a schedule runs: as POST /api/runs takes it. Without `version`, whatever is the newest when it is due."""

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


class NewSchedule(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """When what is run, and what becomes of times that overlap or went by."""

    name: Text
    cron: Cron
    time_zone: ZoneName = "UTC"
    run: ScheduledRun
    overlap: Overlap = Overlap.SKIP
    catch_up: CatchUp = CatchUp.LAST
    catch_up_limit: CatchUpLimit = 10
    is_paused: bool = False


class ScheduleChange(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What to change; what is left out stays. `run` is replaced whole, but secret params that it does not name stay as well."""

    name: Text | UnsetType = UNSET
    cron: Cron | UnsetType = UNSET
    time_zone: ZoneName | UnsetType = UNSET
    run: ScheduledRun | UnsetType = UNSET
    overlap: Overlap | UnsetType = UNSET
    catch_up: CatchUp | UnsetType = UNSET
    catch_up_limit: CatchUpLimit | UnsetType = UNSET
    is_paused: bool | UnsetType = UNSET


class ScheduleView(Struct, frozen=True, kw_only=True):
    """A schedule with its next five times (none while it is paused) and its last five firings, newest first.

    `run.params` holds no secrets: `secret_params` names those that are kept.
    """

    schedule_id: UUID
    name: str
    cron: str
    time_zone: str
    run: ScheduledRun
    secret_params: list[str]
    overlap: Overlap
    catch_up: CatchUp
    catch_up_limit: int
    is_paused: bool
    next_times: list[datetime]
    last_fired_at: datetime | None
    last_firings: list[Firing]
    created_by: str | None
    created_at: datetime
    updated_at: datetime


class SchedulePage(Struct, frozen=True, kw_only=True):
    """Schedules by name; `next` is the `after` of the following page, null on the last."""

    schedules: list[ScheduleView]
    next: str | None


class FiringPage(Struct, frozen=True, kw_only=True):
    """What became of due times, newest first; `next` is the `before` of the following page, null on the last."""

    firings: list[Firing]
    next: datetime | None


class NextTimes(Struct, frozen=True, kw_only=True):
    """When a schedule would be due, in UTC, from the server's `now` on."""

    now: datetime
    times: list[datetime]
