"""Where the adb program is. Importing adbutils is not needed for that, and would cost a second and much memory."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from corral.model.errors import DriverUnavailableError

_NAME: Final = "adb.exe" if os.name == "nt" else "adb"
_HINT: Final = "install the Android platform tools, or name the program with CORRAL_NODE_ADB_PATH"


def find_adb(given: Path | None = None, *, environment: Mapping[str, str] | None = None) -> Path:
    """The program given, else that of the Android SDK, of PATH, or of the adbutils package.

    Raises DriverUnavailableError that says what to do. A program of the package that lost its executable bit, as
    packages copied without modes do, gets it back.
    """
    if given is not None:
        return _check(given)
    for candidate, is_ours in _candidates(os.environ if environment is None else environment):
        if candidate.is_file():
            return _mend(candidate) if is_ours else _check(candidate)
    raise DriverUnavailableError(f"no adb program was found: {_HINT}")


def _candidates(environment: Mapping[str, str]) -> Iterator[tuple[Path, bool]]:
    for variable in ("ANDROID_HOME", "ANDROID_SDK_ROOT"):
        if root := environment.get(variable):
            yield Path(root) / "platform-tools" / _NAME, False
    if found := shutil.which("adb", path=environment.get("PATH", "")):
        yield Path(found), False
    package = find_spec("adbutils")
    for place in (package and package.submodule_search_locations) or ():
        yield Path(place) / "binaries" / _NAME, True


def _check(program: Path) -> Path:
    if not program.is_file():
        raise DriverUnavailableError(f"there is no adb program at {program}: {_HINT}")
    if not os.access(program, os.X_OK):
        raise DriverUnavailableError(f"{program} is not executable: run chmod +x on it")
    return program


def _mend(program: Path) -> Path:
    if not os.access(program, os.X_OK):
        try:
            program.chmod(program.stat().st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)
        except OSError as error:
            raise DriverUnavailableError(f"{program} is not executable, and cannot be made so: {error}") from error
    return _check(program)
