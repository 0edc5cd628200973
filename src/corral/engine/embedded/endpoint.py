"""How clients reach the server, such that only the account that owns it, or root, can."""

import contextlib
import os
import re
import secrets
import shutil
import socket
import sys
import tempfile
from pathlib import Path
from typing import Protocol
from urllib.parse import quote

from corral.engine.embedded.account import Account
from corral.engine.embedded.postmaster import Postmaster
from corral.model.errors import EmbeddedPostgresError

ROLE = "corral"
DATABASE = "corral"

_SOCKET = ".s.PGSQL.5432"
_PORT = 5432
# sun_path holds 104 bytes on the BSDs and macOS, 108 on Linux, one of them for the final zero.
_LONGEST_SOCKET_PATH = 103
_RUNTIME_PREFIX = "corral-pg-"
_LOOPBACK = "127.0.0.1"
_PASSWORD_FILE = "corral.pgpass"  # noqa: S105  a file's name


class Endpoint(Protocol):
    """One way to reach the server."""

    def initial_sql(self, pgdata: Path) -> list[str]:
        """Return what to run once, when the cluster in `pgdata` is made."""
        ...

    def settings(self, stale: Postmaster | None) -> dict[str, str]:
        """Make room for a server that is about to start, after the dead one `stale`; return its settings."""
        ...

    def access_rules(self) -> dict[str, str]:
        """Return the files that say who may connect, by name."""
        ...

    def dsn(self, pgdata: Path, postmaster: Postmaster) -> str:
        """Return the URL of a running server; it holds no secret."""
        ...

    def clear(self, postmaster: Postmaster) -> None:
        """Remove what `settings` made outside of the data directory."""
        ...


class UnixSocket:
    """A socket in a directory that only the account may enter; the kernel tells the server who connects."""

    def __init__(self, home: Path, account: Account) -> None:
        self._directory = home / "run"
        self._account = account

    def initial_sql(self, pgdata: Path) -> list[str]:
        del pgdata
        return []

    def settings(self, stale: Postmaster | None) -> dict[str, str]:
        if stale is not None:
            self.clear(stale)
        return {
            "listen_addresses": "",
            "port": str(_PORT),
            "unix_socket_directories": str(self._make_directory()),
            "unix_socket_permissions": "0700",
        }

    def access_rules(self) -> dict[str, str]:
        names = dict.fromkeys((self._account.name, "root"))
        return {
            "pg_hba.conf": "local all all peer map=corral\n",
            "pg_ident.conf": "".join(f'corral "{name}" {ROLE}\n' for name in names),
        }

    def dsn(self, pgdata: Path, postmaster: Postmaster) -> str:
        del pgdata
        return f"postgresql://{ROLE}@/{DATABASE}?host={quote(postmaster.socket_dir)}&port={postmaster.port}"

    def clear(self, postmaster: Postmaster) -> None:
        directory = Path(postmaster.socket_dir)
        with contextlib.suppress(FileNotFoundError):
            status = directory.lstat()
            if directory.name.startswith(_RUNTIME_PREFIX) and status.st_uid == self._account.uid:
                shutil.rmtree(directory)

    def _make_directory(self) -> Path:
        if self._fits(self._directory):
            self._account.make_directory(self._directory)
            # A dead server's socket lock names a process that may be somebody else's by now.
            for leftover in self._directory.glob(".s.PGSQL.*"):
                leftover.unlink()
            return self._directory
        for parent in dict.fromkeys((Path(tempfile.gettempdir()), Path("/tmp"))):  # noqa: S108  sticky
            if parent.is_dir() and self._fits(parent / f"{_RUNTIME_PREFIX}12345678"):
                directory = Path(tempfile.mkdtemp(prefix=_RUNTIME_PREFIX, dir=parent))
                self._account.make_directory(directory)
                return directory
        raise EmbeddedPostgresError(
            f"no directory for PostgreSQL's socket: {self._directory} and the temporary directory"
            f" are too long or closed to {self._account.name}",
            code="embedded_postgres_unreachable",
            path=str(self._directory),
        )

    def _fits(self, directory: Path) -> bool:
        # PostgreSQL and the drivers split at commas and unescape quotes: only plain names are safe in all.
        return (
            re.fullmatch(r"[\w/.+-]+", str(directory), re.ASCII) is not None
            and len(os.fsencode(directory / _SOCKET)) <= _LONGEST_SOCKET_PATH
            and self._account.blocked_at(directory.parent) is None
        )


class Loopback:
    """A port of this machine alone and a random password, where there are no Unix sockets with owners."""

    def __init__(self, account: Account) -> None:
        self._account = account

    def initial_sql(self, pgdata: Path) -> list[str]:
        password = secrets.token_urlsafe(32)
        self._account.write_file(pgdata / _PASSWORD_FILE, f"{_LOOPBACK}:*:*:{ROLE}:{password}\n")
        return [f"alter role {ROLE} password '{password}'"]

    def settings(self, stale: Postmaster | None) -> dict[str, str]:
        del stale
        with socket.socket() as probe:
            probe.bind((_LOOPBACK, 0))
            port = probe.getsockname()[1]
        return {"listen_addresses": _LOOPBACK, "port": str(port), "unix_socket_directories": ""}

    def access_rules(self) -> dict[str, str]:
        return {"pg_hba.conf": f"host all all {_LOOPBACK}/32 scram-sha-256\n", "pg_ident.conf": ""}

    def dsn(self, pgdata: Path, postmaster: Postmaster) -> str:
        password_file = quote(str(pgdata / _PASSWORD_FILE), safe="")
        return f"postgresql://{ROLE}@{_LOOPBACK}:{postmaster.port}/{DATABASE}?passfile={password_file}"

    def clear(self, postmaster: Postmaster) -> None:
        del postmaster


def choose_endpoint(home: Path, account: Account) -> Endpoint:
    """Return how this platform's clients reach the server in `home`."""
    return Loopback(account) if sys.platform == "win32" else UnixSocket(home, account)
