"""Jobs, as they are read. They are granted through Nodes and moved through Events."""

from uuid import UUID

from corral.engine.database import Database, to_record, to_records
from corral.model.errors import NotFoundError
from corral.model.records import Job


class Jobs:
    """What is leased."""

    def __init__(self, database: Database) -> None:
        self._database = database

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
