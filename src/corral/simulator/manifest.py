"""Reads package and version from a real APK's AndroidManifest.xml, which is in Android's binary XML.

Only the root element's attributes are looked at; everything is bounds-checked, since anybody may push anything.
"""

from __future__ import annotations

import struct
from typing import Final, NamedTuple

from corral.model.reading import read_count

_XML: Final = 0x0003
_STRINGS: Final = 0x0001
_START_ELEMENT: Final = 0x0102
_UTF8: Final = 1 << 8
_INTEGERS: Final = range(0x10, 0x20)
_NONE: Final = 0xFFFFFFFF
_CHUNK: Final = struct.Struct("<HHI")


class ManifestError(Exception):
    """Not a binary manifest that names a package."""


class Manifest(NamedTuple):
    """What the root element says."""

    package: str
    version_code: int
    version_name: str


def read_manifest(data: bytes) -> Manifest:
    """Raises ManifestError on anything but a manifest."""
    try:
        return _read(data)
    except (struct.error, IndexError, UnicodeDecodeError) as error:
        raise ManifestError("the binary XML is damaged") from error


def _read(data: bytes) -> Manifest:
    kind, header, _ = _CHUNK.unpack_from(data)
    if kind != _XML:
        raise ManifestError("not binary XML")
    strings: list[str] = []
    at = header
    while at + _CHUNK.size <= len(data):
        kind, header, size = _CHUNK.unpack_from(data, at)
        if size < _CHUNK.size:
            raise ManifestError("a chunk without a size")
        chunk = data[at : at + size]
        if kind == _STRINGS:
            strings = _pool(chunk)
        elif kind == _START_ELEMENT:
            return _root(chunk, header, strings)
        at += size
    raise ManifestError("no element")


def _root(chunk: bytes, header: int, strings: list[str]) -> Manifest:
    start, width, count = struct.unpack_from("<HHH", chunk, header + 8)
    found: dict[str, str] = {}
    for number in range(count):
        at = header + start + number * width
        _, name, raw, _, _, kind, value = struct.unpack_from("<IIIHBBI", chunk, at)
        text = strings[raw] if raw != _NONE else str(value) if kind in _INTEGERS else ""
        found[strings[name]] = text
    if not found.get("package"):
        raise ManifestError("no package is named")
    code = read_count(found.get("versionCode", ""))
    return Manifest(found["package"], 1 if code is None else code, found.get("versionName") or "1.0")


def _pool(chunk: bytes) -> list[str]:
    count, _, flags, start, _ = struct.unpack_from("<5I", chunk, _CHUNK.size)
    if count * 4 > len(chunk):
        raise ManifestError("more strings than bytes")
    offsets = struct.unpack_from(f"<{count}I", chunk, 28)
    read = _utf8 if flags & _UTF8 else _utf16
    return [read(chunk, start + offset) for offset in offsets]


def _utf8(chunk: bytes, at: int) -> str:
    at += 2 if chunk[at] & 0x80 else 1
    length = chunk[at]
    at += 1
    if length & 0x80:
        length = (length & 0x7F) << 8 | chunk[at]
        at += 1
    return chunk[at : at + length].decode()


def _utf16(chunk: bytes, at: int) -> str:
    (length,) = struct.unpack_from("<H", chunk, at)
    at += 2
    if length & 0x8000:
        (low,) = struct.unpack_from("<H", chunk, at)
        length, at = (length & 0x7FFF) << 16 | low, at + 2
    return chunk[at : at + 2 * length].decode("utf-16-le")
