"""Content channels: YouTube channels that are kept in sync."""

from collections.abc import Iterator

from corral.client.paging import each_of
from corral.client.transport import Transport, part
from corral.model.contents import ContentChannel
from corral.model.records import Json
from corral.wire.contents import ContentChannelPage


class ContentChannels:
    """`client.content_channels`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self, channel: str, *, sync_every_s: float = 180.0, run: Json | None = None, run_cap: int = 10
    ) -> ContentChannel:
        """Keep a channel in sync, by its address, @handle or id; the same again answers the one that is there.

        `run` is what is run on each new video: `{"workflow": …, "target": …, "params": …}`. Raises
        ContentUrlInvalidError, ContentNotFoundError, YouTubeUnavailableError, and RecipeInvalidError for the run.
        """
        body = {"channel": channel, "sync_every_s": sync_every_s, "run": run, "run_cap": run_cap}
        return self._transport.send("POST", "/api/content-channels", ContentChannel, body, is_repeatable=True)

    def get(self, youtube_channel_id: str) -> ContentChannel:
        """Raises NotFoundError."""
        return self._transport.get(f"/api/content-channels/{part(youtube_channel_id)}", ContentChannel)

    def update(self, youtube_channel_id: str, change: Json) -> ContentChannel:
        """Change `sync_every_s`, `is_paused`, `run` (None: nothing any more) or `run_cap`; the rest stays."""
        path = f"/api/content-channels/{part(youtube_channel_id)}"
        return self._transport.send("PATCH", path, ContentChannel, change, is_repeatable=True)

    def sync(self, youtube_channel_id: str) -> ContentChannel:
        """Sync it as soon as may be. Raises ConflictError where it is paused."""
        path = f"/api/content-channels/{part(youtube_channel_id)}/sync"
        return self._transport.send("POST", path, ContentChannel, is_repeatable=True)

    def delete(self, youtube_channel_id: str) -> None:
        """Sync it no more; its contents stay. Raises NotFoundError."""
        self._transport.delete(f"/api/content-channels/{part(youtube_channel_id)}")

    def list(self) -> Iterator[ContentChannel]:
        """Content channels by id."""

        def ask(after: str | None) -> "tuple[list[ContentChannel], str | None]":
            page = self._transport.get("/api/content-channels", ContentChannelPage, {"after": after})
            return page.content_channels, page.next

        return each_of(ask)
