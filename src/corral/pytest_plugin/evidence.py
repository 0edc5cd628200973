"""What a phone shows and says when a test on it has failed."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from corral.pytest_plugin.device import AdbFailedError, CorralDevice

_LINES: Final = "2000"
_LONGEST_NAME: Final = 120


def keep_evidence(device: CorralDevice, test: str) -> str:
    """Write the screen and the end of the log to files of the test's own; where they are, or why they are not."""
    directory = device.output / re.sub(r"[^A-Za-z0-9._-]+", "-", test).strip("-.")[-_LONGEST_NAME:]
    taken: dict[str, Callable[[], bytes]] = {
        "screen.png": device.screenshot,
        "logcat.txt": lambda: device.adb("logcat", "-d", "-t", _LINES).stdout,
    }
    told = [f"{device.serial} (device {device.index}, session {device.session_id})"]
    for name, take in taken.items():
        try:
            directory.mkdir(parents=True, exist_ok=True)
            (directory / name).write_bytes(take())
        except (AdbFailedError, OSError) as error:
            told.append(f"{name}: {error}")
        else:
            told.append(str(directory / name))
    return "\n".join(told)
