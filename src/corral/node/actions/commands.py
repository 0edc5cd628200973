"""Commands of Android's own tools (am, pm, input, …), and how they say that something went wrong.

What they say is uneven: some end with 0 and print `Error:`, some print to stderr, and all of them complain about missing
services while the phone is still starting.
"""

from __future__ import annotations

import re
from typing import Final

from corral.drivers.protocol import Phone, ShellResult
from corral.model.errors import ActionFailedError, DeviceNotBootedError
from corral.node.actions.quoting import command_line

MOST_TEXT: Final = 1 << 16
"""How many bytes of a command's output become part of a step's output."""

_NOT_BOOTED = re.compile(
    r"can't find service: (?:activity|package|window|input|power)\b|is the system running\?|DeadSystemException",
    re.IGNORECASE,
)
_COMPLAINT = re.compile(
    r"^\s*(?:Error\b(?! type \d+\s*$)|Exception occurred|Security exception|java\.lang\.|android\.os\.)"
)
_MOST_QUOTED = 300


async def run_tool(phone: Phone, *words: str) -> str:
    """What a tool printed; raises ActionFailedError in its words, or DeviceNotBootedError while there is no system."""
    result = await phone.shell(command_line(*words))
    if complaint := find_complaint(result):
        raise ActionFailedError(f"{words[0]}: {complaint}")
    return result.text


def find_complaint(result: ShellResult) -> str | None:
    """What the device complains about, if it does; raises DeviceNotBootedError if it is only not ready yet."""
    check_booted(result)
    lines = [*both_streams(result).splitlines()]
    spoken = next((line.strip() for line in lines if _COMPLAINT.match(line)), None)
    if spoken is None and result.exit_code != 0:
        spoken = _last_words(result) or f"exit code {result.exit_code}"
    return None if spoken is None else shortened(spoken)


def check_booted(result: ShellResult) -> None:
    """Raise DeviceNotBootedError if the output says that Android's services are not there yet."""
    if found := _NOT_BOOTED.search(both_streams(result)):
        raise DeviceNotBootedError(f"Android has not started: {found.group()}")


def both_streams(result: ShellResult) -> str:
    """Errors first, then output, as text."""
    return f"{text_of(result.stderr)}\n{result.text}".strip("\n")


def text_of(output: bytes, most: int = MOST_TEXT) -> str:
    """At most so many bytes as text, without the last line break; what is not UTF-8 is replaced."""
    return output[:most].decode(errors="replace").rstrip("\r\n")


def shortened(text: str, most: int = _MOST_QUOTED) -> str:
    """The text on one line, cut where it is too long for a message."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1] + "…"


def _last_words(result: ShellResult) -> str:
    for output in (text_of(result.stderr), result.text):
        if lines := [line.strip() for line in output.splitlines() if line.strip()]:
            return lines[-1]
    return ""
