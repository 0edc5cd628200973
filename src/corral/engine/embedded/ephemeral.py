"""Temporary homes for clusters that need not outlive their process."""

import contextlib
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

from corral.engine.embedded.cluster import Cluster
from corral.engine.embedded.layout import LOCK
from corral.model.errors import EmbeddedPostgresError

_PREFIX = "corral-ephemeral-"
# Younger than this, a home may belong to a process that has not come to lock it yet.
_SETTLED = timedelta(minutes=1)


def make_temporary_home() -> Path:
    """Return a new, empty home that the server's account can reach."""
    home = Path(tempfile.mkdtemp(prefix=_PREFIX))
    if sys.platform != "win32" and os.geteuid() == 0:
        home.chmod(0o711)
    return home


def remove_abandoned(bin_dir: Path, *, settled: timedelta = _SETTLED) -> None:
    """Stop and remove the temporary clusters of this user whose processes were killed."""
    for home in _settled_homes(settled):
        cluster = Cluster(home, bin_dir=bin_dir, durable=False, startup_timeout=timedelta())
        # One that cannot be removed now is found again next time.
        with contextlib.suppress(EmbeddedPostgresError, OSError):
            if cluster.stop_if_orphaned():
                shutil.rmtree(home)


def _settled_homes(settled: timedelta) -> Iterator[Path]:
    if sys.platform == "win32":
        return
    for home in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        # The temporary directory is everybody's: a link, or a home made by another user, is none of ours.
        with contextlib.suppress(OSError):
            status = home.lstat()
            age_s = time.time() - (home / LOCK).stat().st_mtime
            if status.st_uid == os.geteuid() and not home.is_symlink() and age_s > settled.total_seconds():
                yield home
