"""Runs: asking for work, following it, stopping it."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

import msgspec

from corral.engine.announce import EVERYBODY, STEPS, Announcements
from corral.engine.database import Database, to_record, to_records
from corral.model.errors import NotFoundError
from corral.model.records import Explanation, Json, NewStep, Run, RunLogLine, RunSpec, StepTally
from corral.model.states import JobStatus, RunStatus


class Runs:
    """Requests to execute a workflow on a target."""

    def __init__(self, database: Database, announcements: Announcements) -> None:
        self._database = database
        self._announcements = announcements

    async def create_run(self, workflow_id: UUID, request: Json | None = None, *, actor: str | None = None) -> Run:
        """Store the run and fan it out. A crash in between loses nothing: upkeep goes on where this stopped.

        `request` is what fn_create_run documents. Raises NotFoundError, and InvalidRequestError with the value's path.
        """
        run_id: UUID = await self._database.fetch_value(
            "select (corral.fn_create_run($1, $2, $3)).run_id", workflow_id, request or {}, actor
        )
        self._announcements.announce([STEPS] if request and request.get("steps") else [])
        await self.fan_out_run(run_id)
        return await self.get(run_id)

    async def fan_out_run(self, run_id: UUID, *, chunk: int = 5000) -> int:
        """Make the run's jobs, one chunk a transaction. Returns how many this call made; repeating it is safe."""
        made = 0
        while True:
            row = await self._database.fetch_only("select * from corral.fn_fan_out_run($1, $2)", run_id, chunk)
            made += int(row["jobs_made"])
            # A pool's jobs are for any node.
            self._announcements.announce(row["node_ids"] or ([EVERYBODY] if row["jobs_made"] else []))
            if row["is_done"]:
                return made

    async def cancel_run(self, run_id: UUID, *, actor: str | None = None) -> Run:
        """Cancel what waits, ask nodes to stop what runs. A result achieved first stands. Repeating it is safe."""
        await self._database.fetch_value("select (corral.fn_cancel_run($1, $2)).run_id", run_id, actor)
        await self.cancel_jobs(run_id)
        return await self.get(run_id)

    async def cancel_jobs(self, run_id: UUID, *, chunk: int = 1000) -> int:
        """Cancel the waiting jobs of a run whose cancel was requested, one chunk a transaction."""
        await self.fan_out_run(run_id)  # an interrupted fan-out ends here: a cancelled run gets no more jobs
        cancelled = 0
        after: UUID | None = None
        while True:
            row = await self._database.fetch_only(
                "select * from corral.fn_cancel_jobs($1, $2, $3)", run_id, after, chunk
            )
            cancelled += int(row["cancelled"])
            self._announcements.announce(row["node_ids"])
            after = row["last_device_id"]
            if after is None:
                return cancelled

    async def retry_run(
        self,
        run_id: UUID,
        *,
        statuses: Sequence[JobStatus] | None = None,
        indexes: Sequence[int] | None = None,
        steps: Sequence[NewStep] | None = None,
        actor: str | None = None,
    ) -> Run:
        """A new run on the devices where this one did not succeed, or of all `steps` of a distributed one.

        Raises ConflictError while it is still going.
        """
        retry_id: UUID = await self._database.fetch_value(
            "select (corral.fn_retry_run($1, $2, $3, $4, $5)).run_id",
            run_id,
            None if statuses is None else list(statuses),
            actor,
            None if indexes is None else list(indexes),
            None if steps is None else msgspec.to_builtins(list(steps)),
        )
        self._announcements.announce([STEPS] if steps else [])
        await self.fan_out_run(retry_id)
        return await self.get(retry_id)

    async def replay_run(
        self, run_id: UUID, *, steps: Sequence[NewStep] | None = None, actor: str | None = None
    ) -> Run:
        """The same run once more, on the very devices that it had, or with the `steps` of a distributed one.

        Raises ConflictError while it is still going.
        """
        replay_id: UUID = await self._database.fetch_value(
            "select (corral.fn_replay_run($1, $2, $3)).run_id",
            run_id,
            actor,
            None if steps is None else msgspec.to_builtins(list(steps)),
        )
        self._announcements.announce([STEPS] if steps else [])
        await self.fan_out_run(replay_id)
        return await self.get(replay_id)

    async def get_monitor(self, run_id: UUID, *, device: str | None = None) -> bytes:
        """The monitor view of docs/monitor.md, as JSON ready to be sent. `device` is a number or a serial.

        Raises NotFoundError for the run; a device that is not part of it selects nothing.
        """
        monitor: bytes = await self._database.fetch_value(
            "select convert_to(corral.fn_get_monitor($1, $2), 'UTF8')", run_id, device
        )
        return monitor

    async def get_run_version(self, run_id: UUID) -> int:
        """What the monitor view's `version` would be, without building it. Raises NotFoundError."""
        version: int = await self._database.fetch_value("select corral.fn_get_run_version($1)", run_id)
        return version

    async def explain_run(self, run_id: UUID, *, after: int = 0, limit: int = 1000) -> list[Explanation]:
        """Why each job that has not started waits, by device number; `after` is the last number seen.

        Jobs without a device come last on the first page. Raises NotFoundError.
        """
        rows = await self._database.fetch("select * from corral.fn_explain_run($1, $2, $3)", run_id, after, limit)
        return to_records(rows, Explanation)

    async def tally_steps(self, run_id: UUID) -> list[StepTally]:
        """How each step went over all jobs of a run, in the recipe's order. Raises NotFoundError."""
        rows = await self._database.fetch("select * from corral.fn_tally_steps($1)", run_id)
        return to_records(rows, StepTally)

    async def list_run_logs(
        self, run_id: UUID, *, device: str | None = None, step: str | None = None, after: int = 0, limit: int = 1000
    ) -> list[RunLogLine]:
        """Log lines, oldest first; `after` is the last number seen. Whoever goes on like that misses none.

        `device` is a number or a serial. Raises NotFoundError for the run.
        """
        rows = await self._database.fetch(
            "select * from corral.fn_list_run_logs($1, $2, $3, $4, $5)", run_id, device, after, limit, step
        )
        return to_records(rows, RunLogLine)

    async def review_run(self, run_id: UUID, *, actor: str | None = None) -> Run:
        """Note that somebody looked at an ended run. Raises NotFoundError, and ConflictError while it is going."""
        await self._database.fetch_value("select (corral.fn_review_run($1, $2)).run_id", run_id, actor)
        return await self.get(run_id)

    async def list_run_specs(self, run_ids: Sequence[UUID]) -> list[RunSpec]:
        """What nodes need to execute jobs of these runs: for nodes only, it holds secrets."""
        rows = await self._database.fetch("select * from corral.fn_list_run_specs($1)", list(run_ids))
        return to_records(rows, RunSpec)

    async def get(self, run_id: UUID) -> Run:
        """Raises NotFoundError."""
        row = await self._database.fetch_one("select * from corral.run_states where run_id = $1", run_id)
        if row is None:
            message = f"no run {run_id}"
            raise NotFoundError(message, path="run_id")
        return to_record(row, Run)

    async def list(
        self,
        *,
        workspace: str = "default",
        statuses: Sequence[RunStatus] | None = None,
        is_reviewed: bool | None = None,
        source_type: str | None = None,
        source_id: str | None = None,
        log_path: str | None = None,
        before: datetime | None = None,
        limit: int = 50,
    ) -> list[Run]:
        """Runs of a workspace, newest first, a page at a time: `before` is the oldest created_at seen.

        Sessions are left out, unless they are what is asked for: `source_type="session"`.
        """
        rows = await self._database.fetch(
            "select * from corral.run_states where workspace = $1 and ($2::timestamptz is null or created_at < $2)"
            " and ($3::text[] is null or status = any ($3)) and ($4::boolean is null or (reviewed_at is not null) = $4)"
            " and case when $5::text is null then source_type is distinct from 'session' else source_type = $5 end"
            " and ($6::text is null or source_id = $6)"
            " and ($7::text is null or run_id in (select job.run_id from corral.job_states job where job.log_path = $7))"
            " order by created_at desc, run_id desc limit $8",
            workspace,
            before,
            None if statuses is None else [str(status) for status in statuses],
            is_reviewed,
            source_type,
            source_id,
            log_path,
            limit,
        )
        return to_records(rows, Run)
