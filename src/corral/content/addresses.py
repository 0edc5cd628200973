"""Which video or channel somebody means, from whatever they paste. Pure: nothing here asks anybody anything.

A URL is only ever read, never fetched: what is asked of YouTube later is made of the id that was found in it.
"""

import re
from typing import Final, Literal, NoReturn, TypeGuard
from urllib.parse import SplitResult, parse_qs, unquote, urlsplit

from msgspec import Struct

from corral.model.errors import ContentUrlInvalidError

_HOSTS: Final = frozenset(
    {
        "youtube.com",
        "www.youtube.com",
        "m.youtube.com",
        "music.youtube.com",
        "gaming.youtube.com",
        "youtube-nocookie.com",
        "www.youtube-nocookie.com",
    }
)
_SHORT_HOSTS: Final = frozenset({"youtu.be", "www.youtu.be"})
_PORTS: Final = {"https": 443, "http": 80}
_VIDEO_ID: Final = re.compile(r"[A-Za-z0-9_-]{11}")
_CHANNEL_ID: Final = re.compile(r"UC[A-Za-z0-9_-]{22}")
# Handles have letters of any script, digits, and these; legacy names are no stranger than that.
_NAME: Final = re.compile(r"[\w.\-·]{1,100}")
_SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_BEFORE_ID: Final = frozenset({"embed", "e", "v", "vi", "shorts", "live", "watch"})
_WATCHED: Final = frozenset({"", "watch", "watch_popup"})
_EMBEDDED: Final = frozenset({"videoseries", "live_stream"})  # as long as an id, and none
_LONGEST: Final = 2048


class ChannelRef(Struct, frozen=True):
    """A channel as somebody named it: by its id, its handle (without the @), or one of the names of earlier days."""

    kind: Literal["id", "handle", "user", "custom"]
    name: str

    @property
    def page(self) -> str:
        """The path of its page."""
        return {"id": "/channel/", "handle": "/@", "user": "/user/", "custom": "/c/"}[self.kind] + self.name


def is_video_id(text: object) -> TypeGuard[str]:
    """Whether this is what the id of a video looks like."""
    return isinstance(text, str) and _VIDEO_ID.fullmatch(text) is not None


def read_video(text: str) -> str:
    """The id of the video that a URL or a bare id names. Raises ContentUrlInvalidError, saying what is wrong with it."""
    text = _clean(text)
    if is_video_id(text):
        return text
    url = _split(text)
    if url.hostname in _SHORT_HOSTS:
        return _check_video(url.path.strip("/").partition("/")[0])
    head, _, rest = url.path.strip("/").partition("/")
    if head in _BEFORE_ID and rest:
        if rest in _EMBEDDED:
            _refuse("the address names a playlist or a live stream, not a video")
        return _check_video(unquote(rest.partition("/")[0]))
    if head == "attribution_link" and (inner := parse_qs(url.query).get("u")):
        return _watched(urlsplit(inner[0]))
    return _watched(url)


def read_channel(text: str) -> ChannelRef:
    """The channel that a URL, an @handle or an id names. Raises ContentUrlInvalidError."""
    text = _clean(text)
    if _CHANNEL_ID.fullmatch(text):
        return ChannelRef("id", text)
    if text.startswith("@"):
        return ChannelRef("handle", _check_name(text[1:]))
    return _channel_at(_split(text))


def _channel_at(url: SplitResult) -> ChannelRef:
    if url.hostname in _SHORT_HOSTS:
        _refuse("this is the address of a video, not of a channel")
    head, _, rest = unquote(url.path).strip("/").partition("/")
    name = rest.partition("/")[0]
    if head.startswith("@"):
        return ChannelRef("handle", _check_name(head[1:]))
    if head == "channel":
        return ChannelRef("id", _check_channel(name))
    if head == "feeds" and (named := parse_qs(url.query).get("channel_id")):
        return ChannelRef("id", _check_channel(named[0]))
    if head in {"user", "c"}:
        return ChannelRef("user" if head == "user" else "custom", _check_name(name))
    return _refuse("the address names no channel: /channel/…, /@handle, /user/… and /c/… do")


def _clean(text: str) -> str:
    text = text.strip()
    if not text:
        _refuse("nothing was given")
    if len(text) > _LONGEST:
        _refuse(f"an address has at most {_LONGEST} characters")
    # urlsplit drops some of these in silence: what was checked would then not be what was written.
    if any(not each.isprintable() or each.isspace() for each in text):
        _refuse("the address has spaces or characters that cannot be seen in it")
    return text


def _split(text: str) -> SplitResult:
    """A URL of one of YouTube's hosts, and nothing else; people leave the scheme out."""
    scheme = _SCHEME.match(text)
    if scheme is None or text[scheme.end() :].partition("/")[0].isdecimal():  # `youtube.com:443/…` has no scheme
        text = f"https://{text.removeprefix('//')}"
    if "\\" in text:
        _refuse("the address has a backslash in it")
    try:
        url = urlsplit(text)
        port = url.port
    except ValueError as error:
        _refuse(f"this is no address: {error}")
    if url.scheme not in _PORTS:
        _refuse(f"only http and https addresses are taken, not {url.scheme}:")
    if "@" in url.netloc:
        _refuse("an address must not hold a user name or a password")
    if not url.netloc.isascii():
        _refuse("the host has letters that are not what they look like")
    if url.hostname not in _HOSTS | _SHORT_HOSTS:
        _refuse(f"{(url.hostname or 'this')[:80]} is not a host of YouTube's")
    if port not in {None, _PORTS[url.scheme]}:
        _refuse(f"YouTube does not answer on port {port}")
    return url


def _watched(url: SplitResult) -> str:
    head = url.path.strip("/")
    told = set(parse_qs(url.query).get("v", []))
    if head not in _WATCHED or not told:
        _refuse("the address names no video: watch?v=…, youtu.be/…, shorts/…, live/… and embed/… do")
    if len(told) > 1:
        _refuse("the address names several videos")
    return _check_video(told.pop())


def _check_video(text: str) -> str:
    if not _VIDEO_ID.fullmatch(text):
        _refuse(f"'{text[:40]}' is not the id of a video: those have 11 letters, digits, - and _")
    return text


def _check_channel(text: str) -> str:
    if not _CHANNEL_ID.fullmatch(text):
        _refuse(f"'{text[:40]}' is not the id of a channel: those are UC and 22 letters, digits, - and _")
    return text


def _check_name(text: str) -> str:
    if not _NAME.fullmatch(text) or not text.strip("."):
        _refuse(f"'{text[:40]}' is not the name of a channel")
    return text


def _refuse(message: str) -> NoReturn:
    raise ContentUrlInvalidError(message, path="url")
