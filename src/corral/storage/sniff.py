"""What a stored object is, by its first bytes, and the headers under which it may be handed to a browser.

A content type that a client claims is never believed, and nothing that can run script is ever served inline.
"""

import codecs
import json
import re
import unicodedata
from typing import Final
from urllib.parse import quote

# How many first bytes `sniff` wants to see.
HEAD_BYTES: Final = 4096
OCTET_STREAM: Final = "application/octet-stream"
APK: Final = "application/vnd.android.package-archive"

_EXTENSIONS: Final = {
    "image/png": "png",
    "image/jpeg": "jpg",
    "image/webp": "webp",
    "image/gif": "gif",
    "video/mp4": "mp4",
    "application/zip": "zip",
    APK: "apk",
    "application/xml": "xml",
    "application/json": "json",
    "text/plain": "txt",
    OCTET_STREAM: "bin",
}
CONTENT_TYPES: Final = tuple(_EXTENSIONS)
_SHOWN_INLINE: Final = frozenset({"image/png", "image/jpeg", "image/webp", "image/gif"})
_MAGIC: Final = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF87a": "image/gif",
    b"GIF89a": "image/gif",
}
_MP4_BRANDS: Final = (b"iso", b"mp4", b"avc", b"M4V", b"dash", b"MSNV", b"3gp", b"3g2")
_LONGEST_NAME: Final = 120
_TEXT_CONTROLS: Final = frozenset(b"\t\n\r\x0b\x0c\x1b")
_JSON_START: Final = re.compile(r'\s*(\{\s*("|\}|$)|\[\s*(["{\[\]]|$))')


def sniff(head: bytes, *, filename: str = "") -> str:
    """The content type of what starts with `head`; the name is used for one thing: a ZIP called *.apk is an APK."""
    head = head[:HEAD_BYTES]
    for magic, content_type in _MAGIC.items():
        if head.startswith(magic):
            return content_type
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "image/webp"
    if head[4:8] == b"ftyp" and head[8:].startswith(_MP4_BRANDS):
        return "video/mp4"
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        is_apk = b"AndroidManifest.xml" in head or filename.lower().endswith(".apk")
        return APK if is_apk else "application/zip"
    return _sniff_text(head)


def extension_of(content_type: str) -> str:
    """The extension for an artifact's key."""
    return _EXTENSIONS[known_type(content_type)]


def known_type(content_type: str | None) -> str:
    """The type given if it is one that `sniff` can answer, otherwise octet-stream."""
    return content_type if content_type in _EXTENSIONS else OCTET_STREAM


def serve_headers(content_type: str | None, filename: str) -> dict[str, str]:
    """The headers to serve an object with: raster images inline, all else as a download, nothing guessed."""
    content_type = known_type(content_type)
    return {
        "Content-Type": "text/plain; charset=utf-8" if content_type == "text/plain" else content_type,
        "Content-Disposition": content_disposition(content_type, filename),
        "X-Content-Type-Options": "nosniff",
        "Content-Security-Policy": "default-src 'none'; sandbox",
    }


def content_disposition(content_type: str | None, filename: str) -> str:
    """RFC 6266: a plain ASCII name for old clients, and the true one encoded."""
    manner = "inline" if content_type in _SHOWN_INLINE else "attachment"
    name = _safe_name(filename)
    plain = re.sub(r"[^A-Za-z0-9 ._-]", "_", name)
    encoded = quote(name, safe="")
    return f"{manner}; filename=\"{plain}\"; filename*=UTF-8''{encoded}"


def _safe_name(filename: str) -> str:
    """No separators, and nothing that is invisible or turns the text around (controls, formats, surrogates)."""
    kept = "".join("_" if c in '/\\"' or unicodedata.category(c)[0] == "C" else c for c in filename)
    return kept.strip(" .")[-_LONGEST_NAME:].lstrip(" .") or "download"


def _sniff_text(head: bytes) -> str:
    is_whole = len(head) < HEAD_BYTES
    try:
        # Incremental, because a head that is not the whole may end in the middle of a character.
        text = codecs.getincrementaldecoder("utf-8-sig")().decode(head, is_whole)
    except UnicodeDecodeError:
        return OCTET_STREAM
    if not head or any(byte < ord(" ") and byte not in _TEXT_CONTROLS for byte in head):
        return OCTET_STREAM
    if text.lstrip().startswith("<?xml"):
        return "application/xml"
    return "application/json" if _looks_like_json(text, is_whole=is_whole) else "text/plain"


def _looks_like_json(text: str, *, is_whole: bool) -> bool:
    if not is_whole:
        return _JSON_START.match(text) is not None
    if not text.lstrip().startswith(("{", "[")):
        return False
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
