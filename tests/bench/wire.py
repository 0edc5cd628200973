"""HTTP with next to no client: one kept connection, requests made beforehand, so that it is the server that is measured."""

import asyncio
import re
from typing import Any
from urllib.parse import urlsplit

import msgspec

_LENGTH = re.compile(rb"content-length: (\d+)", re.IGNORECASE)
_ETAG = re.compile(rb'etag: ("[^"]*")', re.IGNORECASE)


class Reply(msgspec.Struct, frozen=True):
    """What came back."""

    status: int
    head: bytes
    body: bytes

    @property
    def etag(self) -> str:
        found = _ETAG.search(self.head)
        return found[1].decode() if found else ""

    def json(self) -> dict[str, Any]:
        if self.status >= 300:
            raise RuntimeError(f"{self.status}: {self.body.decode()}")
        decoded: dict[str, Any] = msgspec.json.decode(self.body)
        return decoded


class Wire:
    """One connection to a server."""

    def __init__(self, url: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._host = urlsplit(url).netloc
        self._reader = reader
        self._writer = writer

    @classmethod
    async def open(cls, url: str) -> "Wire":
        parts = urlsplit(url)
        return cls(url, *await asyncio.open_connection(parts.hostname, parts.port, limit=2**24))

    def close(self) -> None:
        self._writer.close()

    @property
    def is_ended(self) -> bool:
        """Whether the server has hung up, and nothing more can be asked here."""
        return self._reader.at_eof()

    def request(self, method: str, path: str, headers: dict[str, str], body: object = None) -> bytes:
        """A request as bytes, to be sent as often as one likes."""
        told = b"" if body is None else msgspec.json.encode(body)
        lines = [f"{method} {path} HTTP/1.1", f"host: {self._host}", f"content-length: {len(told)}"]
        lines += ["content-type: application/json"] if told else []
        lines += [f"{name}: {value}" for name, value in headers.items()]
        return "\r\n".join([*lines, "", ""]).encode() + told

    def begin(self, request: bytes) -> asyncio.StreamReader:
        """Send a request whose answer goes on; what it is to be read from."""
        self._writer.write(request)
        return self._reader

    async def ask(self, request: bytes) -> Reply:
        """Send a request and read its answer."""
        self._writer.write(request)
        head = await self._reader.readuntil(b"\r\n\r\n")
        length = _LENGTH.search(head)
        body = await self._reader.readexactly(int(length[1])) if length else b""
        return Reply(int(head.split(b" ", 2)[1]), head, body)
