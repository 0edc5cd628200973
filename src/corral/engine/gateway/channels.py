"""Channels: FIFOs that agents claim tasks from."""

from collections.abc import Sequence
from uuid import UUID

from corral.engine.announce import COORDINATOR, Announcements
from corral.engine.database import Database, to_record, to_records
from corral.model.coordinator import Channel
from corral.model.errors import NotFoundError


class Channels:
    """The queues of tasks."""

    def __init__(self, database: Database, announcements: Announcements) -> None:
        self._database = database
        self._announcements = announcements

    async def create_channel(self, name: str, *, description: str | None = None, actor: str | None = None) -> Channel:
        """Raises InvalidRequestError, and ConflictError where the name is taken."""
        channel_id: UUID = await self._database.fetch_value(
            "select channel_id from corral.fn_create_channel($1, $2, $3)", name, description, actor
        )
        self._announcements.announce([COORDINATOR])
        return await self.get(channel_id)

    async def get(self, channel_id: UUID) -> Channel:
        """Raises NotFoundError."""
        row = await self._database.fetch_one("select * from corral.channel_states where id = $1", channel_id)
        if row is None:
            raise NotFoundError(f"no channel {channel_id}", path="channel_id")
        return to_record(row, Channel)

    async def find_by_name(self, name: str) -> Channel:
        """Raises NotFoundError."""
        row = await self._database.fetch_one("select * from corral.channel_states where name = $1", name)
        if row is None:
            raise NotFoundError(f"no channel {name}", path="channel")
        return to_record(row, Channel)

    async def find_id(self, name: str) -> UUID:
        """The id of the channel of that name, and nothing more. Raises NotFoundError."""
        channel_id: UUID | None = await self._database.fetch_value(
            "select channel_id from corral.channels where name = $1", name
        )
        if channel_id is None:
            raise NotFoundError(f"no channel {name}", path="channel")
        return channel_id

    async def list(self) -> list[Channel]:
        """All channels, by name."""
        return to_records(await self._database.fetch("select * from corral.channel_states order by name"), Channel)

    async def find(self, channel_ids: Sequence[str]) -> Sequence[Channel]:
        """Those of these that there are."""
        rows = await self._database.fetch(
            "select * from corral.channel_states where id = any ($1::text[]::uuid[]) order by name", list(channel_ids)
        )
        return to_records(rows, Channel)
