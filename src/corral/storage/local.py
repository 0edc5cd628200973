"""Objects as files below a directory: 0700 directories, 0600 files, and no symbolic link below it is followed.

Every path is walked part by part from the root's descriptor (openat with O_NOFOLLOW), so a link planted in the
directory, even between two system calls, leads nowhere. obstore's local store offers neither that nor file modes.
"""

import io
import os
import stat
from collections.abc import AsyncGenerator, AsyncIterable, Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from time import time
from typing import Final
from uuid import uuid4

from corral.model.errors import ObjectExistsError, ObjectNotFoundError, StorageError
from corral.storage.files import in_thread, named_os_errors, write_all
from corral.storage.intake import Intake
from corral.storage.keys import INCOMING, check_key, check_prefix, is_segment
from corral.storage.store import CHUNK_BYTES, Content, DirectUpload, Receipt, Stat, clamp_range

_DIRECTORY: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
# NONBLOCK: opening a pipe that somebody put there must not hang.
_READ: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_CREATE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_LIST_BATCH: Final = 500
# A folder made for an object can be pruned by a delete before the object is linked into it; how often that is believed.
_LINK_ATTEMPTS: Final = 10


class LocalStore:
    """See Store. Any number of processes may share the directory."""

    def __init__(self, root: Path) -> None:
        with named_os_errors("the storage directory"):
            root.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._root = root.resolve(strict=True)
            with self._folder([INCOMING], create=True):
                pass

    def __repr__(self) -> str:
        return f"LocalStore({str(self._root)!r})"

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
        check_key(key)
        intake = Intake(limit_bytes=limit_bytes, size_bytes=size_bytes, sha256=sha256)
        if await in_thread(self._is_taken, key):
            raise ObjectExistsError(f"{key} is taken")
        # Not in a thread: a cancellation there would lose track of the file.
        temporary, file = self._create_temporary()
        try:
            with file:
                async for batch in intake.batches(source):
                    await in_thread(_write, file, intake, batch)
                receipt = intake.receipt(key, filename=filename)
                await in_thread(self._publish, key, file=file, temporary=temporary)
        finally:
            with suppress(FileNotFoundError), self._folder([INCOMING]) as incoming:
                os.unlink(temporary, dir_fd=incoming)
        return receipt

    async def get(self, key: str, *, start: int = 0, length: int | None = None) -> Content:
        file = await in_thread(self._open, key)
        try:
            size_bytes = os.fstat(file.fileno()).st_size
            length = clamp_range(size_bytes, start=start, length=length)
            file.seek(start)
        except BaseException:
            file.close()
            raise
        return Content(
            _read(file, length, key=key), size_bytes=size_bytes, start=start, length=length, close=file.close
        )

    async def stat(self, key: str) -> Stat:
        return await in_thread(self._stat, key)

    async def delete(self, key: str) -> None:
        await in_thread(self._delete, key)

    async def list(self, prefix: str = "") -> AsyncGenerator[Stat, None]:
        found = self._walk(check_prefix(prefix))
        while batch := await in_thread(lambda: list(islice(found, _LIST_BATCH))):
            for item in batch:
                yield item

    async def presign_get(self, key: str, *, expires_in: timedelta) -> str | None:
        """None: a directory has no URLs."""
        del expires_in
        check_key(key)
        return None

    async def presign_put(self, *, expires_in: timedelta) -> DirectUpload | None:
        """None: a directory has no URLs."""
        del expires_in
        return None

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
        """Always ObjectNotFoundError: no direct upload was ever offered."""
        del limit_bytes, size_bytes, sha256, filename
        check_key(key)
        raise ObjectNotFoundError(f"there is no direct upload {upload_id[:40]!a}")

    async def check(self) -> None:
        await in_thread(self._check)

    async def sweep(self, *, older_than: timedelta) -> int:
        return await in_thread(self._sweep, time() - older_than.total_seconds())

    @property
    def root(self) -> Path:
        """Where the objects are: what upkeep watches the disk of."""
        return self._root

    def _check(self) -> None:
        with named_os_errors("the storage directory"), self._folder([INCOMING]):
            pass

    @contextmanager
    def _folder(self, parts: Sequence[str], *, create: bool = False) -> Iterator[int]:
        """The descriptor of a folder below the root, each part of which is a real directory."""
        folder = os.open(self._root, _DIRECTORY)
        try:
            for part in parts:
                if create:
                    with suppress(FileExistsError):
                        os.mkdir(part, 0o700, dir_fd=folder)
                inner = os.open(part, _DIRECTORY | os.O_NOFOLLOW, dir_fd=folder)
                os.close(folder)
                folder = inner
            yield folder
        finally:
            os.close(folder)

    def _create_temporary(self) -> tuple[str, io.FileIO]:
        name = uuid4().hex
        with named_os_errors(INCOMING), self._folder([INCOMING], create=True) as incoming:
            return name, io.FileIO(os.open(name, _CREATE, 0o600, dir_fd=incoming), "wb")

    def _publish(self, key: str, *, file: io.FileIO, temporary: str) -> None:
        """Make the whole file appear under its key, durably."""
        with named_os_errors(key):
            os.fsync(file.fileno())
            for attempt in range(1, _LINK_ATTEMPTS + 1):
                try:
                    return self._link(key, temporary)
                except FileExistsError:
                    raise ObjectExistsError(f"{key} is taken") from None
                except FileNotFoundError:
                    if attempt == _LINK_ATTEMPTS:
                        raise
        return None

    def _link(self, key: str, temporary: str) -> None:
        """A link fails where a rename would overwrite, and that is what makes one of several writers win."""
        *parents, name = key.split("/")
        with self._folder([INCOMING]) as incoming, self._folder(parents, create=True) as folder:
            os.link(temporary, name, src_dir_fd=incoming, dst_dir_fd=folder, follow_symlinks=False)
            os.fsync(folder)

    def _open(self, key: str) -> io.FileIO:
        *parents, name = check_key(key).split("/")
        with named_os_errors(key, missing=True), self._folder(parents) as folder:
            descriptor = os.open(name, _READ, dir_fd=folder)
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                os.close(descriptor)
                raise ObjectNotFoundError(f"there is no {key}")
            return io.FileIO(descriptor, "rb")

    def _stat(self, key: str) -> Stat:
        *parents, name = check_key(key).split("/")
        with named_os_errors(key, missing=True), self._folder(parents) as folder:
            status = os.stat(name, dir_fd=folder, follow_symlinks=False)
        if not stat.S_ISREG(status.st_mode):
            raise ObjectNotFoundError(f"there is no {key}")
        return _stat_of(key, status)

    def _is_taken(self, key: str) -> bool:
        try:
            self._stat(key)
        except ObjectNotFoundError:
            return False
        return True

    def _delete(self, key: str) -> None:
        *parents, name = check_key(key).split("/")
        with suppress(ObjectNotFoundError), named_os_errors(key, missing=True), self._folder(parents) as folder:
            os.unlink(name, dir_fd=folder)
        # Purging by age would otherwise leave one empty folder per run and device for ever.
        for depth in range(len(parents), 0, -1):
            try:
                with self._folder(parents[: depth - 1]) as folder:
                    os.rmdir(parents[depth - 1], dir_fd=folder)
            except OSError:
                return

    def _walk(self, prefix: str) -> Generator[Stat, None, None]:
        parts = prefix.split("/") if prefix else []
        with suppress(ObjectNotFoundError), named_os_errors(prefix, missing=True), self._folder(parts) as top:
            for path, folders, names, folder in os.fwalk(".", dir_fd=top, follow_symlinks=False):
                folders[:] = filter(is_segment, folders)
                between = path.split("/")[1:]
                for name in filter(is_segment, names):
                    with suppress(FileNotFoundError):
                        status = os.stat(name, dir_fd=folder, follow_symlinks=False)
                        if stat.S_ISREG(status.st_mode):
                            yield _stat_of("/".join([*parts, *between, name]), status)

    def _sweep(self, before: float) -> int:
        count = 0
        with named_os_errors(INCOMING), self._folder([INCOMING], create=True) as incoming:
            for name in [entry.name for entry in os.scandir(incoming)]:
                with suppress(FileNotFoundError):
                    if os.stat(name, dir_fd=incoming, follow_symlinks=False).st_mtime < before:
                        os.unlink(name, dir_fd=incoming)
                        count += 1
        return count


def _write(file: io.FileIO, intake: Intake, batch: bytes) -> None:
    intake.hash(batch)
    write_all(file, batch)


async def _read(file: io.FileIO, length: int, *, key: str) -> AsyncGenerator[bytes, None]:
    while length > 0:
        with named_os_errors(key):
            chunk = await in_thread(file.read, min(length, CHUNK_BYTES))
        if not chunk:
            raise StorageError(f"{key} became shorter while it was read")
        length -= len(chunk)
        yield chunk


def _stat_of(key: str, status: os.stat_result) -> Stat:
    return Stat(key, status.st_size, datetime.fromtimestamp(status.st_mtime, UTC))
