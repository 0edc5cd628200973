"""Schedules: runs that start by themselves."""

from datetime import datetime
from typing import Annotated, Any, Final
from uuid import UUID

import msgspec
from litestar import Request, delete, get, patch, post
from litestar.di import NamedDependency
from litestar.params import FromPath, FromQuery, JSONBody, QueryParameter

from corral.api.auth import caller_of
from corral.api.server import Server
from corral.model.errors import InvalidRequestError, Problem, RecipeInvalidError
from corral.model.records import Json, Run
from corral.model.schedules import Schedule, SchedulePlan
from corral.timetable import Timetable
from corral.wire.schedules import (
    FiringPage,
    NewSchedule,
    NextTimes,
    ScheduleChange,
    ScheduledRun,
    SchedulePage,
    ScheduleView,
)
from corral.workflow import Recipe

_SHOWN: Final = 5


@post("/api/schedules")
async def create_schedule(
    data: JSONBody[NewSchedule], server: NamedDependency[Server], request: Request[Any, Any, Any]
) -> ScheduleView:
    """Store a schedule. What it runs is checked as a run is, with the value's path; 409 where the name is taken."""
    timetable = Timetable.parse(data.cron, data.time_zone)
    body = await _check_schedule(server, data, kept_secrets={})
    next_fire_at = None if data.is_paused else timetable.next_after(await server.engine.schedules.now())
    schedule = await server.engine.schedules.create_schedule(
        body, next_fire_at=next_fire_at, actor=caller_of(request).actor
    )
    return _view(schedule)


@get("/api/schedules")
async def list_schedules(
    server: NamedDependency[Server],
    after: FromQuery[str] = "",
    limit: Annotated[int, QueryParameter(ge=1, le=1000)] = 100,
) -> SchedulePage:
    """Schedules by name."""
    schedules = await server.engine.schedules.list(after=after, limit=limit)
    return SchedulePage(
        schedules=[_view(each) for each in schedules], next=schedules[-1].name if len(schedules) == limit else None
    )


@get("/api/schedules/preview")
async def preview_schedule(
    server: NamedDependency[Server],
    cron: Annotated[str, QueryParameter(min_length=1, max_length=200)],
    time_zone: Annotated[str, QueryParameter(min_length=1, max_length=100)] = "UTC",
    count: Annotated[int, QueryParameter(ge=1, le=50)] = _SHOWN,
) -> NextTimes:
    """When a schedule with these times would be due next, without storing one."""
    timetable = Timetable.parse(cron, time_zone)
    now = await server.engine.schedules.now()
    return NextTimes(now=now, times=timetable.next_times(now, count=count))


@get("/api/schedules/{schedule_id:uuid}")
async def get_schedule(schedule_id: FromPath[UUID], server: NamedDependency[Server]) -> ScheduleView:
    """One schedule."""
    return _view(await server.engine.schedules.get(schedule_id))


@patch("/api/schedules/{schedule_id:uuid}")
async def update_schedule(
    schedule_id: FromPath[UUID],
    data: JSONBody[ScheduleChange],
    server: NamedDependency[Server],
    request: Request[Any, Any, Any],
) -> ScheduleView:
    """Change, pause or resume a schedule; 409 where somebody else changed it meanwhile."""
    plan = await server.engine.schedules.get_plan(schedule_id)
    changed = _merge(plan, data)
    timetable = Timetable.parse(changed.cron, changed.time_zone)
    body = await _check_schedule(server, changed, kept_secrets=plan.secret_params)
    schedule = await server.engine.schedules.update_schedule(
        plan, body, next_fire_at=_next_fire_at(plan, changed, timetable), actor=caller_of(request).actor
    )
    return _view(schedule)


@delete("/api/schedules/{schedule_id:uuid}")
async def delete_schedule(
    schedule_id: FromPath[UUID], server: NamedDependency[Server], request: Request[Any, Any, Any]
) -> None:
    """Delete a schedule and what is remembered of its firings; its runs stay, and go on."""
    await server.engine.schedules.delete_schedule(schedule_id, actor=caller_of(request).actor)


