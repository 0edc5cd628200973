"""What `pm install` said. Its exit code says nothing on older phones; its words do on all of them."""

from __future__ import annotations

import re
from typing import Final

from corral.model.errors import CommandFailedError, DeviceOfflineError

PACKAGE_PATH: Final = "/data/local/tmp/corral-install.apk"
"""Where a package waits that cannot be streamed. Always the same place, so that at most one is ever left behind."""

_SUCCESS: Final = re.compile(r"^Success\b", re.MULTILINE)
_FAILURE: Final = re.compile(r"^Failure(?: \[(?P<words>.*)\])?", re.MULTILINE | re.DOTALL)
_SHOWN: Final = 500


def check_installed(name: str, words: str) -> None:
    """Return if the package is installed. Raises CommandFailedError with the phone's own words."""
    if failure := _FAILURE.search(words):
        raise CommandFailedError(f"{name} was not installed: {failure['words'] or words.strip()[:_SHOWN]}")
    if _SUCCESS.search(words):
        return
    if not words.strip():
        raise DeviceOfflineError(f"the phone went away while {name} was being installed", is_started=True)
    raise CommandFailedError(f"{name} was not installed: {words.strip()[:_SHOWN]}")
