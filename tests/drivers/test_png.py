from __future__ import annotations

import struct
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corral.drivers.png import SIGNATURE, check_png
from corral.model.errors import DeviceError


def chunk(kind: bytes, data: bytes = b"") -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def header(width: int = 1, height: int = 1) -> bytes:
    return chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))


PIXELS = chunk(b"IDAT", zlib.compress(b"\0\0"))
WHOLE = SIGNATURE + header() + PIXELS + chunk(b"IEND")


def test_a_whole_picture_passes_unchanged() -> None:
    assert check_png(WHOLE) == WHOLE


def test_a_warning_before_the_picture_is_taken_off() -> None:
    assert check_png(b"[Warning] Multiple displays were found\n" + WHOLE) == WHOLE


@pytest.mark.parametrize("length", range(len(WHOLE)))
def test_a_picture_that_is_cut_off_anywhere_is_refused(length: int) -> None:
    with pytest.raises(DeviceError):
        check_png(WHOLE[:length])


@given(st.integers(0, len(WHOLE) - 1), st.integers(1, 255))
def test_one_wrong_byte_anywhere_is_refused(place: int, change: int) -> None:
    damaged = bytearray(WHOLE)
    damaged[place] ^= change

    with pytest.raises(DeviceError):
        check_png(bytes(damaged))


@given(st.binary())
def test_bytes_that_are_no_picture_are_refused(data: bytes) -> None:
    with pytest.raises(DeviceError):
        check_png(data)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "no picture at all"),
        (b"Error: unable to capture", "unable to capture"),
        (SIGNATURE + header(0, 1) + PIXELS + chunk(b"IEND"), "0 by 1"),
        (SIGNATURE + header() + chunk(b"IEND"), "no pixels"),
        (SIGNATURE + PIXELS + header() + chunk(b"IEND"), "header"),
        (WHOLE + b"more", "4 bytes follow"),
    ],
)
def test_the_error_says_what_is_wrong(data: bytes, words: str) -> None:
    with pytest.raises(DeviceError, match=words):
        check_png(data)
