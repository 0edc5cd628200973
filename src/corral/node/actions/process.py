"""A process on the node that is ended as a whole: with all its descendants that did not deliberately leave its group."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from subprocess import DEVNULL, PIPE
from typing import Any, Final, cast

STDOUT: Final = 1
STDERR: Final = 2

# What programs need to start at all. Everything else of the agent's environment, its secrets above all, stays with it.
_INHERITED: Final = (
    ("PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR")
    if sys.platform != "win32"
    else ("PATH", "PATHEXT", "SYSTEMROOT", "SYSTEMDRIVE", "COMSPEC", "WINDIR", "TEMP", "TMP", "USERPROFILE", "APPDATA")
)


def environment(added: Mapping[str, str]) -> dict[str, str]:
    """The environment of a command: what programs cannot do without, and what is added."""
    return {**{name: os.environ[name] for name in _INHERITED if name in os.environ}, **added}


class Running(asyncio.SubprocessProtocol):
    """A process and what it says. Unlike asyncio's own, it has ended when it ended, whoever still holds its pipes."""

    def __init__(self, hear: Callable[[int, bytes], None]) -> None:
        self.exited = asyncio.Event()
        self.silent = asyncio.Event()
        """Set when nobody can write to its pipes any more."""

        self._hear = hear
        self._open = {STDOUT, STDERR}
        self._transport: asyncio.SubprocessTransport | None = None
        self._exit_code: int | None = None

    @property
    def exit_code(self) -> int:
        """How it ended; negative for a signal. Only once it has."""
        return -1 if self._exit_code is None else self._exit_code

    def feed(self, content: bytes) -> None:
        """Give it all of its input."""
        if self._transport is not None:
            pipe = cast("asyncio.WriteTransport", self._transport.get_pipe_transport(0))
            if not pipe.is_closing():  # it may have ended already
                pipe.write(content)
                pipe.close()

    def kill_group(self) -> None:
        """End the process and its descendants at once. Harmless when they have ended."""
        if self._transport is None:
            return
        if sys.platform == "win32":
            _kill_tree(self._transport.get_pid())
        else:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._transport.get_pid(), signal.SIGKILL)

    def release(self) -> None:
        """Let go for good: end it if it still runs, and close its pipes."""
        if self._transport is not None:
            if not self.exited.is_set():
                self.kill_group()
            self._transport.close()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # Not a matter for isinstance: uvloop's transports have asyncio's methods, and not its classes.
        self._transport = cast("asyncio.SubprocessTransport", transport)

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        self._hear(fd, data)

    def pipe_connection_lost(self, fd: int, _error: Exception | None) -> None:
        self._open.discard(fd)
        if not self._open:
            self.silent.set()

    def process_exited(self) -> None:
        self._exit_code = self._transport.get_returncode() if self._transport else None
        self.exited.set()


async def spawn(
    command: str | Sequence[str], *, folder: Path, variables: Mapping[str, str], hear: Callable[[int, bytes], None]
) -> Running:
    """Start a command line by the system's shell, or a program with its arguments, in a group of its own."""
    options: dict[str, Any] = {"cwd": folder, "env": dict(variables), "stdin": PIPE, "stdout": PIPE, "stderr": PIPE}
    if sys.platform == "win32":
        options["creationflags"] = subprocess.CREATE_NEW_PROCESS_GROUP
    else:
        options["start_new_session"] = True
    loop = asyncio.get_running_loop()
    running = Running(hear)
    if isinstance(command, str):
        starting = asyncio.ensure_future(loop.subprocess_shell(lambda: running, command, **options))
    else:
        starting = asyncio.ensure_future(loop.subprocess_exec(lambda: running, *command, **options))
    try:
        await asyncio.shield(starting)
    except asyncio.CancelledError:
        # It may have descendants before we know of it: only once we do can all of them be ended.
        await asyncio.wait({starting})
        if starting.exception() is None:
            running.kill_group()
            await running.exited.wait()
            running.release()
        raise
    return running


def _kill_tree(pid: int) -> None:
    """Windows ends no descendants by itself; taskkill walks the tree as it is now."""
    taskkill = Path(os.environ["SYSTEMROOT"]) / "System32" / "taskkill.exe"
    subprocess.Popen(  # noqa: S603 - no argument of it is anybody's word
        [taskkill, "/T", "/F", "/PID", str(pid)], stdin=DEVNULL, stdout=DEVNULL, stderr=DEVNULL
    )
