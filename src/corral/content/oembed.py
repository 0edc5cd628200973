"""oEmbed: a video's title, channel and picture without an API key. It tells neither duration nor date."""

from typing import Any, Final

import msgspec

from corral.content.fetch import Fetcher, check_answer
from corral.content.records import Video
from corral.content.words import https_url, tidy
from corral.model.errors import ContentNotFoundError, YouTubeUnavailableError
from corral.model.reading import read_json

_LIMIT_BYTES: Final = 256 * 1024
_MISSING: Final = frozenset({400, 404})
_CLOSED: Final = frozenset({401, 403})


async def find_video(fetcher: Fetcher, base: str, video_id: str) -> Video:
    """What oEmbed tells of a video. Raises ContentNotFoundError, saying whether it is missing or not for everybody."""
    query = {"url": f"https://www.youtube.com/watch?v={video_id}", "format": "json"}
    answer = await fetcher.get(base, "/oembed", query=query, limit_bytes=_LIMIT_BYTES)
    if answer.status in _MISSING:
        raise ContentNotFoundError(f"YouTube knows no video {video_id}", path="url")
    if answer.status in _CLOSED:
        message = f"video {video_id} is private, or its owner does not let others show it"
        raise ContentNotFoundError(message, code="content_closed", path="url")
    check_answer(answer, "a video")
    try:
        told = read_json(answer.body, dict[str, Any])
    except msgspec.DecodeError:
        message = "YouTube's oEmbed answered with something that is not JSON"
        raise YouTubeUnavailableError(message, code="youtube_unexpected") from None
    return Video(
        youtube_video_id=video_id,
        title=tidy(told.get("title")),
        channel_title=tidy(told.get("author_name")),
        thumbnail_url=https_url(told.get("thumbnail_url")),
    )
