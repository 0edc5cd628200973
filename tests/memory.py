"""Where tests put their files: in memory, where there is room.

A database per test makes and deletes hundreds of files a second, and ext4 looks at the inodes that were freed within the last
seconds before it hands out a new one: on a disk, that search takes more of the processors than the tests do.
TMPDIR=/somewhere decides otherwise, and what failed tests wrote is then kept there, as ever.
"""

import contextlib
import os
import shutil
import tempfile
from pathlib import Path

import pytest

_MEMORY = Path("/dev/shm")
_PREFIX = "corral-tests-"
_LEAST_BYTES = 4 << 30


def keep_files_in_memory(config: pytest.Config) -> None:
    """For this run and the processes that it starts, until it ends."""
    if "TMPDIR" in os.environ or hasattr(config, "workerinput") or not _has_room():
        return
    _remove_abandoned()
    home = _MEMORY / f"{_PREFIX}{os.getpid()}"
    home.mkdir()
    home.chmod(0o711)  # as root, PostgreSQL runs in an account of its own
    os.environ["TMPDIR"] = str(home)
    tempfile.tempdir = None
    config.add_cleanup(lambda: shutil.rmtree(home, ignore_errors=True))


def _has_room() -> bool:
    if not os.access(_MEMORY, os.W_OK | os.X_OK):
        return False
    found = os.statvfs(_MEMORY)
    return not found.f_flag & os.ST_NOEXEC and found.f_bavail * found.f_frsize >= _LEAST_BYTES


def _remove_abandoned() -> None:
    """Of runs that were killed."""
    for home in _MEMORY.glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError, ValueError):
            if home.lstat().st_uid == os.geteuid() and not _is_alive(int(home.name.removeprefix(_PREFIX))):
                shutil.rmtree(home, ignore_errors=True)


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True