@post("/api/schedules/{schedule_id:uuid}/run")
async def run_schedule(
    schedule_id: FromPath[UUID], server: NamedDependency[Server], request: Request[Any, Any, Any]
) -> Run:
    """Run what the schedule would, now, paused or not and whatever else of it still runs."""
    return await server.engine.schedules.run_schedule(schedule_id, actor=caller_of(request).actor)


@get("/api/schedules/{schedule_id:uuid}/firings")
async def list_firings(
    schedule_id: FromPath[UUID],
    server: NamedDependency[Server],
    before: FromQuery[datetime | None] = None,
    limit: Annotated[int, QueryParameter(ge=1, le=500)] = 50,
) -> FiringPage:
    """What became of the schedule's due times, newest first."""
    if before is not None and before.tzinfo is None:
        raise InvalidRequestError("before must have a time zone", path="before")
    firings = await server.engine.schedules.list_firings(schedule_id, before=before, limit=limit)
    return FiringPage(firings=firings, next=firings[-1].due_at if len(firings) == limit else None)


HANDLERS: Final = [
    create_schedule,
    list_schedules,
    preview_schedule,
    get_schedule,
    update_schedule,
    delete_schedule,
    run_schedule,
    list_firings,
]


async def _check_schedule(server: Server, wanted: NewSchedule, *, kept_secrets: Json) -> Json:
    """What fn_create_schedule takes, secrets apart. Raises RecipeInvalidError where a run would be refused."""
    workflow = await server.engine.workflows.find(wanted.run.workflow, version=wanted.run.version)
    specs = msgspec.convert(workflow.recipe, Recipe).params
    names = {name for name, spec in specs.items() if spec.secret}
    given = wanted.run.params
    secret = {name: value for name, value in kept_secrets.items() if name in names}
    secret |= {name: value for name, value in given.items() if name in names}
    secret = {name: value for name, value in secret.items() if value is not None}
    run = msgspec.to_builtins(wanted.run)
    del run["workflow"]
    run["params"] = {name: value for name, value in given.items() if name not in names}
    try:
        await server.engine.schedules.plan_run(wanted.run.workflow, run, secret)
    except RecipeInvalidError as invalid:
        problems = [Problem(f"run.{problem.path}", problem.message) for problem in invalid.problems]
        raise RecipeInvalidError(problems, code=invalid.code) from None
    body: Json = msgspec.to_builtins(wanted)
    del body["run"]
    return body | {"workflow_name": wanted.run.workflow, "run_request": run, "secret_params": secret}


def _merge(plan: SchedulePlan, change: ScheduleChange) -> NewSchedule:
    stored = {name: getattr(plan, name) for name in NewSchedule.__struct_fields__ if name != "run"}
    stored["run"] = _run_of(plan.workflow_name, plan.run_request)
    given = {name: getattr(change, name) for name in ScheduleChange.__struct_fields__}
    return NewSchedule(**stored | {name: value for name, value in given.items() if value is not msgspec.UNSET})


def _next_fire_at(plan: SchedulePlan, changed: NewSchedule, timetable: Timetable) -> datetime | None:
    """When it is due next: as before, unless its times were changed or it was paused, which forgets what is overdue."""
    if changed.is_paused:
        return None
    if plan.next_fire_at is not None and (changed.cron, changed.time_zone) == (plan.cron, plan.time_zone):
        return plan.next_fire_at
    return timetable.next_after(plan.now)


def _run_of(workflow: str, run_request: Json) -> ScheduledRun:
    return msgspec.convert({"workflow": workflow, **run_request}, ScheduledRun)


def _view(schedule: Schedule) -> ScheduleView:
    shared = [name for name in ScheduleView.__struct_fields__ if name not in {"run", "next_times"}]
    return ScheduleView(
        run=_run_of(schedule.workflow_name, schedule.run_request),
        next_times=_next_times(schedule),
        **{name: getattr(schedule, name) for name in shared},
    )


def _next_times(schedule: Schedule) -> list[datetime]:
    if schedule.next_fire_at is None:
        return []
    try:
        timetable = Timetable.parse(schedule.cron, schedule.time_zone)
    except InvalidRequestError:  # a time zone that this server does not know: the one that fires may
        return [schedule.next_fire_at]
    return [schedule.next_fire_at, *timetable.next_times(schedule.next_fire_at, count=_SHOWN - 1)]
