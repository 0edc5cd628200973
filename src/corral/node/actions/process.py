"""A process on the node that is ended as a whole: with all its descendants that did not deliberately leave its group."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

# What programs need to start at all. Everything else of the agent's environment, its secrets above all, stays with it.
_INHERITED: Final = (
    ("PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR")
    if sys.platform != "win32"
    else ("PATH", "PATHEXT", "SYSTEMROOT", "SYSTEMDRIVE", "COMSPEC", "WINDIR", "TEMP", "TMP", "USERPROFILE", "APPDATA")
)


def environment(added: Mapping[str, str]) -> dict[str, str]:
    """The environment of a command: what programs cannot do without, and what is added."""
    return {**{name: os.environ[name] for name in _INHERITED if name in os.environ}, **added}


async def spawn(command: str | Sequence[str], *, folder: Path, variables: Mapping[str, str]) -> Process:
    """Start a command line by the system's shell, or a program with its arguments, in a group of its own."""
    group: dict[str, Any] = {}
    if sys.platform == "win32":
        group["creationflags"] = subprocess.CREATE_NEW_PROCESS_GROUP
    else:
        group["start_new_session"] = True
    kept: dict[str, Any] = {
        "cwd": folder,
        "env": dict(variables),
        "stdin": PIPE,
        "stdout": PIPE,
        "stderr": PIPE,
        **group,
    }
    if isinstance(command, str):
        return await asyncio.create_subprocess_shell(command, **kept)
    return await asyncio.create_subprocess_exec(*command, **kept)


def release(process: Process) -> None:
    """Let go of a process for good: end it if it still runs, and close its pipes, whoever else holds them."""
    if process.returncode is None:
        kill_group(process)
    process._transport.close()  # type: ignore[attr-defined] # noqa: SLF001 - a Process has no public way to do it


def kill_group(process: Process) -> None:
    """End the process and its descendants at once. Harmless when they have ended."""
    if sys.platform == "win32":
        # Windows ends no descendants by itself; taskkill walks the tree as it is now.
        subprocess.Popen(  # noqa: S603 - no argument of it is anybody's word
            [os.path.join(os.environ["SYSTEMROOT"], "System32", "taskkill.exe"), "/T", "/F", "/PID", str(process.pid)],  # noqa: PTH118
            stdin=DEVNULL,
            stdout=DEVNULL,
            stderr=DEVNULL,
        )
    else:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
