"""Schedules: when runs start by themselves, and what became of each due time."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID

import msgspec

from corral.engine.database import Database, to_record, to_records
from corral.engine.gateway.files import Files
from corral.engine.gateway.runs import Runs
from corral.engine.gateway.workflows import Workflows
from corral.model.errors import NotFoundError
from corral.model.records import Json, Run
from corral.model.schedules import Firing, Schedule, SchedulePlan
from corral.workflow import Recipe, plan_request


class Schedules:
    """The schedules. When they are due is for corral.timetable to say; that it happens once is for SQL."""

    def __init__(self, database: Database, *, workflows: Workflows, files: Files, runs: Runs) -> None:
        self._database = database
        self._workflows = workflows
        self._files = files
        self._runs = runs

    async def now(self) -> datetime:
        """The clock that schedules are judged by."""
        now: datetime = await self._database.fetch_value("select corral.fn_now()")
        return now

    async def create_schedule(self, body: Json, *, next_fire_at: datetime | None, actor: str | None = None) -> Schedule:
        """Store a schedule; `body` is what fn_create_schedule documents. Raises ConflictError, InvalidRequestError."""
        schedule_id: UUID = await self._database.fetch_value(
            "select corral.fn_create_schedule($1, $2, $3)", body, next_fire_at, actor
        )
        return await self.get(schedule_id)

    async def update_schedule(
        self, plan: SchedulePlan, body: Json, *, next_fire_at: datetime | None, actor: str | None = None
    ) -> Schedule:
        """Store a schedule anew. Raises ConflictError if it is no longer as the plan read it, and NotFoundError."""
        await self._database.fetch(
            "select corral.fn_update_schedule($1, $2, $3, $4, $5)",
            plan.schedule_id,
            plan.revision,
            body,
            next_fire_at,
            actor,
        )
        return await self.get(plan.schedule_id)

    async def delete_schedule(self, schedule_id: UUID, *, actor: str | None = None) -> None:
        """Delete a schedule; its runs stay. Raises NotFoundError."""
        await self._database.fetch("select corral.fn_delete_schedule($1, $2)", schedule_id, actor)

    async def plan_run(self, workflow_name: str, run_request: Json, secret_params: Json) -> tuple[UUID, Json]:
        """The workflow version that a run would have now, and what fn_create_run is asked; secrets included.

        Raises NotFoundError, and RecipeInvalidError where the recipe no longer takes these params.
        """
        workflow = await self._workflows.find(workflow_name, version=run_request.get("version"))
        recipe = msgspec.convert(workflow.recipe, Recipe)
        params = {**run_request.get("params", {}), **secret_params}
        request = plan_request(recipe, {**run_request, "params": params})
        await self._files.check_input_files(recipe)
        return workflow.workflow_id, request

    async def run_schedule(self, schedule_id: UUID, *, actor: str | None = None) -> Run:
        """Run what the schedule would, now. Raises NotFoundError and what `plan_run` does."""
        plan = await self.get_plan(schedule_id)
        workflow_id, request = await self.plan_run(plan.workflow_name, plan.run_request, plan.secret_params)
        run_id: UUID = await self._database.fetch_value(
            "select corral.fn_run_schedule($1, $2, $3, $4)",
            schedule_id,
            workflow_id,
            request | _source_of(schedule_id),
            actor,
        )
        await self._runs.fan_out_run(run_id)
        return await self._runs.get(run_id)

    async def fire_schedule(
        self,
        plan: SchedulePlan,
        firings: Sequence[Json],
        *,
        next_at: datetime | None,
        run: tuple[UUID, Json] | None,
        failure: str | None = None,
    ) -> int:
        """Let due times happen, once whoever else tries; say how many runs were created.

        `run` is what `plan_run` said, or None with the reason why there can be none. A crash after the transaction
        loses nothing: upkeep goes on with fan-outs and cancellations.
        """
        workflow_id, request = run or (None, None)
        rows = await self._database.fetch(
            "select * from corral.fn_fire_schedule($1, $2, $3, $4, $5, $6, $7, $8)",
            plan.schedule_id,
            plan.revision,
            plan.next_fire_at,
            list(firings),
            next_at,
            workflow_id,
            None if request is None else request | _source_of(plan.schedule_id),
            failure,
        )
        for row in rows:
            finish = self._runs.fan_out_run if row["act"] == "create" else self._runs.cancel_jobs
            await finish(row["run_id"])
        return sum(row["act"] == "create" for row in rows)

    async def list_due(self, *, limit: int = 100) -> list[SchedulePlan]:
        """Schedules that are due, with their secrets."""
        rows = await self._database.fetch("select * from corral.fn_list_schedule_plans(null, $1)", limit)
        return to_records(rows, SchedulePlan)

    async def get_plan(self, schedule_id: UUID) -> SchedulePlan:
        """A schedule with its secrets. Raises NotFoundError."""
        row = await self._database.fetch_one("select * from corral.fn_list_schedule_plans($1)", schedule_id)
        if row is None:
            raise NotFoundError(f"no schedule {schedule_id}", path="schedule_id")
        return to_record(row, SchedulePlan)

    async def get(self, schedule_id: UUID) -> Schedule:
        """Raises NotFoundError."""
        row = await self._database.fetch_one("select * from corral.schedule_states where schedule_id = $1", schedule_id)
        if row is None:
            raise NotFoundError(f"no schedule {schedule_id}", path="schedule_id")
        return to_record(row, Schedule)

    async def list_firings(self, schedule_id: UUID, *, before: datetime | None = None, limit: int = 50) -> list[Firing]:
        """What became of a schedule's due times, newest first: `before` is the oldest due_at seen. Raises NotFoundError."""
        await self.get(schedule_id)
        rows = await self._database.fetch(
            "select * from corral.firing_states where schedule_id = $1 and ($2::timestamptz is null or due_at < $2)"
            " order by due_at desc, firing_id desc limit $3",
            schedule_id,
            before,
            limit,
        )
        return to_records(rows, Firing)

    async def purge_firings(self, older_than: timedelta, *, chunk: int = 10_000) -> int:
        """Forget old firings but each schedule's last, a chunk a transaction."""
        gone = 0
        while count := await self._database.fetch_value(
            "select corral.fn_purge_firings(corral.fn_now() - $1::interval, $2)", older_than, chunk
        ):
            gone += count
        return gone

    async def list(self, *, after: str = "", limit: int = 100) -> list[Schedule]:
        """Schedules by name, a page at a time: `after` is the last name seen."""
        rows = await self._database.fetch(
            "select * from corral.schedule_states where name > $1 order by name limit $2", after, limit
        )
        return to_records(rows, Schedule)


def _source_of(schedule_id: UUID) -> Json:
    return {"source_type": "schedule", "source_id": str(schedule_id)}
