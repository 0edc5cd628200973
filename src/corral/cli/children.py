"""The processes of a farm on one computer: started in order, watched, and stopped in the opposite order.

Each writes to a log file of its own. They are in sessions of their own, so that Ctrl-C reaches this process alone,
which then stops them one after the other.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from corral.model.errors import ChildDiedError

_GOODBYE_S: Final = 30.0
_HURRIED_S: Final = 10.0
_LAST_LINES: Final = 12
_TAIL_BYTES: Final = 8192


@dataclass(frozen=True, slots=True)
class Child:
    """One process, and where it writes."""

    name: str
    process: asyncio.subprocess.Process
    log: Path

    def last_lines(self) -> str:
        """The end of what it wrote."""
        with self.log.open("rb") as file:
            file.seek(0, os.SEEK_END)
            file.seek(max(0, file.tell() - _TAIL_BYTES))
            return "\n".join(file.read().decode(errors="replace").splitlines()[-_LAST_LINES:])


class Children:
    """The processes that this one started, until the block ends."""

    def __init__(self, logs: Path, environment: Mapping[str, str]) -> None:
        self.logs = logs
        self._environment = environment
        self._children: list[Child] = []

    async def start(self, name: str, command: Sequence[str]) -> Child:
        """Start a command of Corral's own."""
        log = self.logs / f"{name}.log"
        with log.open("wb") as file:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "corral.cli", *command),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=file,
                stderr=file,
                env=self._environment,
                start_new_session=True,
            )
        child = Child(name, process, log)
        self._children.append(child)
        return child

    async def until_one_dies(self) -> None:
        """Wait until a process ends by itself, which none should, and raise ChildDiedError."""
        waits = {asyncio.create_task(child.process.wait()): child for child in self._children}
        try:
            done, _ = await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
            child = waits[done.pop()]
        finally:
            for wait in waits:
                wait.cancel()
        raise ChildDiedError(
            f"the {child.name} {_ending(child.process.returncode)}. Its last words:\n{child.last_lines()}"
        )

    async def stop(self) -> None:
        """Stop them, the last one first, each with time to finish; what does not end is killed.

        Cancelled, it tells all of them at once, which interrupts what a node still finishes, and soon kills.
        """
        try:
            while self._children:
                await _stop(self._children[-1], goodbye_s=_GOODBYE_S)
                self._children.pop()
        except asyncio.CancelledError:
            await asyncio.gather(*(_stop(child, goodbye_s=_HURRIED_S) for child in self._children))
            raise

    async def __aenter__(self) -> Self:
        self.logs.mkdir(parents=True, exist_ok=True)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()


async def _stop(child: Child, *, goodbye_s: float) -> None:
    _signal(child, signal.SIGTERM)
    try:
        await asyncio.wait_for(child.process.wait(), goodbye_s)
    except TimeoutError:
        _signal(child, signal.SIGKILL)
        await child.process.wait()


def _signal(child: Child, number: signal.Signals) -> None:
    if child.process.returncode is None:
        with contextlib.suppress(ProcessLookupError):  # it ended just now
            child.process.send_signal(number)


def _ending(status: int | None) -> str:
    if status is not None and status < 0:
        return f"was ended by {signal.Signals(-status).name}"
    return f"ended with status {status}"
