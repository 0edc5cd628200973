"""Live pictures of screens: asked for while somebody looks, the latest alone kept, forgotten soon after."""

from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from corral.engine.database import Database, to_record, to_records
from corral.model.records import Picture, Watch

WATCH_TIME: Final = timedelta(seconds=10)


class Pictures:
    """The screens that somebody looks at."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def watch_device(self, device_id: UUID, *, watch_time: timedelta = WATCH_TIME) -> str:
        """Ask for pictures from now on, for a while; the node that takes them. Raises NotFoundError."""
        node_id: str = await self._database.fetch_value("select corral.fn_watch_device($1, $2)", device_id, watch_time)
        return node_id

    async def list_watches(self, node_id: str) -> list[Watch]:
        """The devices of a node whose screens somebody looks at now."""
        return to_records(await self._database.fetch("select * from corral.fn_list_watches($1)", node_id), Watch)

    async def store_picture(
        self,
        node_id: str,
        device_id: UUID,
        *,
        epoch: int,
        content_type: str | None = None,
        content: bytes | None = None,
        error_message: str | None = None,
    ) -> float:
        """Keep a picture, or why there is none, if somebody still looks; for how many seconds they will.

        Raises NotFoundError where the device is not this node's, StaleEpochError.
        """
        left_s: float = await self._database.fetch_value(
            "select corral.fn_store_picture($1, $2, $3, $4, $5, $6)",
            node_id,
            epoch,
            device_id,
            content_type,
            content,
            error_message,
        )
        return left_s

    async def find_stored_at(self, device_id: UUID) -> datetime | None:
        """When the last word on a device's screen came, without the picture itself."""
        stored_at: datetime | None = await self._database.fetch_value(
            "select max(stored_at) from corral.device_picture_states where device_id = $1", device_id
        )
        return stored_at

    async def find(self, device_id: UUID) -> Picture | None:
        """The last picture of a device, or why there was none; None where nobody asked lately."""
        row = await self._database.fetch_one(
            "select * from corral.device_picture_states where device_id = $1", device_id
        )
        return None if row is None else to_record(row, Picture)
