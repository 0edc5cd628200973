"""Whether bytes are a whole PNG. A picture that was cut off, garbled or never taken must not pass for one."""

from __future__ import annotations

import struct
import zlib
from typing import Final

from corral.model.errors import DeviceError

SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
_HEADER: Final = struct.Struct(">I4s")
_CHECKSUM: Final = struct.Struct(">I")
_HEADER_LENGTH: Final = 13  # of the data of IHDR
# screencap warns about several displays on the same stream as the picture; it does so in a line or two.
_PREAMBLE_BYTES: Final = 4096
_SHOWN: Final = 200


def check_png(data: bytes) -> bytes:
    """The picture itself, without what was printed before it. Raises DeviceError that says what is wrong with it."""
    if not data:
        raise DeviceError("the phone sent no picture at all")
    start = data.find(SIGNATURE, 0, _PREAMBLE_BYTES)
    if start < 0:
        raise DeviceError(f"the phone sent something other than a PNG: {_show(data)}")
    picture = data[start:] if start else data
    _check_chunks(memoryview(picture))
    return picture


def _check_chunks(picture: memoryview) -> None:
    offset = len(SIGNATURE)
    kinds: list[bytes] = []
    while offset < len(picture):
        if offset + _HEADER.size > len(picture):
            raise DeviceError(f"the picture is cut off after {len(picture)} bytes")
        length, kind = _HEADER.unpack_from(picture, offset)
        end = offset + _HEADER.size + length + _CHECKSUM.size
        if end > len(picture):
            raise DeviceError(f"the picture is cut off after {len(picture)} bytes")
        (checksum,) = _CHECKSUM.unpack_from(picture, end - _CHECKSUM.size)
        if zlib.crc32(picture[offset + 4 : end - _CHECKSUM.size]) != checksum:
            raise DeviceError(f"the picture is damaged at byte {offset}")
        if not kinds:
            _check_size(kind, picture[offset + _HEADER.size : end - _CHECKSUM.size])
        kinds.append(kind)
        offset = end
        if kind == b"IEND":
            break
    if not kinds or kinds[-1] != b"IEND":
        raise DeviceError(f"the picture is cut off after {len(picture)} bytes")
    if offset != len(picture):
        raise DeviceError(f"{len(picture) - offset} bytes follow the end of the picture")
    if b"IDAT" not in kinds:
        raise DeviceError("the picture holds no pixels")


def _check_size(kind: bytes, header: memoryview) -> None:
    if kind != b"IHDR" or len(header) != _HEADER_LENGTH:
        raise DeviceError("the picture does not begin with a header")
    width, height = struct.unpack_from(">II", header)
    if not width or not height:
        raise DeviceError(f"the picture is {width} by {height} pixels")


def _show(data: bytes) -> str:
    return repr(data[:_SHOWN].decode(errors="replace").strip())
