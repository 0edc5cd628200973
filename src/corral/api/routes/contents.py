"""Contents: YouTube videos that runs are tied to."""

import asyncio
import base64
import re
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, Final

from litestar import Request, delete, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, FromQuery, JSONBody, QueryParameter
from litestar.response import Response

from corral.api.auth import caller_of
from corral.api.server import Server
from corral.content import read_video
from corral.model.contents import Content
from corral.model.errors import ContentNotFoundError, InvalidRequestError, NotFoundError, YouTubeUnavailableError
from corral.wire.contents import ContentHours, ContentPage, ContentPreview, ContentRequest, ContentView

_WINDOW: Final = re.compile(r"(\d{1,3})([hd])")


@post("/api/contents")
async def register_content(
    data: JSONBody[ContentRequest], server: NamedDependency[Server], request: Request[Any, Any, Any]
) -> Response[Content]:
    """Register a video by its address or id. One that is registered already is answered with 200, as it is."""
    video_id = read_video(data.url)
    contents, is_new = server.engine.contents, False
    if await contents.find(video_id) is None:
        video = await server.source.find_video(video_id)
        is_new = await contents.register_content(video.as_row(), actor=caller_of(request).actor)
    return Response(await contents.get(video_id), status_code=201 if is_new else 200)


@get("/api/contents")
async def list_contents(
    server: NamedDependency[Server],
    *,
    search: Annotated[str, QueryParameter(max_length=200)] = "",
    channel: FromQuery[str | None] = None,
    before: FromQuery[str | None] = None,
    limit: Annotated[int, QueryParameter(ge=1, le=500)] = 50,
) -> ContentPage:
    """Contents, newest first: those whose title, channel or id has the text, those that a channel brought, or all."""
    found = await server.engine.contents.list(
        search=search.strip(),
        youtube_channel_id=channel,
        before=None if before is None else _read_cursor(before),
        limit=limit,
    )
    last = found[-1] if len(found) == limit else None
    return ContentPage(contents=found, next=None if last is None else _write_cursor(last))


@get("/api/contents/preview")
async def preview_content(
    server: NamedDependency[Server], url: Annotated[str, QueryParameter(min_length=1, max_length=4096)]
) -> ContentPreview:
    """What YouTube tells of a video, without registering it."""
    video_id = read_video(url)
    video, thumbnail, known = await asyncio.gather(
        server.source.find_video(video_id), _picture(server, video_id), server.engine.contents.find(video_id)
    )
    return ContentPreview(
        youtube_video_id=video_id,
        title=video.title,
        youtube_channel_id=video.youtube_channel_id,
        channel_title=video.channel_title,
        duration_s=None if video.duration is None else video.duration.total_seconds(),
        published_at=video.published_at,
        thumbnail=thumbnail,
        is_registered=known is not None,
    )


@get("/api/contents/hours")
async def list_content_hours(server: NamedDependency[Server], window: FromQuery[str] = "24h") -> ContentHours:
    """How many contents were new in each hour, over hours (24h) or days (7d)."""
    matched = _WINDOW.fullmatch(window)
    if matched is None:
        raise InvalidRequestError("a window is a number of hours (24h) or days (7d)", path="window")
    number, unit = int(matched[1]), matched[2]
    span = timedelta(hours=number) if unit == "h" else timedelta(days=number)
    return ContentHours(hours=await server.engine.contents.list_content_hours(span))


@get("/api/contents/{youtube_video_id:str}")
async def get_content(youtube_video_id: FromPath[str], server: NamedDependency[Server]) -> ContentView:
    """A content, its latest runs, and the newest picture of each device from them."""
    contents = server.engine.contents
    content = await contents.get(_check(youtube_video_id))
    runs, screenshots = await asyncio.gather(
        contents.list_runs(youtube_video_id), contents.list_content_screenshots(youtube_video_id)
    )
    return ContentView(content=content, runs=runs, screenshots=screenshots)


@delete("/api/contents/{youtube_video_id:str}")
async def delete_content(
    youtube_video_id: FromPath[str], server: NamedDependency[Server], request: Request[Any, Any, Any]
) -> None:
    """Forget a content. Its runs and their artifacts stay, and a channel that found it does not bring it back."""
    await server.engine.contents.delete_content(_check(youtube_video_id), actor=caller_of(request).actor)


@get("/api/contents/{youtube_video_id:str}/thumbnail", media_type="image/jpeg")
async def get_thumbnail(
    youtube_video_id: FromPath[str], server: NamedDependency[Server], request: Request[Any, Any, Any]
) -> Response[bytes]:
    """A content's picture, from this server."""
    thumbnail = await server.engine.contents.get_thumbnail(_check(youtube_video_id))
    etag = f'"{thumbnail.sha256}"'
    headers = {"etag": etag, "cache-control": "private, max-age=86400", "content-disposition": "inline"}
    if etag in request.headers.get("if-none-match", ""):
        return Response(b"", status_code=304, headers=headers, media_type=thumbnail.content_type)
    return Response(thumbnail.content, headers=headers, media_type=thumbnail.content_type)


HANDLERS: Final = [
    register_content,
    list_contents,
    preview_content,
    list_content_hours,
    get_content,
    delete_content,
    get_thumbnail,
]


async def _picture(server: Server, video_id: str) -> str | None:
    """The picture as a data: URL, or nothing: a preview without one is better than none."""
    try:
        picture = await server.source.fetch_thumbnail(video_id)
    except (ContentNotFoundError, YouTubeUnavailableError):
        return None
    return f"data:{picture.content_type};base64,{base64.b64encode(picture.content).decode()}"


def _check(youtube_video_id: str) -> str:
    """Whatever is not an id was never registered under it; PostgreSQL cannot even read all of that."""
    if not youtube_video_id.isascii() or not youtube_video_id.isprintable():
        raise NotFoundError("there is no such content", path="youtube_video_id")
    return youtube_video_id


def _write_cursor(last: Content) -> str:
    return f"{last.created_at.timestamp():.6f}_{last.youtube_video_id}"


def _read_cursor(text: str) -> tuple[datetime, str]:
    at, _, video_id = text.partition("_")
    try:
        return datetime.fromtimestamp(float(at), UTC), _check(video_id)
    except (ValueError, OverflowError, OSError, NotFoundError):
        raise InvalidRequestError("before is not the `next` of an earlier page", path="before") from None
