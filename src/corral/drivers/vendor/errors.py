"""The table from the vendor program's refusals to errors. It has one code for all of them; the words tell them apart."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from corral.model.errors import CommandFailedError, DeviceError, DeviceOfflineError, DriverUnavailableError


def _offline(message: str) -> DeviceError:
    # It was the program that said no, so the phone was never asked.
    return DeviceOfflineError(message, is_started=False)


def _went_away(message: str) -> DeviceError:
    return DeviceOfflineError(message, is_started=True)


TABLE: Final[tuple[tuple[re.Pattern[str], Callable[[str], DeviceError]], ...]] = tuple(
    (re.compile(pattern, re.IGNORECASE), error)
    for pattern, error in (
        (r"激活会员|activate.*member|membership", DriverUnavailableError),
        (r"went away|disconnected|断开", _went_away),
        (r"offline|not found|no such device|not connected|离线|不在线|未连接|不存在", _offline),
    )
)


def from_reply(action: str, code: int, words: str, *, handle: str | None = None) -> DeviceError:
    """What a refusal means; CommandFailedError with the vendor's words where the table knows no better."""
    message = f"the vendor program refused '{action}'{f' on {handle}' if handle else ''}: {words or f'code {code}'}"
    for pattern, error in TABLE:
        if pattern.search(words):
            return error(message)
    return CommandFailedError(message)
