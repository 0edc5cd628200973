"""Measuring a stream on its way in: size, limit, sha256 and first bytes, checked against what was announced."""

import hashlib
from collections.abc import AsyncGenerator, AsyncIterable

from corral.model.errors import ChecksumMismatchError, ObjectTooLargeError
from corral.storage.keys import check_sha256
from corral.storage.sniff import HEAD_BYTES, sniff
from corral.storage.store import CHUNK_BYTES, Receipt


class Intake:
    """One object on its way in. Refuses at once an announcement that is over the limit."""

    def __init__(self, *, limit_bytes: int, size_bytes: int | None, sha256: str | None) -> None:
        if sha256 is not None:
            check_sha256(sha256)
        if size_bytes is not None and size_bytes > limit_bytes:
            raise ObjectTooLargeError(
                f"{size_bytes} bytes were announced, and {limit_bytes} are allowed", limit_bytes=limit_bytes
            )
        self.received_bytes = 0
        self.head = b""
        self._limit_bytes = limit_bytes if size_bytes is None else size_bytes
        self._announced_bytes = size_bytes
        self._announced_sha256 = sha256
        self._hash = hashlib.sha256()

    async def batches(self, source: AsyncIterable[bytes]) -> AsyncGenerator[bytes, None]:
        """The stream in pieces worth a trip to a thread; raises ObjectTooLargeError at the first byte too many."""
        pending = bytearray()
        async for chunk in source:
            self._count(len(chunk))
            pending += chunk
            if len(pending) >= CHUNK_BYTES:
                yield bytes(pending)
                pending.clear()
        if pending:
            yield bytes(pending)

    def hash(self, batch: bytes) -> None:
        if len(self.head) < HEAD_BYTES:
            self.head += batch[: HEAD_BYTES - len(self.head)]
        self._hash.update(batch)

    def receipt(self, key: str, *, filename: str) -> Receipt:
        """What came, once all of it did; raises ChecksumMismatchError if that is not what was announced."""
        if self._announced_bytes not in {None, self.received_bytes}:
            raise ChecksumMismatchError(
                f"{self._announced_bytes} bytes were announced, and {self.received_bytes} came", code="size_mismatch"
            )
        sha256 = self._hash.hexdigest()
        if self._announced_sha256 not in {None, sha256}:
            raise ChecksumMismatchError(f"sha256 {self._announced_sha256} was announced, and {sha256} came")
        return Receipt(key, self.received_bytes, sha256, sniff(self.head, filename=filename))

    def _count(self, size: int) -> None:
        self.received_bytes += size
        if self.received_bytes > self._limit_bytes:
            what = "are allowed" if self._announced_bytes is None else "were announced"
            raise ObjectTooLargeError(
                f"more than the {self._limit_bytes} bytes that {what}", limit_bytes=self._limit_bytes
            )
