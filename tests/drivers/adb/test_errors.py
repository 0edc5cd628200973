from __future__ import annotations

import pytest

from corral.drivers.adb.errors import TABLE, from_words
from corral.model.errors import (
    DeviceError,
    DeviceOfflineError,
    DeviceUnauthorizedError,
    DriverUnavailableError,
)

# What adb 1.0.36 to 1.0.41 say (transport.cpp, adb.cpp, sockets.cpp, commandline.cpp).
KNOWN: list[tuple[str, type[DeviceError]]] = [
    (
        "device unauthorized.\nThis adb server's $ADB_VENDOR_KEYS is not set\nTry 'adb kill-server' if that seems wrong.",
        DeviceUnauthorizedError,
    ),
    ("device still authorizing", DeviceUnauthorizedError),
    ("failed to authenticate to 10.0.0.1:5555", DeviceUnauthorizedError),
    ("insufficient permissions for device: user in plugdev group", DeviceUnauthorizedError),
    ("no permissions (user in plugdev group; are your udev rules wrong?)", DeviceUnauthorizedError),
    ("device offline", DeviceOfflineError),
    ("device offline (no transport)", DeviceOfflineError),
    ("device offline (transport offline)", DeviceOfflineError),
    ("device still connecting", DeviceOfflineError),
    ("device 'ABC' not found", DeviceOfflineError),
    ("device not found", DeviceOfflineError),
    ("no device with transport id '7'", DeviceOfflineError),
    ("no such device '10.0.0.1:5555'", DeviceOfflineError),
    ("no devices/emulators found", DeviceOfflineError),
    ("no devices found", DeviceOfflineError),
    ("no emulators found", DeviceOfflineError),
    ("failed to connect to '10.0.0.1:5555': Connection refused", DeviceOfflineError),
    ("unable to connect to 10.0.0.1:5555", DeviceOfflineError),
    ("cannot connect to 10.0.0.1:5555: No route to host", DeviceOfflineError),
    ("closed", DeviceOfflineError),
    ("error: closed", DeviceOfflineError),
    ("connection reset", DeviceOfflineError),
    ("more than one device/emulator", DeviceError),
    ("more than one device", DeviceError),
    ("more than one emulator", DeviceError),
    ("more than one device with serial 0123456789ABCDEF", DeviceError),
    ("unknown host service", DriverUnavailableError),
    ("protocol fault (couldn't read status): Success", DriverUnavailableError),
    ("cannot connect to daemon", DriverUnavailableError),
    ("daemon not running", DriverUnavailableError),
]


@pytest.mark.parametrize(("words", "error"), KNOWN)
def test_each_known_message_has_its_error(words: str, error: type[DeviceError]) -> None:
    assert type(from_words(words)) is error


def test_the_table_has_no_row_that_no_known_message_meets() -> None:
    met = {
        next(number for number, (pattern, _) in enumerate(TABLE) if pattern.search(words.splitlines()[0]))
        for words, _ in KNOWN
    }

    assert met == set(range(len(TABLE)))


def test_unheard_of_words_are_repeated() -> None:
    error = from_words("the moon is full", handle="P")

    assert type(error) is DeviceError
    assert error.message == "P: the moon is full"


def test_silence_is_an_error_too() -> None:
    assert "without a word" in from_words("").message


@pytest.mark.parametrize(
    ("words", "is_started"),
    [("device offline", False), ("device 'P' not found", False), ("closed", True)],
)
def test_only_a_phone_that_was_never_asked_is_known_not_to_have_started(words: str, is_started: bool) -> None:  # noqa: FBT001 - a table
    error = from_words(words)

    assert isinstance(error, DeviceOfflineError)
    assert error.is_started is is_started


def test_an_unauthorized_phone_says_what_to_do() -> None:
    assert "confirm on the phone" in from_words("device unauthorized.").message
