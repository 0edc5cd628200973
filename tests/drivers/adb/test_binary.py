from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from corral.drivers.adb import binary
from corral.drivers.adb.binary import find_adb
from corral.model.errors import DriverUnavailableError


def _program(path: Path, mode: int = 0o755) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(mode)
    return path


def test_the_program_given_comes_first(tmp_path: Path) -> None:
    given = _program(tmp_path / "mine")
    _program(tmp_path / "sdk" / "platform-tools" / "adb")

    assert find_adb(given, environment={"ANDROID_HOME": str(tmp_path / "sdk")}) == given


def test_the_sdk_comes_before_the_path_and_the_path_before_the_package(tmp_path: Path) -> None:
    sdk = _program(tmp_path / "sdk" / "platform-tools" / "adb")
    path = _program(tmp_path / "bin" / "adb")
    environment = {"ANDROID_HOME": str(tmp_path / "sdk"), "PATH": str(tmp_path / "bin")}

    assert find_adb(environment=environment) == sdk
    assert find_adb(environment={"PATH": str(tmp_path / "bin")}) == path


def test_the_package_has_one_and_is_not_imported_for_it() -> None:
    found = find_adb(environment={})

    assert found.parts[-3:-1] == ("adbutils", "binaries")
    assert os.access(found, os.X_OK)
    assert "adbutils" not in sys.modules


def test_a_packages_program_that_lost_its_executable_bit_gets_it_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = _program(tmp_path / "adb", mode=0o644)
    monkeypatch.setattr(binary, "_candidates", lambda _: [(ours, True)])

    assert find_adb(environment={}) == ours
    assert ours.stat().st_mode & 0o111 == 0o111


def test_a_program_of_the_users_is_not_changed_but_named(tmp_path: Path) -> None:
    given = _program(tmp_path / "adb", mode=0o644)

    with pytest.raises(DriverUnavailableError, match=r"adb is not executable: run chmod \+x"):
        find_adb(given)


def test_no_program_anywhere_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(binary, "_candidates", lambda _: [])

    with pytest.raises(DriverUnavailableError, match="install the Android platform tools"):
        find_adb(environment={})
