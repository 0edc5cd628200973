"""One connection to an adb server: requests and answers as bytes. Knows no devices and repeats nothing.

A request is its length in four hex digits and its text; the answer is OKAY, or FAIL and words of the same form.
Whoever opens a connection aborts it: that is what tells the server, and by it the phone, that nobody waits any more.
Reading is bounded: by the size that the caller allows, and by the caller's deadline.
"""

from __future__ import annotations

import asyncio
import contextlib
from typing import Final

from corral.drivers.adb.errors import from_words
from corral.model.errors import CommandFailedError, DeviceError, DeviceOfflineError, DriverUnavailableError

_LENGTH_DIGITS: Final = 4
LONGEST_REQUEST: Final = 0xFFFF
_CHUNK: Final = 1 << 16


class Connection:
    """An open socket to the server. After a service was opened on a phone, the bytes are that service's own."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    @classmethod
    async def open(cls, host: str, port: int) -> Connection:
        """Raises DriverUnavailableError where no server listens."""
        try:
            return cls(*await asyncio.open_connection(host, port))
        except OSError as error:
            raise DriverUnavailableError(f"no adb server answers at {host}:{port}: {error}") from error

    def abort(self) -> None:
        """Let go at once, whatever is still on its way."""
        self._writer.transport.abort()

    def end_input(self) -> None:
        """Say that nothing more will be sent; what was sent still arrives."""
        with contextlib.suppress(OSError):
            self._writer.write_eof()

    async def request(self, request: str | bytes, *, handle: str | None = None) -> None:
        """Ask, and return when the server says OKAY. Raises what its FAIL means."""
        data = request if isinstance(request, bytes) else request.encode()
        if len(data) > LONGEST_REQUEST:
            raise CommandFailedError(
                f"a request of {len(data)} bytes is too long for adb, which takes {LONGEST_REQUEST}"
            )
        await self.send(f"{len(data):04x}".encode() + data)
        status = await self.read_exactly(4)
        if status == b"OKAY":
            return
        if status == b"FAIL":
            raise from_words(await self.read_string(), handle=handle)
        raise DriverUnavailableError(f"what listens for adb does not speak its protocol: it said {status!r}")

    async def send(self, data: bytes) -> None:
        try:
            self._writer.write(data)
            await self._writer.drain()
        except ConnectionError as error:
            raise _cut_off() from error

    async def read(self, size: int = _CHUNK) -> bytes:
        """Some bytes, at most that many; none at the end."""
        try:
            return await self._reader.read(size)
        except ConnectionError as error:
            raise _cut_off() from error

    async def read_exactly(self, size: int) -> bytes:
        """For sizes that are small or were checked: that much is held in memory."""
        try:
            return await self._reader.readexactly(size)
        except (asyncio.IncompleteReadError, ConnectionError) as error:
            raise _cut_off() from error

    async def read_string(self) -> str:
        """A length in hex and that many bytes of text."""
        digits = await self.read_exactly(_LENGTH_DIGITS)
        try:
            # int() alone would also take signs, blanks and underscores.
            length = int.from_bytes(bytes.fromhex(digits.decode("ascii")))
        except ValueError as error:
            raise DriverUnavailableError(f"what listens for adb sent {digits!r} where a length belongs") from error
        return (await self.read_exactly(length)).decode(errors="replace")

    async def read_to_end(self, limit: int) -> bytes:
        """All that comes until the other side closes. Raises DeviceError beyond the limit."""
        kept = bytearray()
        while chunk := await self.read():
            if len(kept) + len(chunk) > limit:
                raise DeviceError(f"the phone sent more than {limit} bytes")
            kept += chunk
        return bytes(kept)


def _cut_off() -> DeviceOfflineError:
    return DeviceOfflineError("the connection to the phone broke off", is_started=True)
