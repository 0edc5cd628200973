"""What is locked: names and versions, of Python and of npm."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

ROOT: Final = Path(__file__).parents[2]
PYTHON_LOCKS: Final = (ROOT / "requirements" / "lock.txt", ROOT / "requirements" / "runtime.txt")
NPM_LOCK: Final = ROOT / "ui" / "package-lock.json"

_PIN = re.compile(r"^([A-Za-z0-9._-]+)==([^\s;\\]+)", re.MULTILINE)


class Pin(NamedTuple):
    """One version of one package."""

    name: str
    version: str

    def __str__(self) -> str:
        return f"{self.name} {self.version}"


def read_python_pins(files: Iterable[Path] = PYTHON_LOCKS) -> list[Pin]:
    """Every pin of these requirements, once."""
    return sorted({Pin(*found) for file in files for found in _PIN.findall(file.read_text(encoding="utf-8"))})


def read_npm_pins(file: Path = NPM_LOCK) -> list[Pin]:
    """Every package of a package-lock.json but the project itself, once; an alias under the name of what it stands for."""
    lock = msgspec.json.decode(file.read_bytes())
    return sorted(
        {
            Pin(package.get("name") or path.rpartition("node_modules/")[2], package["version"])
            for path, package in lock["packages"].items()
            if path and "version" in package and not package.get("link")
        }
    )
