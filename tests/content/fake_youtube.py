"""A YouTube on loopback that speaks the documented shapes, and has its bad days."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import Any, NamedTuple
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape

from corral.simulator.screen.png import write_png

API_KEY = "a-key-of-the-data-api"
CHANNEL_ID = "UC_x5XG1OV2P6uZZ5FSM9Ttw"
HANDLE = "SignageLab"
EPOCH = datetime(2026, 1, 1, tzinfo=UTC)


class Upload(NamedTuple):
    """A video as the channel's owner sees it."""

    video_id: str
    title: str
    published_at: datetime
    duration: str = "PT3M33S"


class Request(NamedTuple):
    """What somebody asked."""

    path: str
    query: dict[str, str]
    headers: dict[str, str]


class Reply(NamedTuple):
    """What is answered."""

    status: int
    body: bytes = b""
    headers: Mapping[str, str] = MappingProxyType({})


def video_id(number: int) -> str:
    """The id of the nth video."""
    return f"vid{number:08d}"


class FakeYouTube:
    """One channel, its uploads, newest first, and what went wrong today."""

    def __init__(self) -> None:
        self.url = ""
        self.uploads: list[Upload] = []
        self.requests: list[Request] = []
        self.troubles: dict[str, Reply | None] = {}
        self.is_conditional = True

    def upload(self, count: int = 1, *, title: str = "Playback reel") -> list[str]:
        """The owner uploads some more."""
        made = []
        for _ in range(count):
            number = len(self.uploads) + 1
            at = EPOCH + timedelta(minutes=number)
            self.uploads.insert(0, Upload(video_id(number), f"{title} {number}", at))
            made.append(video_id(number))
        return made

    def ail(self, path: str, reply: Reply | None) -> None:
        """From now on, paths that start so are answered so; with None, not at all."""
        self.troubles[path] = reply

    def recover(self) -> None:
        self.troubles.clear()

    def asked(self, path: str) -> list[Request]:
        return [each for each in self.requests if each.path == path]

    def answer(self, request: Request) -> Reply | None:
        for path, trouble in self.troubles.items():
            if request.path.startswith(path):
                return trouble
        places: dict[str, Callable[[Request], Reply]] = {
            "/oembed": self._oembed,
            "/feeds/videos.xml": self._feed,
            "/youtube/v3/": self._data_api,
            "/vi/": self._picture,
            f"/@{HANDLE}": _page,
            f"/c/{HANDLE}": _page,
            f"/user/{HANDLE}": _page,
        }
        place = next((place for path, place in places.items() if request.path.startswith(path)), None)
        return Reply(404, b"Not Found") if place is None else place(request)

    def _find(self, wanted: str) -> Upload | None:
        return next((each for each in self.uploads if each.video_id == wanted), None)

    def _oembed(self, request: Request) -> Reply:
        wanted = parse_qs(urlsplit(request.query["url"]).query)["v"][0]
        found = self._find(wanted)
        if found is None:
            return Reply(404, b"Not Found")
        told = {
            "title": found.title,
            "author_name": "Signage Lab",
            "author_url": f"https://www.youtube.com/@{HANDLE}",
            "type": "video",
            "height": 113,
            "width": 200,
            "version": "1.0",
            "provider_name": "YouTube",
            "provider_url": "https://www.youtube.com/",
            "thumbnail_height": 360,
            "thumbnail_width": 480,
            "thumbnail_url": f"https://i.ytimg.com/vi/{wanted}/hqdefault.jpg",
            "html": "<iframe></iframe>",
        }
        return _json(told)

    def _feed(self, request: Request) -> Reply:
        if request.query.get("channel_id") != CHANNEL_ID:
            return Reply(404, b"Error 404 (Not Found)!!1")
        etag = f'"feed-{len(self.uploads)}"'
        modified = f"Thu, 01 Jan 2026 00:{len(self.uploads) % 60:02d}:00 GMT"
        if self.is_conditional and request.headers.get("if-none-match") == etag:
            return Reply(304, headers={"etag": etag})
        body = _feed(self.uploads[:15]).encode()
        return Reply(200, body, {"content-type": "text/xml; charset=UTF-8", "etag": etag, "last-modified": modified})

    def _data_api(self, request: Request) -> Reply:
        if request.headers.get("x-goog-api-key") != API_KEY or "key" in request.query:
            details = [{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}]
            return refusal(400, "badRequest", details=details)
        what = request.path.removeprefix("/youtube/v3/")
        if what == "videos":
            wanted = request.query["id"].split(",")
            return _json(_list("video", [_video(each) for each in self.uploads if each.video_id in wanted]))
        if what == "channels":
            known = {CHANNEL_ID, f"@{HANDLE}", HANDLE}
            named = {request.query.get(name) for name in ("id", "forHandle", "forUsername")}
            return _json(_list("channel", [_channel()] if named & known else []))
        if request.query["playlistId"] != f"UU{CHANNEL_ID[2:]}":
            return refusal(404, "playlistNotFound")
        etag = f"uploads-{len(self.uploads)}"
        if request.headers.get("if-none-match") == etag:
            return Reply(304)
        items = [
            {"kind": "youtube#playlistItem", "contentDetails": {"videoId": each.video_id}} for each in self.uploads
        ]
        reply = _json(_list("playlistItem", items[: int(request.query["maxResults"])]))
        return reply._replace(headers={**reply.headers, "etag": etag})

    def _picture(self, request: Request) -> Reply:
        wanted = request.path.split("/")[2]
        if self._find(wanted) is None:
            return Reply(404)
        number = int(wanted[3:]) if wanted[3:].isdecimal() else 7
        palette = bytes([60 + 37 * number % 160, 90, 160, 240, 240, 240])
        lines = [bytes([0]) + bytes(int(x * 3 % 320 < number * 40 % 320) for x in range(320)) for _ in range(180)]
        return Reply(200, write_png(320, 180, rows=b"".join(lines), palette=palette), {"content-type": "image/jpeg"})

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
            url = urlsplit(head[0].split(" ")[1])
            headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in head[1:] if line)}
            query = {name: values[0] for name, values in parse_qs(url.query).items()}
            request = Request(unquote(url.path), query, headers)
            self.requests.append(request)
            reply = self.answer(request)
            if reply is None:
                await reader.read()  # until the caller has had enough
                return
            told = {"content-length": str(len(reply.body)), "connection": "close", **reply.headers}
            lines = "".join(f"{name}: {value}\r\n" for name, value in told.items())
            writer.write(f"HTTP/1.1 {reply.status} Said\r\n{lines}\r\n".encode() + reply.body)
            await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()


