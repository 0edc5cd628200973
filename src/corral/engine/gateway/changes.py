"""What changed at the coordinator door: what streams read, and can read again from where they were."""

from corral.engine.database import Database, to_record, to_records
from corral.model.coordinator import Change, Place


class Changes:
    """The log of changes, kept for an hour or so."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def find_stream_end(self) -> Place:
        """Behind everything that can be read now."""
        return to_record(await self._database.fetch_only("select * from corral.fn_find_stream_end()"), Place)

    async def is_in_stream(self, place: Place) -> bool:
        """Whether nothing behind this place was forgotten."""
        is_there: bool = await self._database.fetch_value(
            "select corral.fn_is_in_stream($1, $2)", place.written_by, place.change_id
        )
        return is_there

    async def list_changes(self, after: Place, *, until: Place | None = None, limit: int = 1000) -> list[Change]:
        """What changed behind a place, in order; no later call will find anything before the last of these."""
        rows = await self._database.fetch(
            "select * from corral.fn_list_changes($1, $2, $3, $4, $5)",
            after.written_by,
            after.change_id,
            None if until is None else until.written_by,
            None if until is None else until.change_id,
            limit,
        )
        return to_records(rows, Change)
