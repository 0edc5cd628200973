"""Let schedules' due times happen: each once, whatever number of servers tries, and what went by unseen as each schedule says."""

from uuid import UUID

from corral.engine import Engine
from corral.model.errors import CorralError, DatabaseNotReadyError, DatabaseUnavailableError, RecipeInvalidError
from corral.model.records import Json
from corral.model.schedules import SchedulePlan
from corral.telemetry import logger
from corral.timetable import Due, Timetable

_log = logger(__name__)


async def fire_schedules(engine: Engine) -> None:
    """One schedule a transaction; one's trouble does not spare the others."""
    first: CorralError | None = None
    for plan in await engine.schedules.list_due():
        try:
            if count := await fire(engine, plan):
                _log.info("schedule fired", schedule=plan.name, runs=count)
        except CorralError as error:
            first = first or error
    if first is not None:
        raise first


async def fire(engine: Engine, plan: SchedulePlan) -> int:
    """Let the due times of one schedule happen, unless somebody else has; say how many runs were created."""
    if plan.next_fire_at is None:
        return 0
    try:
        timetable = Timetable.parse(plan.cron, plan.time_zone)
    except CorralError as error:  # a time zone that this machine does not know: it stops until somebody changes it
        firings = [{"due_at": plan.next_fire_at, "outcome": "fired"}]
        return await engine.schedules.fire_schedule(plan, firings, next_at=None, run=None, failure=str(error))
    due = timetable.judge(plan.next_fire_at, plan.now, catch_up=plan.catch_up, limit=plan.catch_up_limit)
    run, failure = await _plan_run(engine, plan) if due.to_fire else (None, None)
    return await engine.schedules.fire_schedule(
        plan, list_firings(due), next_at=timetable.next_after(plan.now), run=run, failure=failure
    )


def list_firings(due: Due) -> list[Json]:
    """What fn_fire_schedule is told: what was missed, as one record, then what is to be fired."""
    firings: list[Json] = [{"due_at": at, "outcome": "fired"} for at in due.to_fire]
    if due.missed:
        reason = "no server was there to fire it"
        if due.missed > 1:
            reason = f"no server was there to fire these, the last of them at {due.missed_until:%Y-%m-%d %H:%M} UTC"
        missed = {"due_at": due.missed_from, "outcome": "missed", "times": due.missed, "reason": reason}
        firings.insert(0, missed)
    return firings


async def _plan_run(engine: Engine, plan: SchedulePlan) -> tuple[tuple[UUID, Json] | None, str | None]:
    try:
        return await engine.schedules.plan_run(plan.workflow_name, plan.run_request, plan.secret_params), None
    except (DatabaseUnavailableError, DatabaseNotReadyError):
        raise
    except CorralError as error:
        why = str(error)
        if isinstance(error, RecipeInvalidError):
            why = "; ".join(f"{problem.path}: {problem.message}" for problem in error.problems)
        _log.warning("schedule cannot run", schedule=plan.name, error=why)
        return None, why
