"""HTTP/1.1 messages as bytes: just enough to tell them apart, record them, and send them again."""

import asyncio
from typing import Final

import msgspec
from msgspec import Struct

_MOST_BYTES: Final = 64 << 20
_CONTINUE: Final = b"HTTP/1.1 100 "


class Message(Struct, frozen=True):
    """A request or an answer, whole."""

    head: bytes
    body: bytes

    @property
    def first_line(self) -> str:
        return self.head.split(b"\r\n", 1)[0].decode("latin-1")

    @property
    def raw(self) -> bytes:
        return self.head + self.body

    @property
    def json(self) -> object:
        """The body, if it is JSON."""
        try:
            return msgspec.json.decode(self.body)
        except msgspec.DecodeError:
            return None


async def read_message(reader: asyncio.StreamReader, *, has_body: bool = True) -> Message | None:
    """The next message; None at the end of the stream between two. Raises ConnectionError or EOFError within one."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError as error:
        if error.partial:
            raise
        return None
    if head.startswith(_CONTINUE):
        return await read_message(reader, has_body=has_body)
    headers = _headers(head)
    if not has_body or head.startswith((b"HTTP/1.1 204", b"HTTP/1.1 304")):
        return Message(head, b"")
    if b"chunked" in headers.get(b"transfer-encoding", b""):
        return Message(head, await _read_chunks(reader))
    length = int(headers.get(b"content-length", b"0"))
    if length > _MOST_BYTES:
        raise ConnectionError(f"a body of {length} bytes")
    return Message(head, await reader.readexactly(length))


def _headers(head: bytes) -> dict[bytes, bytes]:
    pairs = (line.partition(b":") for line in head.split(b"\r\n")[1:] if line)
    return {name.strip().lower(): value.strip() for name, _, value in pairs}


async def _read_chunks(reader: asyncio.StreamReader) -> bytes:
    """The chunks as they came, their sizes included: they are sent on as they are."""
    body = bytearray()
    while True:
        line = await reader.readuntil(b"\r\n")
        size = int(line.split(b";")[0], 16)
        body += line + await reader.readexactly(size + 2)
        if size == 0:
            return bytes(body)
