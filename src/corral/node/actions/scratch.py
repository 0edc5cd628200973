"""Files of a job on the node: all inside its own directory, whatever a recipe, a device or a link says."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import NamedTuple

from corral.model.errors import ActionFailedError
from corral.node.actions.protocol import Bench

# What Windows refuses in a name, and what makes terminals and logs misbehave.
_UNFIT = re.compile(r'[<>:"/\\|?*\x00-\x1f\x7f]')
_LONGEST_NAME = 200


class Fingerprint(NamedTuple):
    sha256: str
    size_bytes: int


def find_file(bench: Bench, path: str) -> Path:
    """A file that an earlier step left; raises ActionFailedError if there is none, or it is not inside the directory."""
    home = bench.scratch.resolve()
    missing = ActionFailedError(f"the job's directory has no file {path!r}")
    try:
        found = (home / path).resolve()
        is_file = found.is_file()
    except (OSError, ValueError, RuntimeError):  # ValueError: NUL in the path; RuntimeError: a loop of links
        raise missing from None
    if not found.is_relative_to(home):
        raise ActionFailedError(f"{path!r} is outside the job's directory")
    if not is_file:
        raise missing
    return found


def new_file(bench: Bench, name: str) -> Path:
    """Where the step may write a file of this name; one of an earlier attempt of the step is removed."""
    folder = bench.scratch.resolve() / fit_name(bench.step_id)
    if folder.is_symlink():
        folder.unlink()
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / fit_name(name)
    path.unlink(missing_ok=True)
    return path


OWN = ".corral"
"""The folder in a job's directory that is not the recipe's: the node's own notes about the job."""


def own_file(bench: Bench, kind: str) -> Path:
    """The node's own file of this kind about the step. It stays from one attempt of the step to the next."""
    folder = bench.scratch / OWN
    folder.mkdir(exist_ok=True)
    return folder / f"{fit_name(bench.step_id)}.{kind}"


def fit_name(name: str) -> str:
    """The name as one that every system takes: no folders, no odd characters, no special name."""
    fit = _UNFIT.sub("_", name).strip(" .")[:_LONGEST_NAME]
    return fit or "_"


def path_for_recipes(bench: Bench, path: Path) -> str:
    """The path as outputs and recipes say it: relative to the job's directory, with forward slashes."""
    return path.relative_to(bench.scratch.resolve()).as_posix()


def fingerprint(path: Path) -> Fingerprint:
    """The sha256 and size of a file. It reads all of it: call it in a thread."""
    with path.open("rb") as opened:
        digest = hashlib.file_digest(opened, "sha256").hexdigest()
        return Fingerprint(digest, opened.tell())
