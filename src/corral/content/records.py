"""What YouTube told, as plain data."""

from datetime import datetime, timedelta
from typing import Any

import msgspec
from msgspec import Struct


class Video(Struct, frozen=True, kw_only=True):
    """A video; what the way to it does not tell is None."""

    youtube_video_id: str
    title: str | None = None
    youtube_channel_id: str | None = None
    channel_title: str | None = None
    duration: timedelta | None = None
    thumbnail_url: str | None = None
    published_at: datetime | None = None

    def as_row(self) -> dict[str, Any]:
        """As JSON, in the words that contents are stored in."""
        row: dict[str, Any] = msgspec.to_builtins(self)
        del row["duration"]
        return {**row, "duration_s": None if self.duration is None else self.duration.total_seconds()}


class Channel(Struct, frozen=True, kw_only=True):
    """A channel."""

    youtube_channel_id: str
    title: str | None = None
    handle: str | None = None


class Uploads(Struct, frozen=True, kw_only=True):
    """The newest videos of a channel, or None of them where nothing has changed since the validators were told."""

    videos: list[Video] | None
    title: str | None = None
    etag: str | None = None
    last_modified: str | None = None


class Picture(Struct, frozen=True, kw_only=True):
    """A picture whose type was sniffed."""

    content_type: str
    content: bytes
