"""PNG files with a palette, written and read without a library. Reads only what it writes: unfiltered rows."""

from __future__ import annotations

import struct
import zlib
from typing import Final, NamedTuple

_SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
_PALETTE_KIND: Final = (8, 3, 0, 0, 0)
_HEADER: Final = struct.Struct(">IIBBBBB")
_MAX_PIXELS: Final = 4096 * 4096


class PictureError(Exception):
    """Not a whole PNG of the kind that simulated phones make."""


class Picture(NamedTuple):
    """Pixels as numbers of colours, row after row."""

    width: int
    height: int
    pixels: bytes


def write_png(width: int, height: int, *, rows: bytes, palette: bytes) -> bytes:
    """A PNG from its rows, each with a leading zero (the filter: none), and its colours as RGB triples."""
    header = _HEADER.pack(width, height, *_PALETTE_KIND)
    parts = ((b"IHDR", header), (b"PLTE", palette), (b"IDAT", zlib.compress(rows, 1)), (b"IEND", b""))
    return _SIGNATURE + b"".join(_chunk(kind, data) for kind, data in parts)


def read_png(data: bytes) -> Picture:
    """The pixels. Raises PictureError on anything damaged, cut short or of another kind."""
    chunks = _chunks(data)
    try:
        width, height, *kind = _HEADER.unpack(chunks[b"IHDR"])
        if tuple(kind) != _PALETTE_KIND or width * height > _MAX_PIXELS:
            raise PictureError("a PNG, but not one that a simulated phone makes")
        unpacker = zlib.decompressobj()
        rows = unpacker.decompress(chunks[b"IDAT"], (width + 1) * height + 1)
    except (KeyError, struct.error, zlib.error) as error:
        raise PictureError("the PNG is damaged") from error
    if len(rows) != (width + 1) * height or not unpacker.eof:
        raise PictureError("the PNG has too few or too many pixels")
    lines = [rows[at : at + width + 1] for at in range(0, len(rows), width + 1)]
    if any(line[0] for line in lines):
        raise PictureError("the rows are filtered")
    return Picture(width, height, b"".join(line[1:] for line in lines))


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _chunks(data: bytes) -> dict[bytes, bytes]:
    if not data.startswith(_SIGNATURE):
        raise PictureError("not a PNG")
    found: dict[bytes, bytes] = {}
    at = len(_SIGNATURE)
    while b"IEND" not in found:
        if at + 12 > len(data):
            raise PictureError("the PNG is cut short")
        size, kind = struct.unpack_from(">I4s", data, at)
        body = data[at + 8 : at + 8 + size]
        check = data[at + 8 + size : at + 12 + size]
        if len(check) != 4 or zlib.crc32(kind + body) != int.from_bytes(check):  # noqa: PLR2004 - a CRC-32
            raise PictureError("a chunk is damaged or cut short")
        found[kind] = found.get(kind, b"") + body
        at += 12 + size
    return found
