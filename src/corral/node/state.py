"""The state directory: what outlives an agent, and the proof that its predecessor is dead.

Its lock is released by the kernel however the agent dies. Whoever holds it may tell the server so, by the state_id.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Final, Self
from uuid import uuid4

from corral.model.errors import StateInUseError

if sys.platform == "win32":
    import msvcrt

    def try_lock(descriptor: int) -> bool:
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def try_lock(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


_LOCK: Final = "lock"
_STATE_ID: Final = "state_id"
_NODE_ID: Final = "node_id"


class StateDirectory:
    """One agent's, while `with` lasts. Raises StateInUseError where another agent has it, or another node's is there."""

    def __init__(self, path: Path, *, node_id: str) -> None:
        self.path = path
        self._node_id = node_id
        self._descriptor: int | None = None
        self.state_id = ""

    @property
    def spool(self) -> Path:
        return self.path / "spool"

    @property
    def scratch(self) -> Path:
        return self.path / "scratch"

    @property
    def files(self) -> Path:
        return self.path / "files"

    def __enter__(self) -> Self:
        self.path.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor = os.open(self.path / _LOCK, os.O_RDWR | os.O_CREAT, 0o600)
        if not try_lock(descriptor):
            os.close(descriptor)
            raise StateInUseError(f"another agent works from {self.path}; give this one a --state-dir of its own")
        self._descriptor = descriptor
        try:
            self._claim()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)  # which also unlocks
            self._descriptor = None

    def _claim(self) -> None:
        owner = _read_or_write(self.path / _NODE_ID, self._node_id)
        if owner != self._node_id:
            raise StateInUseError(f"{self.path} belongs to the node {owner}, not to {self._node_id}")
        self.state_id = _read_or_write(self.path / _STATE_ID, uuid4().hex)


def _read_or_write(path: Path, text: str) -> str:
    """What the file says; if there is none, or a crash left an empty one, what it says from now on."""
    try:
        known = path.read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        known = ""
    if known:
        return known
    part = path.with_suffix(".part")
    with part.open("w", encoding="utf-8") as writing:
        writing.write(text)
        writing.flush()
        os.fsync(writing.fileno())
    part.replace(path)
    return text
