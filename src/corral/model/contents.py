"""What the engine hands out about contents and content channels. Field names are column names."""

from datetime import datetime
from uuid import UUID

from msgspec import Struct

from corral.model.records import Json


class Content(Struct, frozen=True):
    """A registered YouTube video. `thumbnail` is where this server has its picture, if it has it yet."""

    youtube_video_id: str
    title: str | None
    youtube_channel_id: str | None
    channel_title: str | None
    duration_s: float | None
    thumbnail_url: str | None
    thumbnail: str | None
    published_at: datetime | None
    found_by: str | None
    created_by: str | None
    created_at: datetime
    runs: int


class Thumbnail(Struct, frozen=True):
    """A content's picture."""

    content_type: str
    sha256: str
    content: bytes


class ContentHour(Struct, frozen=True):
    """How many contents were new within one hour."""

    hour: datetime
    contents: int


class ContentChannel(Struct, frozen=True):
    """A YouTube channel that is synced. `run` is what is run on each new video, at most `run_cap` times in 24 hours."""

    youtube_channel_id: str
    title: str | None
    handle: str | None
    sync_every_s: float
    is_paused: bool
    last_synced_at: datetime | None
    next_sync_at: datetime | None
    sync_failures: int
    last_error_message: str | None
    last_error_at: datetime | None
    contents: int
    run: Json | None
    run_cap: int
    runs_started: int
    last_run_error: str | None
    created_by: str | None
    created_at: datetime


class ClaimedSync(Struct, frozen=True):
    """A channel whose sync is this caller's to do, under a token, and what was seen of it last."""

    youtube_channel_id: str
    sync_token: UUID
    etag: str | None
    last_modified: str | None


class DueContentRun(Struct, frozen=True):
    """A new video on which its channel's run is to be started."""

    youtube_channel_id: str
    youtube_video_id: str
    title: str | None
    run: Json
