"""A phone's files, in memory and bounded. Equal large contents are kept once for the whole fleet."""

from __future__ import annotations

import hashlib
import posixpath
import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

_DIRECTORY: Final = 0o040000
_REGULAR: Final = 0o100000
_SHARED_FROM: Final = 64 * 1024
MAX_BYTES: Final = 512 << 20
"""What one phone may hold in memory; beyond it is "No space left on device", as if its storage were full."""

_ALIASES: Final = ("/sdcard", "/mnt/sdcard", "/storage/self/primary")
_HOME: Final = "/storage/emulated/0"
_WRITABLE: Final = (_HOME, "/data/local/tmp")
_DIRECTORIES: Final = (
    "/",
    "/data",
    "/data/app",
    "/data/local",
    "/data/local/tmp",
    "/dev",
    "/proc",
    "/proc/sys",
    "/proc/sys/kernel",
    "/proc/sys/kernel/random",
    "/storage",
    "/storage/emulated",
    _HOME,
    f"{_HOME}/Android",
    f"{_HOME}/DCIM",
    f"{_HOME}/Download",
    f"{_HOME}/Movies",
    f"{_HOME}/Music",
    f"{_HOME}/Pictures",
    "/system",
    "/system/bin",
)


class FileError(Exception):
    """What a system call would have refused, in its words."""

    def __init__(self, path: str, reason: str, errno: int) -> None:
        super().__init__(f"{path}: {reason}")
        self.path = path
        self.reason = reason
        self.errno = errno


def no_such_file(path: str) -> FileError:
    return FileError(path, "No such file or directory", 2)


class _Content:
    """Bytes that several phones may hold at once."""

    __slots__ = ("__weakref__", "data")

    def __init__(self, data: bytes) -> None:
        self.data = data


_shared: weakref.WeakValueDictionary[bytes, _Content] = weakref.WeakValueDictionary()


def _content(data: bytes) -> _Content:
    if len(data) < _SHARED_FROM:
        return _Content(data)
    return _shared.setdefault(hashlib.sha256(data).digest(), _Content(data))


@dataclass(slots=True)
class Entry:
    """A file or a directory."""

    mode: int
    modified_at: int
    content: _Content | None = None

    @property
    def size(self) -> int:
        return len(self.content.data) if self.content else 4096

    @property
    def is_directory(self) -> bool:
        return bool(self.mode & _DIRECTORY)


