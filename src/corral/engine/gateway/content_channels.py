"""Content channels: who syncs which now, what that brought, and the runs on new videos."""

from uuid import UUID

from corral.engine.database import Database, to_record, to_records
from corral.engine.gateway.runs import Runs
from corral.model.contents import ClaimedSync, ContentChannel, DueContentRun
from corral.model.errors import NotFoundError
from corral.model.records import Json


class ContentChannels:
    """YouTube channels that are kept in sync."""

    def __init__(self, database: Database, runs: Runs) -> None:
        self._database = database
        self._runs = runs

    async def create_content_channel(self, channel: Json, *, actor: str | None = None) -> bool:
        """Keep a channel in sync, from now on; whether it is new. One that is registered already stays as it is."""
        is_new: bool = await self._database.fetch_value(
            "select corral.fn_create_content_channel($1, $2)", channel, actor
        )
        return is_new

    async def update_content_channel(
        self, youtube_channel_id: str, change: Json, *, actor: str | None = None
    ) -> ContentChannel:
        """Change what `change` names. Raises NotFoundError."""
        await self._database.fetch(
            "select corral.fn_update_content_channel($1, $2, $3)", youtube_channel_id, change, actor
        )
        return await self.get(youtube_channel_id)

    async def delete_content_channel(self, youtube_channel_id: str, *, actor: str | None = None) -> None:
        """Sync it no more; its contents stay. Raises NotFoundError."""
        await self._database.fetch("select corral.fn_delete_content_channel($1, $2)", youtube_channel_id, actor)

    async def request_content_sync(self, youtube_channel_id: str, *, actor: str | None = None) -> ContentChannel:
        """Sync it as soon as may be. Raises NotFoundError, and ConflictError where it is paused."""
        await self._database.fetch("select corral.fn_request_content_sync($1, $2)", youtube_channel_id, actor)
        return await self.get(youtube_channel_id)

    async def get(self, youtube_channel_id: str) -> ContentChannel:
        """Raises NotFoundError."""
        row = await self._database.fetch_one(
            "select * from corral.content_channel_states where youtube_channel_id = $1", youtube_channel_id
        )
        if row is None:
            raise NotFoundError(f"no content channel {youtube_channel_id}", path="youtube_channel_id")
        return to_record(row, ContentChannel)

    async def claim_content_channels(self, *, limit: int = 4) -> list[ClaimedSync]:
        """Channels whose sync is due, for this caller alone; each is to be finished or failed under its token."""
        rows = await self._database.fetch("select * from corral.fn_claim_content_channels($1)", limit)
        return to_records(rows, ClaimedSync)

    async def finish_content_sync(self, claimed: ClaimedSync, result: Json) -> int | None:
        """Write down what a sync found; how many videos are new, None where somebody else has the channel by now."""
        found: int | None = await self._database.fetch_value(
            "select corral.fn_finish_content_sync($1, $2, $3)",
            claimed.youtube_channel_id,
            claimed.sync_token,
            result,
        )
        return found

    async def fail_content_sync(self, claimed: ClaimedSync, message: str) -> bool:
        """Write down why a sync failed; False where somebody else has the channel by now."""
        is_ours: bool = await self._database.fetch_value(
            "select corral.fn_fail_content_sync($1, $2, $3)", claimed.youtube_channel_id, claimed.sync_token, message
        )
        return is_ours

    async def list_due_content_runs(self, *, limit: int = 100) -> list[DueContentRun]:
        """New videos on which a run is due."""
        rows = await self._database.fetch("select * from corral.fn_list_due_content_runs($1)", limit)
        return to_records(rows, DueContentRun)

    async def start_content_run(self, due: DueContentRun, workflow_id: UUID, request: Json) -> UUID | None:
        """Start the run that is due, exactly once, and fan it out; None where it is not due any more, or was capped.

        Raises NotFoundError, and InvalidRequestError with the value's path.
        """
        run_id: UUID | None = await self._database.fetch_value(
            "select corral.fn_start_content_run($1, $2, $3, $4)",
            due.youtube_channel_id,
            due.youtube_video_id,
            workflow_id,
            request,
        )
        if run_id is not None:
            await self._runs.fan_out_run(run_id)
        return run_id

    async def refuse_content_run(self, due: DueContentRun, message: str) -> None:
        """Do without the run that was due, and say why."""
        await self._database.fetch(
            "select corral.fn_refuse_content_run($1, $2, $3)", due.youtube_channel_id, due.youtube_video_id, message
        )

    async def list(self, *, after: str = "", limit: int = 100) -> list[ContentChannel]:
        """Channels by their id, a page at a time: `after` is the last one seen."""
        rows = await self._database.fetch(
            "select * from corral.content_channel_states where youtube_channel_id > $1"
            " order by youtube_channel_id limit $2",
            after,
            limit,
        )
        return to_records(rows, ContentChannel)
