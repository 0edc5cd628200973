"""A channel's feed: its fifteen newest videos, without an API key."""

import calendar
import io
from datetime import UTC, datetime
from typing import Any, Final

import feedparser  # type: ignore[import-untyped]  # it has no types

from corral.content.addresses import is_video_id
from corral.content.fetch import Fetcher, check_answer
from corral.content.records import Uploads, Video
from corral.content.words import https_url, tidy
from corral.model.errors import ContentNotFoundError, YouTubeUnavailableError

_LIMIT_BYTES: Final = 2 * 1024 * 1024
_NOT_FOUND: Final = 404
_NOT_MODIFIED: Final = 304


async def list_uploads(
    fetcher: Fetcher, base: str, channel_id: str, *, etag: str | None = None, last_modified: str | None = None
) -> Uploads:
    """What the feed tells, unless it has not changed since. Raises ContentNotFoundError, YouTubeUnavailableError."""
    conditions = {"if-none-match": etag, "if-modified-since": last_modified}
    answer = await fetcher.get(
        base,
        "/feeds/videos.xml",
        query={"channel_id": channel_id},
        headers={name: value for name, value in conditions.items() if value},
        limit_bytes=_LIMIT_BYTES,
    )
    if answer.status == _NOT_MODIFIED:
        return Uploads(videos=None, etag=etag, last_modified=last_modified)
    if answer.status == _NOT_FOUND:
        raise ContentNotFoundError(f"YouTube has no feed of channel {channel_id}", path="channel")
    check_answer(answer, "a feed")
    title, videos = read_feed(answer.body, channel_id=channel_id)
    return Uploads(
        videos=videos,
        title=title,
        etag=answer.headers.get("etag"),
        last_modified=answer.headers.get("last-modified"),
    )


def read_feed(body: bytes, *, channel_id: str) -> tuple[str | None, list[Video]]:
    """The channel's title and its videos. Raises YouTubeUnavailableError for what is not a feed."""
    # A stream: anything else feedparser may take for the name of a file, or for an address to fetch.
    feed: Any = feedparser.parse(io.BytesIO(body), sanitize_html=False, resolve_relative_uris=False)
    if not feed.get("version"):
        message = "YouTube's feed of the channel cannot be read: it is not a feed"
        raise YouTubeUnavailableError(message, code="youtube_unexpected")
    videos = [_read_entry(entry, channel_id) for entry in feed.entries]
    return tidy(feed.feed.get("title")), [video for video in videos if video is not None]


def _read_entry(entry: Any, channel_id: str) -> Video | None:  # noqa: ANN401 - feedparser's own dictionary
    video_id = entry.get("yt_videoid")
    if not is_video_id(video_id):
        return None
    pictures = entry.get("media_thumbnail") or [{}]
    published = entry.get("published_parsed")
    return Video(
        youtube_video_id=video_id,
        title=tidy(entry.get("title")),
        youtube_channel_id=channel_id,
        channel_title=tidy(entry.get("author")),
        thumbnail_url=https_url(pictures[0].get("url")),
        published_at=None if published is None else datetime.fromtimestamp(calendar.timegm(published), UTC),
    )
