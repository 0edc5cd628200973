"""Channels: FIFOs that agents claim tasks from."""

from uuid import UUID

from corral.engine.database import Database, to_record, to_records
from corral.model.errors import NotFoundError
from corral.model.records import Channel


class Channels:
    """The queues of tasks."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def create_channel(self, name: str, *, description: str | None = None) -> Channel:
        """Raises InvalidRequestError, and ConflictError where the name is taken."""
        row = await self._database.fetch_only("select * from corral.fn_create_channel($1, $2)", name, description)
        return to_record(row, Channel)

    async def get(self, channel_id: UUID) -> Channel:
        """Raises NotFoundError."""
        row = await self._database.fetch_one("select * from corral.channels where channel_id = $1", channel_id)
        if row is None:
            message = f"no channel {channel_id}"
            raise NotFoundError(message, path="channel_id")
        return to_record(row, Channel)

    async def find(self, name: str) -> Channel:
        """Raises NotFoundError."""
        row = await self._database.fetch_one("select * from corral.channels where name = $1", name)
        if row is None:
            message = f"no channel {name}"
            raise NotFoundError(message, path="channel")
        return to_record(row, Channel)

    async def list(self) -> list[Channel]:
        """All channels, by name."""
        return to_records(await self._database.fetch("select * from corral.channels order by name"), Channel)
