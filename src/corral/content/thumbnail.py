"""A video's picture: from YouTube's image host, small, and a picture by its first bytes or not at all."""

from typing import Final

from corral.content.fetch import Fetcher, check_answer
from corral.content.records import Picture
from corral.model.errors import ContentNotFoundError, YouTubeUnavailableError

LIMIT_BYTES: Final = 256 * 1024
_NOT_FOUND: Final = 404
_MAGIC: Final = {b"\xff\xd8\xff": "image/jpeg", b"\x89PNG\r\n\x1a\n": "image/png"}


async def fetch_thumbnail(fetcher: Fetcher, base: str, video_id: str) -> Picture:
    """320 by 180 pixels. The address is made of the id: where others say that a picture is, nobody goes."""
    answer = await fetcher.get(base, f"/vi/{video_id}/mqdefault.jpg", limit_bytes=LIMIT_BYTES)
    if answer.status == _NOT_FOUND:
        raise ContentNotFoundError(f"YouTube has no picture of video {video_id}", path="url")
    check_answer(answer, "a picture")
    for magic, content_type in _MAGIC.items():
        if answer.body.startswith(magic):
            return Picture(content_type=content_type, content=answer.body)
    message = f"what YouTube sent as the picture of video {video_id} is none"
    raise YouTubeUnavailableError(message, code="youtube_unexpected")
