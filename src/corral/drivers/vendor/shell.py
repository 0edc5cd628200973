"""Shell commands by `adb_shell`, which carries text one way and neither an exit code nor errors apart.

So the command runs inside a line that keeps its complaints in a file on the phone and prints, after a random word that no
output can contain, first those and then the exit code. Output that is not text does not survive the JSON: what must
arrive byte by byte is sent as base64.
"""

from __future__ import annotations

import re
import shlex
from typing import Final

from corral.drivers.marked import Marker
from corral.drivers.protocol import ShellResult
from corral.drivers.vendor.client import VendorClient
from corral.model.errors import CommandFailedError, DeviceError

# A no-op with words, by which a line can say whom it is for. It means the same outside, where it can be read.
_LABEL: Final = re.compile(r"\s*: [\w=.:/ -]*;")
_KEPT_IN: Final = "/data/local/tmp/.corral_stderr_"
LONGEST_COMMAND: Final = 30_000
"""The program may start a process for it; Windows takes 32,767 characters for one."""


async def run_shell(client: VendorClient, handle: str, command: str, *, max_output_bytes: int = 1 << 20) -> ShellResult:
    marker = Marker()
    line = wrap(command, marker)
    if len(line.encode()) > LONGEST_COMMAND:
        raise CommandFailedError(f"a command of {len(command)} characters is too long for the vendor program")
    data = await client.ask("adb_shell", devices=handle, data={"command": line})
    return unwrap(_output(data, handle).encode(), marker, max_output_bytes=max_output_bytes)


def wrap(command: str, marker: Marker) -> str:
    """The line around a command. Where the phone has no room for its complaints they come among the output."""
    kept = f"{_KEPT_IN}{marker.word.rstrip(':')}"
    label = found[0] if (found := _LABEL.match(command)) else ""
    return (
        f"{label}x={shlex.quote(command[len(label) :])}; e={kept}; "
        '{ true >$e; } 2>/dev/null && { sh -c "$x" 2>$e; c=$?; } || { sh -c "$x" 2>&1; c=$?; }; '
        f"echo; echo {marker.word}; cat $e 2>/dev/null; rm -f $e; echo; echo {marker.word}$c"
    )


def unwrap(output: bytes, marker: Marker, *, max_output_bytes: int) -> ShellResult:
    """The two outputs and the exit code. Raises DeviceOfflineError if the line did not get to its end."""
    length, exit_code = marker.find(output)
    stdout, _, stderr = output[: len(output) - length].partition(f"\n{marker.word}".encode())
    stderr = stderr.removeprefix(b"\r").removeprefix(b"\n")
    return ShellResult(exit_code, stdout.removesuffix(b"\r")[:max_output_bytes], stderr[:max_output_bytes])


def _output(data: object, handle: str) -> str:
    found = data.get(handle) if isinstance(data, dict) else None
    if not isinstance(found, str):
        raise DeviceError(f"the vendor program returned no output of the command on {handle}")
    return found
