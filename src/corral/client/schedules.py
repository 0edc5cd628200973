"""Schedules: runs that start by themselves."""

from collections.abc import Iterator
from datetime import datetime
from uuid import UUID

import msgspec

from corral.client.paging import each_of
from corral.client.transport import Transport
from corral.model.errors import NotFoundError
from corral.model.records import Run
from corral.model.schedules import Firing
from corral.wire.schedules import FiringPage, NewSchedule, NextTimes, ScheduleChange, SchedulePage, ScheduleView


class Schedules:
    """`client.schedules`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(self, schedule: NewSchedule) -> ScheduleView:
        """Store a schedule. Raises ConflictError where the name is taken, and what creating its run would raise."""
        return self._transport.send("POST", "/api/schedules", ScheduleView, msgspec.to_builtins(schedule))

    def update(self, schedule_id: UUID | str, change: ScheduleChange) -> ScheduleView:
        """Change, pause or resume a schedule. Raises ConflictError where somebody else changed it meanwhile."""
        return self._transport.send("PATCH", f"/api/schedules/{schedule_id}", ScheduleView, change)

    def delete(self, schedule_id: UUID | str) -> None:
        """Delete a schedule; its runs stay."""
        self._transport.delete(f"/api/schedules/{schedule_id}")

    def run(self, schedule_id: UUID | str) -> Run:
        """Run what the schedule would, now. Never repeated by itself."""
        return self._transport.send("POST", f"/api/schedules/{schedule_id}/run", Run)

    def get(self, schedule_id: UUID | str) -> ScheduleView:
        """Raises NotFoundError."""
        return self._transport.get(f"/api/schedules/{schedule_id}", ScheduleView)

    def find(self, name: str) -> ScheduleView:
        """A schedule by its name. Raises NotFoundError."""
        for schedule in self.list():
            if schedule.name == name:
                return schedule
        raise NotFoundError(f"no schedule {name}", path="schedule")

    def preview(self, cron: str, *, time_zone: str = "UTC", count: int = 5) -> NextTimes:
        """When a schedule with these times would be due next. Raises InvalidRequestError."""
        query = {"cron": cron, "time_zone": time_zone, "count": count}
        return self._transport.get("/api/schedules/preview", NextTimes, query)

    def firings(self, schedule_id: UUID | str, *, most: int | None = None) -> Iterator[Firing]:
        """What became of the schedule's due times, newest first."""

        def ask(before: datetime | None) -> "tuple[list[Firing], datetime | None]":
            page = self._transport.get(f"/api/schedules/{schedule_id}/firings", FiringPage, {"before": before})
            return page.firings, page.next

        return each_of(ask, most=most)

    def list(self, *, most: int | None = None) -> Iterator[ScheduleView]:
        """Schedules by name."""

        def ask(after: str | None) -> "tuple[list[ScheduleView], str | None]":
            page = self._transport.get("/api/schedules", SchedulePage, {"after": after})
            return page.schedules, page.next

        return each_of(ask, most=most)
