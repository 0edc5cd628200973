"""Contents: YouTube videos that runs are tied to."""

from collections.abc import Iterator

from corral.client.paging import each_of
from corral.client.transport import Transport, part
from corral.model.contents import Content
from corral.wire.contents import ContentPage, ContentPreview, ContentView


class Contents:
    """`client.contents`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def preview(self, url: str) -> ContentPreview:
        """What YouTube tells of a video, without registering it.

        Raises ContentUrlInvalidError, ContentNotFoundError, and YouTubeUnavailableError where YouTube does not tell.
        """
        return self._transport.get("/api/contents/preview", ContentPreview, {"url": url})

    def register(self, url: str) -> Content:
        """Register a video by any form of its address, or its id; the same again answers the same. Raises as `preview`."""
        return self._transport.send("POST", "/api/contents", Content, {"url": url}, is_repeatable=True)

    def get(self, youtube_video_id: str) -> ContentView:
        """A content, its latest runs, and the newest picture of each device from them. Raises NotFoundError."""
        return self._transport.get(f"/api/contents/{part(youtube_video_id)}", ContentView)

    def delete(self, youtube_video_id: str) -> None:
        """Forget a content; its runs and their artifacts stay. Raises NotFoundError."""
        self._transport.delete(f"/api/contents/{part(youtube_video_id)}")

    def list(self, *, search: str = "", channel: str | None = None, most: int | None = None) -> Iterator[Content]:
        """Contents, newest first: those that have the text, those that a channel brought, or all."""
        query = {"search": search, "channel": channel, "limit": None if most is None else min(most, 500)}

        def ask(before: str | None) -> "tuple[list[Content], str | None]":
            page = self._transport.get("/api/contents", ContentPage, {**query, "before": before})
            return page.contents, page.next

        return each_of(ask, most=most)
