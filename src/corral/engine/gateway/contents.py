"""Contents: registered videos, their pictures, and what was run on them."""

from datetime import datetime, timedelta

from corral.engine.database import Database, to_record, to_records
from corral.model.contents import Content, ContentHour, Thumbnail
from corral.model.errors import NotFoundError
from corral.model.records import Artifact, Json, Run

DAY = timedelta(days=1)


class Contents:
    """Videos that runs are tied to."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def register_content(self, video: Json, *, actor: str | None = None) -> bool:
        """Register what fn_read_content reads; whether it is new. One that is registered already stays as it is."""
        is_new: bool = await self._database.fetch_value("select corral.fn_register_content($1, $2)", video, actor)
        return is_new

    async def delete_content(self, youtube_video_id: str, *, actor: str | None = None) -> None:
        """Forget a content; its runs and their artifacts stay. Raises NotFoundError."""
        await self._database.fetch("select corral.fn_delete_content($1, $2)", youtube_video_id, actor)

    async def find(self, youtube_video_id: str) -> Content | None:
        """The content, or None."""
        row = await self._database.fetch_one(
            "select * from corral.content_states where youtube_video_id = $1", youtube_video_id
        )
        return None if row is None else to_record(row, Content)

    async def get(self, youtube_video_id: str) -> Content:
        """Raises NotFoundError."""
        if (content := await self.find(youtube_video_id)) is None:
            raise NotFoundError(f"no content {youtube_video_id}", path="youtube_video_id")
        return content

    async def list_runs(self, youtube_video_id: str, *, limit: int = 20) -> list[Run]:
        """Runs on a video, newest first, whichever workspace they are of."""
        rows = await self._database.fetch(
            "select * from corral.run_states where youtube_video_id = $1 order by created_at desc, run_id desc limit $2",
            youtube_video_id,
            limit,
        )
        return to_records(rows, Run)

    async def list_content_screenshots(self, youtube_video_id: str, *, limit: int = 200) -> list[Artifact]:
        """The newest picture of each device from the last runs on a video, by device number."""
        rows = await self._database.fetch(
            "select s.* from corral.fn_list_content_screenshots($1, $2) with ordinality as t (artifact_id, place)"
            " join corral.artifact_states s on s.artifact_id = t.artifact_id order by t.place",
            youtube_video_id,
            limit,
        )
        return to_records(rows, Artifact)

    async def list_content_hours(self, window: timedelta = DAY) -> list[ContentHour]:
        """How many were new in each hour. Raises InvalidRequestError unless it is between an hour and 31 days."""
        rows = await self._database.fetch("select * from corral.fn_list_content_hours($1)", window)
        return to_records(rows, ContentHour)

    async def get_thumbnail(self, youtube_video_id: str) -> Thumbnail:
        """A content's picture. Raises NotFoundError where there is none, or not yet."""
        row = await self._database.fetch_one(
            "select t.content_type, t.sha256, t.content from corral.content_thumbnails t"
            " join corral.contents c on c.content_id = t.content_id where c.youtube_video_id = $1",
            youtube_video_id,
        )
        if row is None:
            raise NotFoundError(f"no picture of content {youtube_video_id}", path="youtube_video_id")
        return Thumbnail(row["content_type"], row["sha256"], row["content"])

    async def claim_thumbnails(self, *, limit: int = 8) -> list[str]:
        """Contents whose picture is this caller's to fetch now."""
        rows = await self._database.fetch("select video from corral.fn_claim_thumbnails($1) as t (video)", limit)
        return [row["video"] for row in rows]

    async def store_thumbnail(self, youtube_video_id: str, *, content_type: str, content: bytes) -> None:
        """Keep a content's picture, unless it has one or is gone."""
        await self._database.fetch(
            "select corral.fn_store_thumbnail($1, $2, $3)", youtube_video_id, content_type, content
        )

    async def list(
        self,
        *,
        search: str = "",
        youtube_channel_id: str | None = None,
        before: tuple[datetime, str] | None = None,
        limit: int = 50,
    ) -> list[Content]:
        """Contents, newest first: those whose title, channel or id has the text, those a channel brought, or all.

        A page at a time: `before` is the created_at and the id of the last one seen.
        """
        created_before, id_before = before or (None, None)
        rows = await self._database.fetch(
            "select * from corral.content_states where ($1 = '' or position(lower($1) in lower(title)) > 0"
            " or position(lower($1) in lower(channel_title)) > 0 or youtube_video_id = $1)"
            " and ($2::text is null or found_by = $2)"
            " and ($3::timestamptz is null or (created_at, youtube_video_id) < ($3, $4::text))"
            " order by created_at desc, youtube_video_id desc limit $5",
            search,
            youtube_channel_id,
            created_before,
            id_before,
            limit,
        )
        return to_records(rows, Content)
