"""Resumable uploads of input files: begin, append at an offset, finish. What was received survives a restart.

An upload is two files in a directory: `{id}.json`, what was announced and how it ended, and `{id}.part`, whose length
is the offset. All server processes that may get a request of one upload must share the directory.
"""

import fcntl
import io
import os
import re
from collections.abc import AsyncGenerator, AsyncIterable, Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from pathlib import Path
from time import time
from typing import Final
from uuid import uuid4

import msgspec

from corral.model.errors import (
    ChecksumMismatchError,
    InvalidRequestError,
    ObjectExistsError,
    ObjectNotFoundError,
    ObjectTooLargeError,
    UploadBusyError,
    UploadIncompleteError,
    UploadNotFoundError,
    UploadOffsetError,
)
from corral.storage.files import in_thread, named_os_errors, write_all
from corral.storage.intake import Intake
from corral.storage.keys import check_sha256, file_key
from corral.storage.store import CHUNK_BYTES, Receipt, Store

_UPLOAD_ID: Final = re.compile(r"[0-9a-f]{32}")
_PART: Final = os.O_RDWR | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC


Reserve = Callable[[Receipt], Awaitable[None]]


async def nothing_to_reserve(_receipt: Receipt) -> None:
    """For a store without a catalogue."""


class Upload(msgspec.Struct, frozen=True, kw_only=True):
    """Where an upload stands: how much of it was received, and its receipt once it is finished."""

    upload_id: str
    name: str
    size_bytes: int
    sha256: str | None = None
    offset: int = 0
    receipt: Receipt | None = None


