"""Unpacking a zip that somebody uploaded: inside the folder that is named, within bounds, and nothing but plain files."""

from __future__ import annotations

import shutil
import stat
import zipfile
from pathlib import Path
from typing import Final

from corral.model.errors import ActionFailedError

MOST_FILES: Final = 10_000
MOST_BYTES: Final = 2 << 30
_PIECE: Final = 1 << 20


def unpack(source: Path, folder: Path, *, name: str) -> None:
    """All files of the zip into the folder. Raises ActionFailedError that names what is wrong. Call it in a thread."""
    try:
        with zipfile.ZipFile(source) as opened:
            members = [member for member in opened.infolist() if not member.is_dir()]
            if len(members) > MOST_FILES:
                raise ActionFailedError(f"{name} holds more than {MOST_FILES} files")
            left = MOST_BYTES
            for member in members:
                left -= _unpack_one(opened, member, _place(member, folder, name=name), most=left, name=name)
    except (zipfile.BadZipFile, zipfile.LargeZipFile, EOFError, RuntimeError, NotImplementedError) as error:
        raise ActionFailedError(f"{name} is no zip that can be unpacked: {error}") from error
    except OSError as error:
        raise ActionFailedError(f"{name} could not be unpacked: {error.strerror or error}") from error


def _place(member: zipfile.ZipInfo, folder: Path, *, name: str) -> Path:
    mode = member.external_attr >> 16
    if stat.S_IFMT(mode) not in (0, stat.S_IFREG):
        raise ActionFailedError(f"{name} holds {member.filename!r}, which is no plain file")
    home = folder.resolve()
    place = (home / member.filename.replace("\\", "/")).resolve()
    if not place.is_relative_to(home) or place == home:
        raise ActionFailedError(f"{name} holds {member.filename!r}, which leads out of its folder")
    return place


def _unpack_one(opened: zipfile.ZipFile, member: zipfile.ZipInfo, place: Path, *, most: int, name: str) -> int:
    """How many bytes it took: what the zip says of itself is not believed."""
    place.parent.mkdir(parents=True, exist_ok=True)
    size = 0
    with opened.open(member) as reading, place.open("wb") as writing:
        while piece := reading.read(_PIECE):
            size += len(piece)
            if size > most:
                raise ActionFailedError(f"{name} unpacks to more than {MOST_BYTES >> 30} GB")
            writing.write(piece)
    if (member.external_attr >> 16) & stat.S_IXUSR:
        place.chmod(0o755)
    return size


def put_in(source: Path, folder: Path, *, name: str) -> Path:
    """The file under this name in the folder. Call it in a thread."""
    target = folder / name
    target.unlink(missing_ok=True)
    shutil.copyfile(source, target)
    return target
