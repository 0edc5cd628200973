"""Exit codes where the way to the phone carries none: a last line that only the command's own shell can have written."""

from __future__ import annotations

import re
import secrets
from typing import Final

from corral.model.errors import DeviceOfflineError

TAIL_BYTES: Final = 128
"""More than the last line takes."""


class Marker:
    """A random word for one command, so that no output can pass for it."""

    def __init__(self) -> None:
        self.word = f"__corral_{secrets.token_hex(8)}:"

    def find(self, tail: bytes) -> tuple[int, int]:
        """How many bytes the last line takes, with the break before it, and the exit code that it tells.

        Raises DeviceOfflineError if it is not there: the command did not get to its end.
        """
        found = re.search(rb"\r?\n" + re.escape(self.word.encode()) + rb"(\d{1,3})\s*\Z", tail)
        if not found:
            raise DeviceOfflineError("the phone did not tell how the command ended", is_started=True)
        return len(tail) - found.start(), int(found[1])
