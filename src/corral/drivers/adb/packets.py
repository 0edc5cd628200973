"""adb's messages: a header of six little-endian words, then a payload. Reads whole ones; refuses damaged ones."""

import struct
from collections.abc import Callable
from typing import Final, NamedTuple, Protocol

VERSION_CHECKED: Final = 0x01000000
VERSION_UNCHECKED: Final = 0x01000001
"""From this version on, both sides leave out the checksum."""

MAX_PAYLOAD: Final = 256 * 1024
_MAGIC: Final = 0xFFFFFFFF
_HEADER: Final = struct.Struct("<6I")


def _word(name: bytes) -> int:
    return int.from_bytes(name, "little")


CNXN: Final = _word(b"CNXN")
AUTH: Final = _word(b"AUTH")
OPEN: Final = _word(b"OPEN")
OKAY: Final = _word(b"OKAY")
WRTE: Final = _word(b"WRTE")
CLSE: Final = _word(b"CLSE")

AUTH_TOKEN: Final = 1
AUTH_SIGNATURE: Final = 2


class ProtocolError(Exception):
    """The peer broke the protocol; its connection cannot go on."""


class Source(Protocol):
    """Where messages are read from, such as an asyncio.StreamReader."""

    async def readexactly(self, n: int, /) -> bytes:
        """So many bytes. Raises IncompleteReadError at the end."""
        ...


class Packet(NamedTuple):
    """One message."""

    command: int
    arg0: int
    arg1: int
    payload: bytes = b""


def encode(packet: Packet, *, is_checked: bool) -> bytes:
    """The bytes of a message, with a checksum while the peer may still want one."""
    command, arg0, arg1, payload = packet
    check = _checksum(payload) if is_checked else 0
    return _HEADER.pack(command, arg0, arg1, len(payload), check, command ^ _MAGIC) + payload


async def read_packet(reader: Source, *, is_checked: Callable[[], bool]) -> Packet:
    """The next message. Raises ProtocolError on what is not one, IncompleteReadError at the end.

    Whether checksums count is asked once the message is there: it may have been agreed on while waiting for it.
    """
    command, arg0, arg1, length, check, magic = _HEADER.unpack(await reader.readexactly(_HEADER.size))
    if command ^ _MAGIC != magic:
        raise ProtocolError("wrong magic")
    if length > MAX_PAYLOAD:
        raise ProtocolError(f"a payload of {length} bytes")
    payload = await reader.readexactly(length) if length else b""
    # A host that comes back goes on as it left: its greeting then has no checksum, though nothing is agreed yet.
    may_omit = command == CNXN and check == 0
    if is_checked() and not may_omit and check != _checksum(payload):
        raise ProtocolError("wrong checksum")
    return Packet(command, arg0, arg1, payload)


def _checksum(payload: bytes) -> int:
    return sum(payload) & 0xFFFFFFFF
