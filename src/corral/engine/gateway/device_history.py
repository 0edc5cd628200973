"""A device's story: its jobs over all runs, how it was, and what became of its health."""

from collections.abc import Sequence
from datetime import timedelta
from uuid import UUID

from corral.engine.database import Database, to_records
from corral.model.records import DeviceJob, DeviceSample, HealthChange
from corral.model.states import JobStatus


class DeviceHistory:
    """What is known of a device's past; nothing of a device that there is not."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def list_jobs(
        self, device_id: UUID, *, statuses: Sequence[JobStatus] = (), before: int | None = None, limit: int = 20
    ) -> list[DeviceJob]:
        """A device's jobs over all runs, newest first, a page at a time: `before` is the last position seen."""
        rows = await self._database.fetch(
            "select * from corral.device_jobs where device_id = $1 and ($2::bigint is null or position < $2)"
            " and (cardinality($3::text[]) = 0 or status = any ($3)) order by position desc limit $4",
            device_id,
            before,
            [str(status) for status in statuses],
            limit,
        )
        return to_records(rows, DeviceJob)

    async def list_samples(self, device_id: UUID, *, window: timedelta) -> list[DeviceSample]:
        """How a device was within the window, oldest first; the last one before it stands at the head."""
        rows = await self._database.fetch(
            "select * from corral.fn_list_samples($1, corral.fn_now() - $2::interval)", device_id, window
        )
        return to_records(rows, DeviceSample)

    async def list_health_changes(self, device_id: UUID, *, limit: int = 20) -> list[HealthChange]:
        """What became of a device's health, newest first."""
        rows = await self._database.fetch(
            "select * from corral.device_health_changes where device_id = $1 order by at desc limit $2",
            device_id,
            limit,
        )
        return to_records(rows, HealthChange)
