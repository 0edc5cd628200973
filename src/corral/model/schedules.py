"""Schedules and what became of their due times, as plain data."""

from datetime import datetime
from uuid import UUID

from msgspec import Struct

from corral.model.records import Json
from corral.model.states import CatchUp, FiringOutcome, Overlap, RunStatus


class Firing(Struct, frozen=True):
    """What became of a due time. Missed ones that followed one another are one record, of so many `times`."""

    firing_id: UUID
    schedule_id: UUID
    due_at: datetime
    is_by_hand: bool
    outcome: FiringOutcome
    times: int
    reason: str | None
    run_id: UUID | None
    run_status: RunStatus | None
    recorded_at: datetime


class Schedule(Struct, frozen=True):
    """When a run starts by itself. Of secret params only the names are here; `now` is the clock that it is judged by."""

    schedule_id: UUID
    name: str
    workflow_name: str
    cron: str
    time_zone: str
    run_request: Json
    secret_params: list[str]
    overlap: Overlap
    catch_up: CatchUp
    catch_up_limit: int
    is_paused: bool
    next_fire_at: datetime | None
    last_fired_at: datetime | None
    last_firings: list[Firing]
    revision: int
    created_by: str | None
    created_at: datetime
    updated_at: datetime
    now: datetime


class SchedulePlan(Struct, frozen=True):
    """A schedule as whoever fires or changes it needs it: with its secrets, which its text never shows."""

    schedule_id: UUID
    name: str
    workflow_name: str
    cron: str
    time_zone: str
    run_request: Json
    secret_params: Json
    overlap: Overlap
    catch_up: CatchUp
    catch_up_limit: int
    is_paused: bool
    revision: int
    next_fire_at: datetime | None
    now: datetime

    def __repr__(self) -> str:
        return f"SchedulePlan({self.name})"
