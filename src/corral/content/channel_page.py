"""The id behind a channel's handle, from the head of its page: without an API key there is no other way to it."""

import re
from typing import Final
from urllib.parse import quote

from corral.content.addresses import ChannelRef
from corral.content.fetch import Fetcher, check_answer
from corral.model.errors import ContentNotFoundError, YouTubeUnavailableError

_LIMIT_BYTES: Final = 8 * 1024 * 1024
_NOT_FOUND: Final = 404
# The page speaks of other channels, too; these two links are about its own.
_LINKS: Final = (
    re.compile(rb'<link rel="canonical" href="https://www\.youtube\.com/channel/(UC[A-Za-z0-9_-]{22})"'),
    re.compile(rb'<link rel="alternate"[^>]{0,200}/feeds/videos\.xml\?channel_id=(UC[A-Za-z0-9_-]{22})"'),
)


async def find_channel_id(fetcher: Fetcher, base: str, ref: ChannelRef) -> str:
    """The channel's id. Raises ContentNotFoundError, and YouTubeUnavailableError where the page does not tell it."""
    answer = await fetcher.get(base, quote(ref.page, safe="/@"), limit_bytes=_LIMIT_BYTES)
    if answer.status == _NOT_FOUND:
        raise ContentNotFoundError(f"YouTube knows no channel {ref.name}", path="channel")
    check_answer(answer, "a channel's page")
    for link in _LINKS:
        if found := link.search(answer.body):
            return found[1].decode()
    message = (
        f"YouTube's page of {ref.name} does not tell the channel's id: register it by its id (UC…), or set an API key"
    )
    raise YouTubeUnavailableError(message, code="youtube_unexpected")