class Files:
    """The file system of one phone, as the `shell` user sees it. `live` are files whose content the kernel makes up."""

    def __init__(
        self, now: Callable[[], int], is_full: Callable[[], bool], live: Mapping[str, Callable[[], bytes]] | None = None
    ) -> None:
        self._now = now
        self._live = live or {}
        self._is_full = is_full
        born_at = now()
        self._entries = {path: Entry(_DIRECTORY | 0o771, born_at) for path in _DIRECTORIES}
        self.used = 0

    def stat(self, path: str) -> Entry:
        """Raises FileError when there is nothing."""
        if (make_up := self._live.get(resolve(path))) is not None:
            return Entry(_REGULAR | 0o444, self._now(), _Content(make_up()))
        entry = self._entries.get(resolve(path))
        if entry is None:
            raise no_such_file(path)
        return entry

    def exists(self, path: str) -> bool:
        return resolve(path) in self._entries or resolve(path) in self._live

    def is_directory(self, path: str) -> bool:
        entry = self._entries.get(resolve(path))
        return entry is not None and entry.is_directory

    def names(self, path: str) -> list[str]:
        """The names in a directory, sorted; none when it is not one."""
        folder = resolve(path).rstrip("/") + "/"
        return sorted(name[len(folder) :] for name in self._entries if _is_child(name, folder))

    def read(self, path: str) -> bytes:
        entry = self.stat(path)
        if entry.content is None:
            raise FileError(path, "Is a directory", 21)
        return entry.content.data

    def check_writable(self, path: str) -> None:
        """Raises FileError unless a file may be put there."""
        target = resolve(path)
        if target.startswith("/system"):
            raise FileError(path, "Read-only file system", 30)
        if not any(target == root or target.startswith(f"{root}/") for root in _WRITABLE):
            raise FileError(path, "Permission denied", 13)
        if self.is_directory(target):
            raise FileError(path, "Is a directory", 21)
        if not self.is_directory(posixpath.dirname(target)):
            raise no_such_file(path)

    def write(self, path: str, data: bytes, *, mode: int = 0o660, modified_at: int | None = None) -> None:
        """Put a file there, in place of what was."""
        self.check_writable(path)
        target = resolve(path)
        former = self._entries.get(target)
        grows_by = len(data) - (former.size if former else 0)
        if grows_by > 0 and (self._is_full() or self.used + grows_by > MAX_BYTES):
            raise FileError(path, "No space left on device", 28)
        self.used += grows_by
        self._entries[target] = Entry(_REGULAR | mode, modified_at or self._now(), _content(data))

    def append(self, path: str, data: bytes) -> None:
        self.write(path, (self.read(path) if self.exists(path) else b"") + data)

    def make_directory(self, path: str, *, parents: bool) -> None:
        target = resolve(path)
        if self.exists(target):
            if parents and self.is_directory(target):
                return
            raise FileError(path, "File exists", 17)
        parent = posixpath.dirname(target)
        if parents and not self.exists(parent):
            self.make_directory(parent, parents=True)
        self.check_writable(target)
        self._entries[target] = Entry(_DIRECTORY | 0o770, self._now())

    def remove(self, path: str, *, recursive: bool = False) -> None:
        target = resolve(path)
        entry = self.stat(path)
        if target in _DIRECTORIES or not any(target.startswith(f"{root}/") for root in _WRITABLE):
            raise FileError(path, "Permission denied", 13)
        below = [name for name in self._entries if name.startswith(f"{target}/")]
        if entry.is_directory and not recursive:
            raise FileError(path, "Is a directory", 21)
        for name in (*below, target):
            gone = self._entries.pop(name)
            self.used -= len(gone.content.data) if gone.content else 0

    def remove_directory(self, path: str) -> None:
        """An empty one only."""
        if not self.stat(path).is_directory:
            raise FileError(path, "Not a directory", 20)
        if self.names(path):
            raise FileError(path, "Directory not empty", 39)
        self.remove(path, recursive=True)

    def move(self, source: str, target: str) -> None:
        entry = self.stat(source)
        if self.is_directory(target):
            target = posixpath.join(target, posixpath.basename(source.rstrip("/")))
        self.check_writable(target)
        start, end = resolve(source), resolve(target)
        if end == start or end.startswith(f"{start}/"):
            raise FileError(target, "Invalid argument", 22)
        if not entry.is_directory:
            self.write(target, self.read(source), mode=entry.mode & 0o777, modified_at=entry.modified_at)
            self.remove(source)
            return
        for name in [name for name in self._entries if name == start or name.startswith(f"{start}/")]:
            self._entries[end + name[len(start) :]] = self._entries.pop(name)

    def set_mode(self, path: str, mode: int) -> None:
        entry = self.stat(path)
        entry.mode = (entry.mode & ~0o777) | (mode & 0o777)

    def touch(self, path: str) -> None:
        if self.exists(path):
            self.stat(path).modified_at = self._now()
        else:
            self.write(path, b"")


def resolve(path: str) -> str:
    """The one name of a place: absolute, without dots, /sdcard followed to where it leads."""
    target = posixpath.normpath(f"/{path}")
    target = "/" + target.lstrip("/")
    for alias in _ALIASES:
        if target == alias or target.startswith(f"{alias}/"):
            return _HOME + target[len(alias) :]
    return target


def _is_child(name: str, folder: str) -> bool:
    return name.startswith(folder) and len(name) > len(folder) and "/" not in name[len(folder) :]