@asynccontextmanager
async def serving_youtube() -> AsyncIterator[FakeYouTube]:
    """A fake YouTube on a free port of loopback."""
    fake = FakeYouTube()
    server = await asyncio.start_server(fake.serve, "127.0.0.1", 0)
    fake.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield fake
    finally:
        server.close()


def refusal(status: int, reason: str, *, details: list[Any] | None = None) -> Reply:
    """An error of the Data API."""
    error = {
        "code": status,
        "message": "In words",
        "errors": [{"message": "In words", "domain": "x", "reason": reason}],
    }
    return _json({"error": {**error, "details": details or []}}, status=status)


def _json(value: object, *, status: int = 200) -> Reply:
    return Reply(status, json.dumps(value).encode(), {"content-type": "application/json; charset=UTF-8"})


def _list(kind: str, items: list[Any]) -> dict[str, Any]:
    return {"kind": f"youtube#{kind}ListResponse", "items": items, "pageInfo": {"totalResults": len(items)}}


def _video(upload: Upload) -> dict[str, Any]:
    pictures = {"default": {"url": f"https://i.ytimg.com/vi/{upload.video_id}/default.jpg", "width": 120, "height": 90}}
    return {
        "kind": "youtube#video",
        "id": upload.video_id,
        "snippet": {
            "publishedAt": upload.published_at.isoformat().replace("+00:00", "Z"),
            "channelId": CHANNEL_ID,
            "title": upload.title,
            "description": "",
            "thumbnails": pictures,
            "channelTitle": "Signage Lab",
        },
        "contentDetails": {"duration": upload.duration, "dimension": "2d"},
    }


def _channel() -> dict[str, Any]:
    return {
        "kind": "youtube#channel",
        "id": CHANNEL_ID,
        "snippet": {"title": "Signage Lab", "customUrl": f"@{HANDLE.lower()}"},
    }


def _page(_request: Request) -> Reply:
    other = "UCsomebodyelse0000000000"
    page = (
        f'<!DOCTYPE html><html><head><title>Signage Lab</title><script>var x = "/channel/{other}";</script>'
        f'<link rel="canonical" href="https://www.youtube.com/channel/{CHANNEL_ID}"></head><body></body></html>'
    )
    return Reply(200, page.encode(), {"content-type": "text/html; charset=utf-8"})


def _feed(uploads: list[Upload]) -> str:
    entries = "".join(
        f"""<entry><id>yt:video:{each.video_id}</id><yt:videoId>{each.video_id}</yt:videoId>
  <yt:channelId>{CHANNEL_ID}</yt:channelId><title>{escape(each.title)}</title>
  <link rel="alternate" href="https://www.youtube.com/watch?v={each.video_id}"/>
  <author><name>Signage Lab</name><uri>https://www.youtube.com/channel/{CHANNEL_ID}</uri></author>
  <published>{each.published_at.isoformat()}</published><updated>{each.published_at.isoformat()}</updated>
  <media:group><media:title>{escape(each.title)}</media:title>
   <media:thumbnail url="https://i1.ytimg.com/vi/{each.video_id}/hqdefault.jpg" width="480" height="360"/>
  </media:group></entry>"""
        for each in uploads
    )
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns:yt="http://www.youtube.com/xml/schemas/2015" xmlns:media="http://search.yahoo.com/mrss/"
 xmlns="http://www.w3.org/2005/Atom">
 <link rel="self" href="http://www.youtube.com/feeds/videos.xml?channel_id={CHANNEL_ID}"/>
 <id>yt:channel:{CHANNEL_ID[2:]}</id><yt:channelId>{CHANNEL_ID[2:]}</yt:channelId><title>Signage Lab</title>
 <published>2026-01-01T00:00:00+00:00</published>{entries}</feed>"""
