"""What a data directory says about the server that runs in it."""

import contextlib
import sys
from dataclasses import dataclass
from pathlib import Path

from corral.engine.embedded.binaries import Programs

PID_FILE = "postmaster.pid"
_LINES = 8
# The largest pid_t, above every system's limit: a process that cannot exist.
_NOBODY = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Postmaster:
    """The server's main process, as it describes itself in postmaster.pid."""

    pid: int
    port: int
    socket_dir: str
    address: str
    status: str

    @property
    def is_ready(self) -> bool:
        return self.status == "ready"


def read_postmaster(pgdata: Path) -> Postmaster | None:
    """Return what postmaster.pid says, alive or not; None when there is none or it is being written."""
    try:
        lines = (pgdata / PID_FILE).read_text().splitlines()
    except FileNotFoundError:
        return None
    lines += [""] * (_LINES - len(lines))
    try:
        return Postmaster(
            pid=int(lines[0]),
            port=int(lines[3] or 0),
            socket_dir=lines[4].strip(),
            address=lines[5].strip(),
            status=lines[7].strip(),
        )
    except ValueError:
        return None


def find_running(pgdata: Path, programs: Programs) -> Postmaster | None:
    """Return the server that runs in `pgdata`, if one does."""
    found = read_postmaster(pgdata)
    if found is None:
        return None
    if sys.platform == "linux":
        is_running = _works_in(found.pid, pgdata)
    else:
        is_running = programs.run("pg_ctl status", pgdata=pgdata).returncode == 0
    return found if is_running else None


def has_ended(postmaster: Postmaster, pgdata: Path) -> bool:
    """Tell whether the process itself is gone: it removes its files, and counts as stopped, a moment before."""
    return sys.platform != "linux" or not _works_in(postmaster.pid, pgdata)


def processes_in(pgdata: Path) -> list[int]:
    """Return the live processes of a server in `pgdata`, its backends included (Linux only)."""
    if sys.platform != "linux":
        return []
    pids = (int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit())
    return [pid for pid in pids if _works_in(pid, pgdata)]


def _works_in(pid: int, directory: Path) -> bool:
    """Tell whether a live process has `directory` as its working directory, as all of a server's do."""
    try:
        return Path("/proc", str(pid), "cwd").samefile(directory)
    except OSError:
        # A zombie's and another account's cannot be looked up, and neither of them is the server.
        return False


def disown_pid_file(pgdata: Path, programs: Programs) -> None:
    """Make the postmaster.pid of a dead server harmless; call it only when none runs in `pgdata`.

    PostgreSQL takes any live process with the same number and account for the old server, and so does it
    take a zombie: both are common in a restarted container. The file itself must stay, as it names the shared
    memory by which the new server recognises old backends that are still at work.
    """
    if sys.platform != "linux":
        return
    path = pgdata / PID_FILE
    with contextlib.suppress(FileNotFoundError):
        _, newline, rest = path.read_text().partition("\n")
        programs.account.write_file(path, f"{_NOBODY}{newline}{rest}")
