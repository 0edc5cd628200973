"""Blocking work on files: in threads that outlive no one, with the operating system's errors under our names."""

import asyncio
import errno
import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import ParamSpec, TypeVar

from corral.model.errors import KeyInvalidError, ObjectNotFoundError, StorageError, StorageUnavailableError

P = ParamSpec("P")
T = TypeVar("T")


async def in_thread(function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """Run blocking file work in a thread; when cancelled, wait for it to end, then pass the cancellation on.

    The caller's `finally` may thus close the file: no thread is still writing to a descriptor that means another file.
    """
    work = asyncio.ensure_future(asyncio.to_thread(function, *args, **kwargs))
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        while not work.done():
            try:
                await asyncio.wait([work])
            except asyncio.CancelledError:
                continue
        if not work.cancelled():
            work.exception()  # looked at, so that it is not reported as lost
        raise


def write_all(file: io.FileIO, data: bytes) -> None:
    """Write all of it: an unbuffered file may take less at a time."""
    rest = memoryview(data)
    with named_os_errors("the disk"):
        while rest:
            rest = rest[file.write(rest) :]


@contextmanager
def named_os_errors(what: str, *, missing: bool = False) -> Iterator[None]:
    """Turn the operating system's errors into ours; with `missing`, what is not there is an ObjectNotFoundError."""
    try:
        yield
    except OSError as error:
        if missing and error.errno in {errno.ENOENT, errno.ENOTDIR}:
            raise ObjectNotFoundError(f"there is no {what}") from None
        if error.errno in {errno.ELOOP, errno.ENOTDIR, errno.EISDIR}:
            raise StorageError(f"{what} leads through something that is not a real directory or file") from error
        if error.errno == errno.ENAMETOOLONG:
            raise KeyInvalidError("the file system takes no name this long", path="key") from error
        if error.errno in {errno.ENOSPC, errno.EDQUOT}:
            raise StorageUnavailableError("the storage directory's disk is full", code="storage_full") from error
        if error.errno in {errno.EACCES, errno.EPERM, errno.EROFS}:
            raise StorageUnavailableError(f"{what}: {error.strerror}", code="storage_denied") from error
        raise StorageUnavailableError(f"{what}: {error.strerror}") from error
