"""Sending a file while listening: a phone that refuses says so early, and then stops reading."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine
from pathlib import Path
from typing import IO, Final, TypeVar

from corral.drivers.adb.connection import Connection
from corral.model.errors import DeviceError, DeviceOfflineError

T = TypeVar("T")
CHUNK: Final = 1 << 16


async def read_chunks(source: IO[bytes]) -> AsyncIterator[bytes]:
    """The file in pieces, read beside the event loop."""
    while chunk := await asyncio.to_thread(source.read, CHUNK):
        yield chunk


def open_source(source: Path) -> IO[bytes]:
    """The local file; what is wrong with it is told before the phone is asked for anything."""
    try:
        return source.open("rb")
    except OSError as error:
        raise DeviceError(f"{source} cannot be read: {error.strerror or error}") from error


async def pump(connection: Connection, chunks: AsyncIterator[bytes], answer: Coroutine[None, None, T]) -> T:
    """Send all chunks and return the answer; one that comes before the end stops the sending."""
    sending = asyncio.ensure_future(_send(connection, chunks))
    listening = asyncio.ensure_future(answer)
    try:
        await asyncio.wait({sending, listening}, return_when=asyncio.FIRST_COMPLETED)
        # A broken pipe while sending is only the end of the story: the answer tells it.
        if sending.done() and (error := sending.exception()) and not isinstance(error, DeviceOfflineError):
            raise error
        return await listening
    finally:
        sending.cancel()
        listening.cancel()
        await asyncio.gather(sending, listening, return_exceptions=True)


async def _send(connection: Connection, chunks: AsyncIterator[bytes]) -> None:
    async for chunk in chunks:
        await connection.send(chunk)
