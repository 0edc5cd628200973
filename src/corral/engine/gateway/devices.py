"""Devices, as people see and change them; nodes report them through Nodes."""

from collections.abc import Sequence
from uuid import UUID

from corral.engine.database import Database, to_record, to_records
from corral.model.errors import NotFoundError
from corral.model.records import Device
from corral.model.states import Health


class Devices:
    """The phones."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def get(self, device_id: UUID) -> Device:
        """Raises NotFoundError."""
        row = await self._database.fetch_one("select * from corral.device_states where device_id = $1", device_id)
        if row is None:
            message = f"no device {device_id}"
            raise NotFoundError(message, path="device_id")
        return to_record(row, Device)

    async def list(
        self,
        *,
        node_id: str | None = None,
        tag: str | None = None,
        health: Health | None = None,
        after: int = 0,
        limit: int = 1000,
    ) -> list[Device]:
        """Devices by number, those that fit or all, a page at a time: `after` is the last number seen."""
        rows = await self._database.fetch(
            "select * from corral.device_states where ($1::text is null or node_id = $1) and index_no > $2"
            " and ($3::text is null or $3 = any (tags)) and ($4::text is null or health = $4)"
            " order by index_no limit $5",
            node_id,
            after,
            tag,
            health,
            limit,
        )
        return to_records(rows, Device)

    async def update_device(
        self,
        device_id: UUID,
        *,
        label: str | None = None,
        tags: Sequence[str] | None = None,
        index_no: int | None = None,
        health: Health | None = None,
        health_reason: str | None = None,
        actor: str | None = None,
    ) -> Device:
        """Change what is given. A quarantine needs a reason; another device's number swaps the two."""
        await self._database.fetch_value(
            "select (corral.fn_update_device($1, $2, $3, $4, $5, $6, $7)).device_id",
            device_id,
            label,
            None if tags is None else list(tags),
            index_no,
            health,
            health_reason,
            actor,
        )
        return await self.get(device_id)
