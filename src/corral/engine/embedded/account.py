"""Which operating-system account PostgreSQL runs as, and what that account can reach.

PostgreSQL refuses to run as root, and initdb refuses an account without a name. So root gives the work to
the owner of the data directory or to a service account; everybody else runs it as themselves.
"""

import contextlib
import getpass
import os
import shutil
import stat
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from corral.model.errors import EmbeddedPostgresError

_OWN_ACCOUNT = "corral-postgres"
_SERVICE_ACCOUNTS = (_OWN_ACCOUNT, "postgres", "_postgres", "pgserver")


@dataclass(frozen=True, slots=True)
class Account:
    """The account that PostgreSQL runs as; `is_switched` when it is not the one of this process."""

    name: str
    uid: int
    gid: int
    is_switched: bool

    def blocked_at(self, path: Path) -> Path | None:
        """Return the topmost directory on the way to `path` that this account cannot enter, if any.

        Judged by owner, group and mode; an access list that says more is not read.
        """
        if not self.is_switched:
            return None
        resolved = path.resolve()
        for directory in reversed((resolved, *resolved.parents)):
            status = directory.stat()
            if status.st_uid == self.uid:
                needed = stat.S_IXUSR
            elif status.st_gid == self.gid:
                needed = stat.S_IXGRP
            else:
                needed = stat.S_IXOTH
            if not status.st_mode & needed:
                return directory
        return None

    def make_directory(self, path: Path) -> None:
        """Make sure that `path` is a directory which only this account may enter."""
        path.mkdir(mode=0o700, exist_ok=True)
        if sys.platform == "win32":
            return
        # By descriptor: a link put in its place must not give this account somebody else's directory.
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            if self.is_switched:
                os.fchown(descriptor, self.uid, self.gid)
            os.fchmod(descriptor, 0o700)
        finally:
            os.close(descriptor)

    def write_file(self, path: Path, text: str) -> None:
        """Replace `path` by a file that only this account may read."""
        descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            if sys.platform != "win32" and self.is_switched:
                os.fchown(descriptor, self.uid, self.gid)
            file.write(text)
        Path(temporary).replace(path)


if sys.platform == "win32":

    def choose_account(home: Path, pgdata: Path) -> Account:
        """Return the current account: pg_ctl itself gives up an administrator's rights."""
        del home, pgdata
        return Account(name=getpass.getuser(), uid=-1, gid=-1, is_switched=False)

else:
    import pwd

    def choose_account(home: Path, pgdata: Path) -> Account:
        """Return the account for the cluster in `home`. Raises when root has nobody to give it to."""
        if os.geteuid() != 0:
            return _current_account()
        for existing in (pgdata, home):
            if existing.exists() and (owner := existing.stat().st_uid) != 0:
                return _account_of(owner, existing)
        return _service_account()

    def _current_account() -> Account:
        uid, gid = os.geteuid(), os.getegid()
        try:
            return Account(name=pwd.getpwuid(uid).pw_name, uid=uid, gid=gid, is_switched=False)
        except KeyError:
            raise EmbeddedPostgresError(
                f"user id {uid} has no name, and PostgreSQL needs one: add it to /etc/passwd,"
                " or give Corral the URL of a PostgreSQL that runs elsewhere",
                code="embedded_postgres_no_account",
            ) from None

    def _account_of(uid: int, directory: Path) -> Account:
        try:
            entry = pwd.getpwuid(uid)
        except KeyError:
            raise EmbeddedPostgresError(
                f"{directory} belongs to user id {uid}, which has no name on this machine:"
                " chown it to an existing account",
                code="embedded_postgres_no_account",
                path=str(directory),
            ) from None
        return Account(name=entry.pw_name, uid=uid, gid=entry.pw_gid, is_switched=True)

    def _service_account() -> Account:
        for name in _SERVICE_ACCOUNTS:
            with contextlib.suppress(KeyError):
                entry = pwd.getpwnam(name)
                return Account(name=name, uid=entry.pw_uid, gid=entry.pw_gid, is_switched=True)
        _create_own_account()
        entry = pwd.getpwnam(_OWN_ACCOUNT)
        return Account(name=_OWN_ACCOUNT, uid=entry.pw_uid, gid=entry.pw_gid, is_switched=True)

    def _create_own_account() -> None:
        commands = (
            ("useradd", "--system", "--user-group", "--no-create-home", "--shell", "/usr/sbin/nologin"),
            ("adduser", "-S", "-D", "-H", "-s", "/sbin/nologin"),
        )
        reason = "neither useradd nor adduser is installed"
        for program, *options in commands:
            if (found := shutil.which(program)) is None:
                continue
            done = subprocess.run(  # noqa: S603  constants, no shell
                [found, *options, _OWN_ACCOUNT], capture_output=True, text=True, check=False
            )
            # Another process may have made it in the meantime, which is as good.
            with contextlib.suppress(KeyError):
                pwd.getpwnam(_OWN_ACCOUNT)
                return
            reason = (done.stderr or done.stdout).strip()
            break
        raise EmbeddedPostgresError(
            f"PostgreSQL does not run as root, and the account {_OWN_ACCOUNT} could not be made ({reason}):"
            " add it, run Corral as an ordinary user, or chown the data directory to one",
            code="embedded_postgres_no_account",
        )
