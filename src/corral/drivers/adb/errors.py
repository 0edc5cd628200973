"""The one table from adb's words to errors. Its messages are stable enough to tell them apart; nothing else does so."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from corral.drivers.words import AUTHORIZE, PERMISSIONS
from corral.model.errors import (
    DeviceError,
    DeviceOfflineError,
    DeviceUnauthorizedError,
    DriverUnavailableError,
)


def _never_reached(message: str) -> DeviceError:
    return DeviceOfflineError(message, is_started=False)


def _went_away(message: str) -> DeviceError:
    return DeviceOfflineError(message, is_started=True)


def _unauthorized(message: str) -> DeviceError:
    return DeviceUnauthorizedError(f"{message}: {AUTHORIZE}")


def _forbidden(message: str) -> DeviceError:
    return DeviceUnauthorizedError(f"{message}: {PERMISSIONS}")


# Patterns are searched in this order; the first that occurs decides.
TABLE: Final[tuple[tuple[re.Pattern[str], Callable[[str], DeviceError]], ...]] = tuple(
    (re.compile(pattern, re.IGNORECASE), error)
    for pattern, error in (
        (r"unauthori[sz]ed", _unauthorized),
        (r"still authori[sz]ing", _unauthorized),
        (r"failed to authenticate", _unauthorized),
        (r"(insufficient|no) permissions", _forbidden),
        (r"more than one", DeviceError),
        (r"device .*not found", _never_reached),
        (r"no such device", _never_reached),
        (r"no (devices|emulators|device with)", _never_reached),
        (r"still connecting", _never_reached),
        (r"device (offline|detached)", _never_reached),
        (r"^(failed|unable|cannot) (to )?connect to (?!.*daemon)", _never_reached),
        (r"unknown host service|protocol fault|daemon|version mismatch", DriverUnavailableError),
        # An open that was never answered: the phone refused the service, or went away with it.
        (r"^(error: )?closed$", _went_away),
        (r"connection (reset|closed|refused)|broken pipe", _went_away),
    )
)


def from_words(words: str, *, handle: str | None = None) -> DeviceError:
    """What adb's FAIL means. Words that nobody has met before are a DeviceError that repeats them."""
    first = (words.strip().splitlines() or [""])[0].strip().rstrip(".") or "adb failed without a word"
    message = first if handle is None or handle in first else f"{handle}: {first}"
    for pattern, error in TABLE:
        if pattern.search(first):
            return error(message)
    return DeviceError(message)
