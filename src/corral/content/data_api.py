"""The YouTube Data API v3: what an API key buys. One unit of quota for each call; 10,000 a day unless Google granted more."""

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from corral.config import Secret
from corral.content.addresses import ChannelRef, is_video_id
from corral.content.fetch import Answer, Fetcher
from corral.content.records import Channel, Uploads, Video
from corral.content.words import https_url, read_duration, read_time, tidy
from corral.model.errors import ContentNotFoundError, YouTubeUnavailableError
from corral.model.reading import read_json

_LIMIT_BYTES: Final = 4 * 1024 * 1024
_MOST: Final = 50
_QUOTA: Final = frozenset({"quotaExceeded", "dailyLimitExceeded", "rateLimitExceeded", "userRateLimitExceeded"})
_NOT_FOUND: Final = 404
_NOT_MODIFIED: Final = 304


class DataApi:
    """The calls that Corral makes."""

    def __init__(self, fetcher: Fetcher, *, base: str, key: Secret) -> None:
        self._fetcher = fetcher
        self._base = base
        self._key = key

    async def find_video(self, video_id: str) -> Video:
        """videos.list. Raises ContentNotFoundError for one that is private, deleted or never was."""
        videos = await self.list_videos([video_id])
        if not videos:
            raise ContentNotFoundError(f"YouTube knows no public video {video_id}", path="url")
        return videos[0]

    async def list_videos(self, video_ids: Sequence[str]) -> list[Video]:
        """videos.list of at most 50, in the order given; those that are not there are left out."""
        told = await self._list("videos", {"part": "snippet,contentDetails", "id": ",".join(video_ids[:_MOST])})
        found = {item.get("id"): _read_video(item) for item in told}
        return [found[video_id] for video_id in video_ids if video_id in found]

    async def find_channel(self, ref: ChannelRef) -> Channel:
        """channels.list by id, handle or user name. Raises ContentNotFoundError."""
        by = {"id": "id", "user": "forUsername"}.get(ref.kind, "forHandle")
        name = f"@{ref.name}" if by == "forHandle" else ref.name
        told = await self._list("channels", {"part": "snippet", by: name})
        if not told or not isinstance(told[0].get("id"), str):
            raise ContentNotFoundError(f"YouTube knows no channel {ref.name}", path="channel")
        snippet = told[0].get("snippet") or {}
        handle = tidy(snippet.get("customUrl"))
        return Channel(youtube_channel_id=told[0]["id"], title=tidy(snippet.get("title")), handle=handle)

    async def list_uploads(self, channel_id: str, *, etag: str | None) -> Uploads:
        """playlistItems.list of the channel's uploads, and if anything changed videos.list of what it names."""
        answer = await self._ask(
            "playlistItems",
            {"part": "contentDetails", "playlistId": f"UU{channel_id[2:]}", "maxResults": str(_MOST)},
            headers={"if-none-match": etag} if etag else {},
        )
        if answer.status == _NOT_MODIFIED:
            return Uploads(videos=None, etag=etag)
        told = [(item.get("contentDetails") or {}).get("videoId") for item in _items(answer)]
        ids = [each for each in told if is_video_id(each)]
        videos = await self.list_videos(ids) if ids else []
        title = next((video.channel_title for video in videos), None)
        return Uploads(videos=videos, title=title, etag=answer.headers.get("etag"))

    async def _list(self, what: str, query: dict[str, str]) -> list[dict[str, Any]]:
        return _items(await self._ask(what, query, headers={}))

    async def _ask(self, what: str, query: dict[str, str], *, headers: dict[str, str]) -> Answer:
        answer = await self._fetcher.get(
            self._base,
            f"/youtube/v3/{what}",
            query=query,
            headers={"x-goog-api-key": self._key.reveal(), **headers},
            limit_bytes=_LIMIT_BYTES,
        )
        if answer.status in {200, _NOT_MODIFIED}:
            return answer
        raise _refusal(answer, what)


def _refusal(answer: Answer, what: str) -> YouTubeUnavailableError | ContentNotFoundError:
    """What Google says is wrong, by its reason and never by its message."""
    try:
        error = read_json(answer.body)["error"]
        reasons = {each.get("reason") for each in [*error.get("errors", []), *error.get("details", [])]}
    except (msgspec.DecodeError, KeyError, TypeError, AttributeError):
        reasons = set()
    if reasons & _QUOTA:
        message = "the quota of the YouTube Data API is used up; it is granted anew at midnight Pacific Time"
        return YouTubeUnavailableError(message, code="youtube_quota_exceeded")
    if answer.status == _NOT_FOUND:
        return ContentNotFoundError("YouTube knows no such channel, or it has no videos", path="channel")
    if answer.status in {400, 401, 403}:
        told = ", ".join(sorted(each for each in reasons if isinstance(each, str))) or f"status {answer.status}"
        message = f"the YouTube Data API refused the request ({told}): check CORRAL_YOUTUBE_API_KEY"
        return YouTubeUnavailableError(message, code="youtube_refused")
    return YouTubeUnavailableError(f"the YouTube Data API answered {answer.status} when asked for {what}")


def _items(answer: Answer) -> list[dict[str, Any]]:
    try:
        items = read_json(answer.body, dict[str, Any]).get("items", [])
        return msgspec.convert(items, list[dict[str, Any]])
    except (msgspec.DecodeError, msgspec.ValidationError):
        message = "the YouTube Data API answered with something that is not its own"
        raise YouTubeUnavailableError(message, code="youtube_unexpected") from None


def _read_video(item: dict[str, Any]) -> Video:
    snippet, details = item.get("snippet") or {}, item.get("contentDetails") or {}
    pictures = snippet.get("thumbnails") or {}
    picture: dict[str, Any] = next((pictures[size] for size in ("high", "medium", "default") if size in pictures), {})
    return Video(
        youtube_video_id=str(item.get("id")),
        title=tidy(snippet.get("title")),
        youtube_channel_id=tidy(snippet.get("channelId")),
        channel_title=tidy(snippet.get("channelTitle")),
        duration=read_duration(details.get("duration")),
        thumbnail_url=https_url(picture.get("url")),
        published_at=read_time(snippet.get("publishedAt")),
    )
