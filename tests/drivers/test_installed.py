from __future__ import annotations

import pytest

from corral.drivers.installed import check_installed
from corral.model.errors import CommandFailedError, DeviceOfflineError


@pytest.mark.parametrize("words", ["Success\n", "\tpkg: /data/local/tmp/x.apk\nSuccess\r\n", "Success: streamed\n"])
def test_success_is_success(words: str) -> None:
    check_installed("x.apk", words)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("Failure [INSTALL_FAILED_OLDER_SDK: needs 34]\n", r"INSTALL_FAILED_OLDER_SDK: needs 34$"),
        ("Failure [A: b [c]\nd]\n", r"A: b \[c\]\nd$"),
        ("Failure\n", "Failure"),
        ("Success is far\nError: no such luck\nFailure [X]", "X$"),
        ("Exception occurred while executing 'install':\n", "Exception occurred"),
    ],
)
def test_a_failure_is_told_in_the_phones_words(words: str, said: str) -> None:
    with pytest.raises(CommandFailedError, match=rf"x\.apk was not installed: {said}"):
        check_installed("x.apk", words)


def test_silence_is_a_phone_that_went_away() -> None:
    with pytest.raises(DeviceOfflineError):
        check_installed("x.apk", "\n")
