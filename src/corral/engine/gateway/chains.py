"""Chains: tasks that are done one after the other."""

from collections.abc import Sequence
from uuid import UUID

from corral.engine.announce import COORDINATOR, Announcements
from corral.engine.database import Database, to_record, to_records
from corral.model.coordinator import Chain, TaskStatus
from corral.model.errors import NotFoundError


class Chains:
    """What keeps tasks in order."""

    def __init__(self, database: Database, announcements: Announcements) -> None:
        self._database = database
        self._announcements = announcements

    async def create_chain(
        self,
        channel_id: UUID,
        *,
        name: str | None = None,
        description: str | None = None,
        is_locked: bool = False,
        actor: str | None = None,
    ) -> Chain:
        """An open chain. Raises NotFoundError."""
        chain_id: UUID = await self._database.fetch_value(
            "select corral.fn_create_chain($1, $2, $3, $4, $5)", channel_id, name, description, is_locked, actor
        )
        self._announcements.announce([COORDINATOR])
        return await self.get(chain_id)

    async def update_chain(
        self,
        chain_id: UUID,
        *,
        name: str | None = None,
        description: str | None = None,
        status: TaskStatus | None = None,
        actor: str | None = None,
    ) -> Chain:
        """What a person changes; what is None stays. Raises NotFoundError, and ConflictError for a status out of place."""
        await self._database.fetch_value(
            "select corral.fn_update_chain($1, $2, $3, $4, $5)", chain_id, name, description, status, actor
        )
        self._announcements.announce([COORDINATOR])
        return await self.get(chain_id)

    async def delete_chain(self, chain_id: UUID, *, actor: str | None = None) -> None:
        """With its tasks. Raises NotFoundError, and ConflictError where one is in progress."""
        await self._database.fetch_value("select corral.fn_delete_chain($1, $2)", chain_id, actor)
        self._announcements.announce([COORDINATOR])

    async def get(self, chain_id: UUID) -> Chain:
        """Raises NotFoundError."""
        row = await self._database.fetch_one("select * from corral.chain_states where id = $1", chain_id)
        if row is None:
            raise NotFoundError(f"no chain {chain_id}", path="chain_id")
        return to_record(row, Chain)

    async def list(self, *, channel_id: UUID | None = None, limit: int = 1000) -> list[Chain]:
        """The newest of a channel, or of all; among these, oldest first."""
        rows = await self._database.fetch(
            "select * from (select * from corral.chain_states where $1::uuid is null or channel_id = $1"
            "  order by place desc limit $2) c order by place",
            channel_id,
            limit,
        )
        return to_records(rows, Chain)

    async def find(self, chain_ids: Sequence[str]) -> Sequence[Chain]:
        """Those of these that there are, oldest first."""
        rows = await self._database.fetch(
            "select * from corral.chain_states where id = any ($1::text[]::uuid[]) order by place", list(chain_ids)
        )
        return to_records(rows, Chain)
