"""YouTube as Corral asks it: the Data API where there is a key, oEmbed and feeds where there is none."""

from typing import Final

from corral.config import ServerConfig
from corral.content import feed, oembed
from corral.content.addresses import ChannelRef
from corral.content.channel_page import find_channel_id
from corral.content.data_api import DataApi
from corral.content.fetch import Fetcher
from corral.content.records import Channel, Picture, Uploads, Video
from corral.content.thumbnail import fetch_thumbnail

_SITE: Final = "https://www.youtube.com"
_API: Final = "https://youtube.googleapis.com"
_IMAGES: Final = "https://i.ytimg.com"


class Source:
    """Asks YouTube's three hosts, or the one that is configured in their place. Keeps nothing between two questions."""

    def __init__(self, config: ServerConfig, *, fetcher: Fetcher | None = None) -> None:
        base = config.youtube_url.rstrip("/")
        self._fetcher = fetcher or Fetcher()
        self._site, self._images = base or _SITE, base or _IMAGES
        key = config.youtube_api_key
        self._api = None if key is None else DataApi(self._fetcher, base=base or _API, key=key)

    async def find_video(self, video_id: str) -> Video:
        """What is known of a video. Raises ContentNotFoundError, YouTubeUnavailableError."""
        if self._api is not None:
            return await self._api.find_video(video_id)
        return await oembed.find_video(self._fetcher, self._site, video_id)

    async def find_channel(self, ref: ChannelRef) -> Channel:
        """A channel by whatever name. Raises ContentNotFoundError, YouTubeUnavailableError."""
        if self._api is not None and ref.kind != "custom":  # the API does not know names of that kind
            return await self._api.find_channel(ref)
        channel_id = ref.name if ref.kind == "id" else await find_channel_id(self._fetcher, self._site, ref)
        told = await feed.list_uploads(self._fetcher, self._site, channel_id)
        handle = f"@{ref.name}" if ref.kind == "handle" else None
        return Channel(youtube_channel_id=channel_id, title=told.title, handle=handle)

    async def list_uploads(
        self, channel_id: str, *, etag: str | None = None, last_modified: str | None = None
    ) -> Uploads:
        """A channel's newest videos, unless they are still those of the validators. Raises as the others do."""
        if self._api is not None:
            return await self._api.list_uploads(channel_id, etag=etag)
        return await feed.list_uploads(self._fetcher, self._site, channel_id, etag=etag, last_modified=last_modified)

    async def fetch_thumbnail(self, video_id: str) -> Picture:
        """A video's picture. Raises ContentNotFoundError, YouTubeUnavailableError."""
        return await fetch_thumbnail(self._fetcher, self._images, video_id)
