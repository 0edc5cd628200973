"""A lock between processes that the kernel releases when its holder dies, however it dies."""

import os
import sys
from pathlib import Path

if sys.platform == "win32":
    import msvcrt

    # Windows locks are mandatory: a byte far behind the holder's pid leaves that readable.
    _LOCKED_BYTE = 1 << 20

    def _try_lock(descriptor: int) -> bool:
        os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _unlock(descriptor: int) -> None:
        os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _try_lock(descriptor: int) -> bool:
        # flock and not lockf: it also excludes a second holder in the same process.
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _unlock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_UN)


class FileLock:
    """An exclusive lock on a file, which also tells who holds it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._descriptor: int | None = None

    def acquire(self) -> bool:
        """Take the lock if it is free; never wait. The file is given to the owner of its directory."""
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
        descriptor = os.open(self.path, flags, 0o600)
        if not _try_lock(descriptor):
            os.close(descriptor)
            return False
        try:
            if sys.platform != "win32" and os.geteuid() == 0:
                owner = self.path.parent.stat()
                os.fchown(descriptor, owner.st_uid, owner.st_gid)
            os.ftruncate(descriptor, 0)
            os.lseek(descriptor, 0, os.SEEK_SET)
            os.write(descriptor, f"{os.getpid()}\n".encode())
        except BaseException:
            os.close(descriptor)
            raise
        self._descriptor = descriptor
        return True

    def release(self) -> None:
        """Give the lock up; does nothing when it is not held."""
        if self._descriptor is None:
            return
        # Unlocked explicitly, because a forked child may still hold a copy of the descriptor.
        _unlock(self._descriptor)
        os.close(self._descriptor)
        self._descriptor = None

    def holder(self) -> str:
        """Name the process that took the lock last, for messages only."""
        try:
            pid = self.path.read_text().strip()
        except OSError:
            pid = ""
        return f"process {pid}" if pid else "another process"
