"""What a store of objects promises, whether it is a directory or an S3 bucket. The promises are tested on both."""

from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from types import TracebackType
from typing import Final, NamedTuple, Protocol, Self

from corral.model.errors import RangeInvalidError

CHUNK_BYTES: Final = 256 * 1024


class Receipt(NamedTuple):
    """What was stored, as it was measured on the way in; the type is sniffed, not claimed."""

    key: str
    size_bytes: int
    sha256: str
    content_type: str


class Stat(NamedTuple):
    key: str
    size_bytes: int
    modified_at: datetime


@dataclass(frozen=True, slots=True)
class DirectUpload:
    """A way around the server: PUT the bytes to `url`, then have `accept` called with `upload_id`.

    The URL is a credential until it expires, so it is kept out of reprs.
    """

    upload_id: str
    url: str

    def __repr__(self) -> str:
        return f"DirectUpload(upload_id={self.upload_id!r})"


class Content:
    """An object's bytes, or a range of them: iterate once, to the end or until `aclose`."""

    def __init__(
        self,
        chunks: AsyncGenerator[bytes, None],
        *,
        size_bytes: int,
        start: int,
        length: int,
        close: Callable[[], None] = lambda: None,
    ) -> None:
        self.size_bytes = size_bytes
        self.start = start
        self.length = length
        self._chunks = chunks
        self._close = close

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async with self:
            async for chunk in self._chunks:
                yield chunk

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, exc_type: type[BaseException] | None, exc: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Let go of the file or connection behind it; may be called twice."""
        await self._chunks.aclose()
        self._close()

    async def read(self) -> bytes:
        """All of it at once; for what is known to be small."""
        return b"".join([chunk async for chunk in self])


class Store(Protocol):
    """A store of immutable objects by key. Every method checks its key and raises KeyInvalidError.

    Every method may raise StorageUnavailableError.
    """

    async def put(
        self,
        key: str,
        source: AsyncIterable[bytes],
        *,
        limit_bytes: int,
        size_bytes: int | None = None,
        sha256: str | None = None,
        filename: str = "",
    ) -> Receipt:
        """Store a stream under a key that nothing has yet.

        It becomes visible whole and checked, or not at all, and of several at once exactly one wins. Raises
        ObjectExistsError, ObjectTooLargeError (while reading) and ChecksumMismatchError (against what was
        announced), and whatever `source` raises.
        """
        ...

    async def get(self, key: str, *, start: int = 0, length: int | None = None) -> Content:
        """Open an object; raises ObjectNotFoundError and RangeInvalidError before the first byte."""
        ...

    async def stat(self, key: str) -> Stat:
        """Raises ObjectNotFoundError."""
        ...

    async def delete(self, key: str) -> None:
        """Nothing is there afterwards; that nothing was there before is no error."""
        ...

    def list(self, prefix: str = "") -> AsyncGenerator[Stat, None]:
        """Everything below a folder (whole parts of keys), in no promised order."""
        ...

    async def presign_get(self, key: str, *, expires_in: timedelta) -> str | None:
        """A URL that anybody can read this object by for a while, or None where the store has no such thing."""
        ...

    async def presign_put(self, *, expires_in: timedelta) -> DirectUpload | None:
        """A URL that anybody can write by for a while, or None where the store has no such thing.

        What is written there is in no key's place and cannot be read or listed until `accept` has checked it.
        """
        ...

    async def accept(
        self,
        upload_id: str,
        key: str,
        *,
        limit_bytes: int,
        size_bytes: int | None = None,
        sha256: str | None = None,
        filename: str = "",
    ) -> Receipt:
        """Put what a direct upload brought under its key: as `put`, with its errors, and ObjectNotFoundError.

        What fails the checks is thrown away. Asked again after a success, it raises ObjectExistsError.
        """
        ...

    async def check(self) -> None:
        """Raise StorageUnavailableError unless the store can be reached."""
        ...

    async def sweep(self, *, older_than: timedelta) -> int:
        """Throw away what crashed writers and unfinished direct uploads left behind; say how many there were."""
        ...


async def in_one_piece(data: bytes) -> AsyncGenerator[bytes, None]:
    """Bytes at hand, as the stream that `put` takes."""
    yield data


def clamp_range(size_bytes: int, *, start: int, length: int | None) -> int:
    """How many bytes a range holds of an object of this size; raises RangeInvalidError if it starts past the end."""
    if start < 0 or (length is not None and length < 1) or (start > 0 and start >= size_bytes):
        raise RangeInvalidError(f"no such range in {size_bytes} bytes", size_bytes=size_bytes)
    rest = size_bytes - start
    return rest if length is None else min(rest, length)
