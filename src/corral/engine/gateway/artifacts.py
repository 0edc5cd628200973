"""Artifacts: what is known of stored files. Their bytes are the store's."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from corral.engine.database import Database, to_record, to_records
from corral.model.errors import NotFoundError
from corral.model.records import Artifact, ArtifactUpload


class Artifacts:
    """Files that jobs brought."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def begin_artifact(self, key: str, *, node_id: str, job_id: UUID, lease_token: UUID) -> ArtifactUpload:
        """Ask to store bytes under a key, before any is stored. Raises LeaseLostError where that is not theirs."""
        row = await self._database.fetch_only(
            "select * from corral.fn_begin_artifact($1, $2, $3, $4)", key, node_id, job_id, lease_token
        )
        return to_record(row, ArtifactUpload)

    async def store_artifact(self, key: str, *, size_bytes: int, sha256: str, content_type: str) -> ArtifactUpload:
        """Note that the bytes are stored. What was noted first stays."""
        row = await self._database.fetch_only(
            "select * from corral.fn_store_artifact($1, $2, $3, $4)", key, size_bytes, sha256, content_type
        )
        return to_record(row, ArtifactUpload)

    async def list_leftover_artifacts(self, *, after: str = "", limit: int = 500) -> list[str]:
        """Keys of stored bytes that no artifact speaks of, nor ever will, by key: `after` is the last one seen."""
        rows = await self._database.fetch(
            "select key from corral.fn_list_leftover_artifacts($1, $2) as t (key)", after, limit
        )
        return [row["key"] for row in rows]

    async def forget_artifacts(self, keys: Sequence[str]) -> None:
        """Forget leftovers whose bytes were deleted."""
        await self._database.fetch("select corral.fn_forget_artifacts($1)", list(keys))

    async def get(self, artifact_id: UUID) -> Artifact:
        """Raises NotFoundError."""
        row = await self._database.fetch_one("select * from corral.artifact_states where artifact_id = $1", artifact_id)
        if row is None:
            message = f"no artifact {artifact_id}"
            raise NotFoundError(message, path="artifact_id")
        return to_record(row, Artifact)

    async def list(
        self,
        *,
        run_id: UUID | None = None,
        job_id: UUID | None = None,
        device_id: UUID | None = None,
        kind: str | None = None,
        before: tuple[datetime, UUID] | None = None,
        limit: int = 100,
    ) -> list[Artifact]:
        """Artifacts, newest first, a page at a time: `before` is the created_at and the id of the last one seen."""
        created_before, id_before = before or (None, None)
        rows = await self._database.fetch(
            "select * from corral.artifact_states where ($1::uuid is null or run_id = $1)"
            " and ($2::uuid is null or job_id = $2) and ($3::uuid is null or device_id = $3)"
            " and ($4::text is null or kind = $4)"
            " and ($5::timestamptz is null or (created_at, artifact_id) < ($5, $6::uuid))"
            " order by created_at desc, artifact_id desc limit $7",
            run_id,
            job_id,
            device_id,
            kind,
            created_before,
            id_before,
            limit,
        )
        return to_records(rows, Artifact)