class Uploads:
    """The uploads under way in one directory, into one store."""

    def __init__(self, directory: Path, *, store: Store, limit_bytes: int) -> None:
        with named_os_errors("the uploads' directory"):
            directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._directory = directory
        self._store = store
        self._limit_bytes = limit_bytes

    async def begin(self, *, name: str, size_bytes: int, sha256: str | None = None) -> Upload:
        """Announce a file; raises ObjectTooLargeError if it is over the limit."""
        if size_bytes < 0:
            raise InvalidRequestError("a size is at least 0", path="size_bytes")
        if size_bytes > self._limit_bytes:
            raise ObjectTooLargeError(f"at most {self._limit_bytes} bytes are allowed", limit_bytes=self._limit_bytes)
        if sha256 is not None:
            check_sha256(sha256)
        upload = Upload(upload_id=uuid4().hex, name=name, size_bytes=size_bytes, sha256=sha256)
        await in_thread(self._create, upload)
        return upload

    async def find(self, upload_id: str) -> Upload:
        """Where it stands; raises UploadNotFoundError."""
        return await in_thread(self._find, upload_id)

    async def append(self, upload_id: str, source: AsyncIterable[bytes], *, offset: int) -> Upload:
        """Go on at `offset`; what was received is kept even if the stream breaks off.

        Raises UploadOffsetError with the right offset, UploadBusyError while another request writes, and
        ObjectTooLargeError, after which nothing of this stream is kept.
        """
        with self._locked(upload_id) as (upload, part):
            if offset != upload.offset:
                raise UploadOffsetError(f"the upload stands at {upload.offset}, not {offset}", offset=upload.offset)
            intake = Intake(limit_bytes=upload.size_bytes - offset, size_bytes=None, sha256=None)
            try:
                async for batch in intake.batches(source):
                    await in_thread(write_all, part, batch)
            except ObjectTooLargeError:
                part.truncate(offset)
                raise
            finally:
                await in_thread(_sync, part)
            return msgspec.structs.replace(upload, offset=offset + intake.received_bytes)

    async def finish(self, upload_id: str, *, reserve: Reserve = nothing_to_reserve) -> Receipt:
        """Check the file and store it under its sha256, once for equal files. Asked again, it answers the same.

        `reserve` is told what is about to be stored, or is stored already. Raises UploadIncompleteError;
        ChecksumMismatchError, after which the upload is gone; and UploadNotFoundError if the file was deleted since.
        """
        with self._locked(upload_id) as (upload, part):
            if upload.receipt is not None:
                await reserve(upload.receipt)
                await self._check_stored(upload.receipt)
                return upload.receipt
            if upload.offset < upload.size_bytes:
                message = f"{upload.offset} of {upload.size_bytes} bytes came so far"
                raise UploadIncompleteError(message, offset=upload.offset)
            try:
                receipt = await in_thread(_measure, part, upload)
            except ChecksumMismatchError:
                self._remove(upload_id)
                raise
            await reserve(receipt)
            await self._store_once(receipt, part, filename=upload.name)
            await in_thread(self._conclude, msgspec.structs.replace(upload, receipt=receipt), part)
            return receipt

    async def abandon(self, upload_id: str) -> None:
        """Give an upload up; what it brought is thrown away, unless it was finished."""
        with self._locked(upload_id):
            self._remove(upload_id)

    async def expire(self, *, idle_for: timedelta) -> int:
        """Throw away the uploads, finished or not, to which nothing came for so long; say how many."""
        return await in_thread(self._expire, time() - idle_for.total_seconds())

    async def _check_stored(self, receipt: Receipt) -> None:
        try:
            await self._store.stat(receipt.key)
        except ObjectNotFoundError:
            raise UploadNotFoundError("the file was deleted since: upload it again") from None

    async def _store_once(self, receipt: Receipt, part: io.FileIO, *, filename: str) -> None:
        with suppress(ObjectExistsError):
            await self._store.put(
                receipt.key,
                _read(part),
                limit_bytes=receipt.size_bytes,
                size_bytes=receipt.size_bytes,
                sha256=receipt.sha256,
                filename=filename,
            )

    def _path(self, upload_id: str, suffix: str) -> Path:
        if _UPLOAD_ID.fullmatch(upload_id) is None:
            raise UploadNotFoundError("there is no such upload")
        return self._directory / f"{upload_id}.{suffix}"

    def _create(self, upload: Upload) -> None:
        # The part first: an upload that can be found can be written to.
        with named_os_errors("the uploads' directory"):
            os.close(os.open(self._path(upload.upload_id, "part"), _PART | os.O_CREAT | os.O_EXCL, 0o600))
            self._save(upload)

    def _save(self, upload: Upload) -> None:
        temporary = self._path(upload.upload_id, "tmp")
        with open(temporary, "wb", opener=_private) as file:
            file.write(msgspec.json.encode(upload))
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(self._path(upload.upload_id, "json"))

    def _find(self, upload_id: str) -> Upload:
        try:
            with named_os_errors("such upload", missing=True):
                upload = msgspec.json.decode(self._path(upload_id, "json").read_bytes(), type=Upload)
                if upload.receipt is not None:
                    return msgspec.structs.replace(upload, offset=upload.size_bytes)
                offset = self._path(upload_id, "part").stat().st_size
        except ObjectNotFoundError:
            raise UploadNotFoundError("there is no such upload") from None
        return msgspec.structs.replace(upload, offset=offset)

    @contextmanager
    def _locked(self, upload_id: str) -> Iterator[tuple[Upload, io.FileIO]]:
        """The upload and its part, written to by nobody else, in this process or another, meanwhile."""
        try:
            with named_os_errors("such upload", missing=True):
                part = io.FileIO(os.open(self._path(upload_id, "part"), _PART), "r+b")
        except ObjectNotFoundError:
            raise UploadNotFoundError("there is no such upload") from None
        with part:
            try:
                fcntl.flock(part.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise UploadBusyError("another request is writing to this upload") from None
            yield self._find(upload_id), part

    def _conclude(self, upload: Upload, part: io.FileIO) -> None:
        with named_os_errors("the uploads' directory"):
            self._save(upload)
            # Not removed: the next request locks it, to find the receipt.
            part.truncate(0)

    def _remove(self, upload_id: str) -> None:
        # The part last: as long as it is there, `expire` finds what is left.
        with named_os_errors("the uploads' directory"):
            for suffix in ("json", "tmp", "part"):
                self._path(upload_id, suffix).unlink(missing_ok=True)

    def _expire(self, before: float) -> int:
        count = 0
        for path in self._directory.glob("*.part"):
            with suppress(FileNotFoundError):
                if path.stat().st_mtime < before and self._remove_if_idle(path):
                    count += 1
        return count

    def _remove_if_idle(self, path: Path) -> bool:
        with io.FileIO(os.open(path, _PART), "r+b") as part:
            try:
                fcntl.flock(part.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return False
            self._remove(path.stem)
            return True


def _private(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW, 0o600)


def _measure(part: io.FileIO, upload: Upload) -> Receipt:
    intake = Intake(limit_bytes=upload.size_bytes, size_bytes=upload.size_bytes, sha256=upload.sha256)
    part.seek(0)
    while batch := _read_chunk(part):
        intake.received_bytes += len(batch)
        intake.hash(batch)
    receipt = intake.receipt("", filename=upload.name)
    return receipt._replace(key=file_key(receipt.sha256))


async def _read(part: io.FileIO) -> AsyncGenerator[bytes, None]:
    part.seek(0)
    while chunk := await in_thread(_read_chunk, part):
        yield chunk


def _read_chunk(part: io.FileIO) -> bytes:
    with named_os_errors("the upload"):
        return part.read(CHUNK_BYTES)


def _sync(part: io.FileIO) -> None:
    with named_os_errors("the upload"):
        os.fsync(part.fileno())
