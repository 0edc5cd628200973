"""Scans: asking nodes to rediscover their devices."""

from collections.abc import Sequence
from uuid import UUID

from corral.engine.database import Database, to_record, to_records
from corral.model.errors import NotFoundError
from corral.model.records import Scan


class Scans:
    """Requests to rediscover devices; nodes answer with scan events."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def request_scan(
        self,
        node_ids: Sequence[str] | None = None,
        *,
        addresses: Sequence[str] = (),
        actor: str | None = None,
    ) -> list[Scan]:
        """One scan per node, of all live nodes by default; an open scan is joined. Raises UnknownNodeError."""
        rows = await self._database.fetch(
            "select * from corral.fn_request_scan($1, $2, $3)",
            None if node_ids is None else list(node_ids),
            list(addresses),
            actor,
        )
        return to_records(rows, Scan)

    async def get(self, scan_id: UUID) -> Scan:
        """Raises NotFoundError."""
        row = await self._database.fetch_one("select * from corral.scan_jobs where scan_id = $1", scan_id)
        if row is None:
            message = f"no scan {scan_id}"
            raise NotFoundError(message, path="scan_id")
        return to_record(row, Scan)
