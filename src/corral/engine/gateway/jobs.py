"""Jobs. Those of devices are made by Runs, granted by Nodes, moved by Events; distributed ones also here."""

from typing import Any
from uuid import UUID

from corral.engine.database import Database, to_record, to_records
from corral.model.errors import NotFoundError
from corral.model.records import Job, Json
from corral.model.states import FailureReason, JobStatus


class Jobs:
    """What is leased."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def create(
        self,
        task_name: str,
        *,
        workspace: str = "default",
        mode: str = "distributed",
        input: Json | None = None,  # noqa: A002 - the job's word for it
        source_type: str | None = None,
        source_id: str | None = None,
        is_open: bool = False,
        actor: str | None = None,
    ) -> Job:
        """A distributed run of a task, with its one job; add its steps with Steps.create_steps.

        An open job does not end with its steps, but once it is closed.
        Raises InvalidRequestError and ConflictError.
        """
        job_id: UUID = await self._database.fetch_value(
            "select corral.fn_create_job($1, $2, $3, $4, $5, $6, $7, $8)",
            workspace,
            task_name,
            mode,
            input,
            source_type,
            source_id,
            is_open,
            actor,
        )
        return await self.get(job_id)

    async def mark_running(self, job_id: UUID, *, node_id: str | None = None) -> None:
        """Say that a distributed job runs, as its first step does. Raises NotFoundError and ConflictError."""
        await self._database.fetch_value("select corral.fn_start_job($1, $2)", job_id, node_id)

    async def mark_completed(self, job_id: UUID, *, output: Any = None) -> None:  # noqa: ANN401 - any JSON
        """End a distributed job well, once no step of it is open. Raises NotFoundError and ConflictError."""
        await self._end(job_id, JobStatus.SUCCEEDED, output=output)

    async def mark_failed(
        self, job_id: UUID, *, reason: FailureReason = FailureReason.UNKNOWN, error: str | None = None
    ) -> None:
        """Fail a distributed job; its open steps are cancelled. Raises NotFoundError and ConflictError."""
        await self._end(job_id, JobStatus.FAILED, reason=reason, error=error)

    async def close_job(self, job_id: UUID) -> None:
        """Let an open job end with its last step. Raises NotFoundError."""
        await self._database.fetch_value("select corral.fn_close_job($1)", job_id)

    async def get(self, job_id: UUID) -> Job:
        """Raises NotFoundError."""
        row = await self._database.fetch_one("select * from corral.job_states where job_id = $1", job_id)
        if row is None:
            message = f"no job {job_id}"
            raise NotFoundError(message, path="job_id")
        return to_record(row, Job)

    async def list(
        self, *, workspace: str = "default", run_id: UUID | None = None, limit: int = 50, offset: int = 0
    ) -> list[Job]:
        """Jobs of a workspace, or of one run, newest first, a page at a time."""
        rows = await self._database.fetch(
            "select * from corral.job_states where workspace = $1 and ($2::uuid is null or run_id = $2)"
            " order by queued_at desc, position desc limit $3 offset $4",
            workspace,
            run_id,
            limit,
            offset,
        )
        return to_records(rows, Job)

    async def set_log_path(self, job_id: UUID, log_path: str) -> None:
        """Say where the job's whole log is kept. Raises NotFoundError."""
        await self._database.fetch_value("select corral.fn_set_log_path($1, $2)", job_id, log_path)

    async def _end(
        self,
        job_id: UUID,
        status: JobStatus,
        *,
        output: Any = None,  # noqa: ANN401 - any JSON
        reason: FailureReason | None = None,
        error: str | None = None,
    ) -> None:
        await self._database.fetch_value(
            "select corral.fn_end_job($1, $2, $3, $4, $5)", job_id, status, output, reason, error
        )
