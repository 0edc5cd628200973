"""A job's log: lines go to the server a few times a second, not one by one; a long log goes whole, as a file."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, Final

from corral.node.clock import utc_text
from corral.node.events import log_line

FLUSH_S: Final = 0.5
MOST_LINES: Final = 1_000
"""Lines that go as events; of a longer log the rest is in the file alone."""

MOST_BYTES: Final = 16 << 20


class JobLog:
    """Takes lines that are already clean; `send` gets those that are due."""

    def __init__(self, path: Path, send: Callable[[list[Mapping[str, str]]], None]) -> None:
        self._path = path
        self._send = send
        self._due: list[Mapping[str, str]] = []
        self._early: list[str] = []
        self._count = 0
        self._file: IO[str] | None = None
        self._timer: asyncio.TimerHandle | None = None

    def add(self, level: str, message: str, *, step: str | None) -> None:
        self._count += 1
        text = f"{utc_text()} {level:<7} {f'[{step}] ' if step else ''}{message}\n"
        if self._count <= MOST_LINES:
            self._early.append(text)
            self._due.append(log_line(level, message, step=step))
            if self._timer is None:
                self._timer = asyncio.get_running_loop().call_later(FLUSH_S, self.flush)
            return
        if self._file is None:
            self._due.append(log_line("warning", f"more than {MOST_LINES} lines: the whole log is an artifact"))
            self._file = self._path.open("w", encoding="utf-8")
            self._file.writelines(self._early)
            self._early.clear()
        if self._file.tell() < MOST_BYTES:
            self._file.write(text)

    def flush(self) -> None:
        """Send what is due."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._due:
            self._send(self._due)
            self._due = []

    def close(self) -> Path | None:
        """Send the last lines; the file with the whole log, if it is longer than what was sent."""
        self.flush()
        if self._file is None:
            return None
        self._file.close()
        return self._path
