"""What lies in an embedded cluster's directory, and how it comes to be there.

- `corral.lock` is held by the process that owns the running server;
- `pgdata/` is PostgreSQL's own directory;
- `run/` has its socket, where the path is short enough;
- `.corral-initdb-*/` is a cluster in the making; one that is found unlocked was never finished.
"""

import contextlib
import os
import shutil
import sys
import tempfile
from pathlib import Path

from corral.engine.embedded import settings
from corral.engine.embedded.binaries import Programs, major_version
from corral.engine.embedded.endpoint import DATABASE, ROLE, Endpoint
from corral.model.errors import EmbeddedPostgresError

LOCK = "corral.lock"
PGDATA = "pgdata"
_RUN = "run"
_MAKING = ".corral-initdb-"


def prepare_home(home: Path) -> None:
    """Make sure that `home` exists and is Corral's or empty. Raises `embedded_postgres_foreign_directory`."""
    with contextlib.suppress(FileExistsError):
        home.mkdir(parents=True)
        # Root's clusters run as another account, which must be able to pass through, not to look around.
        is_root = sys.platform != "win32" and os.geteuid() == 0
        home.chmod(0o711 if is_root else 0o700)
    if not home.is_dir():
        raise _foreign(home, "it is not a directory")
    if (home / PGDATA).exists():
        return
    if (home / "PG_VERSION").exists():
        raise _foreign(home, "it is itself a PostgreSQL data directory, made by something else")
    ours = {LOCK, PGDATA, _RUN}
    others = [entry.name for entry in home.iterdir() if entry.name not in ours and not entry.name.startswith(_MAKING)]
    if others:
        raise _foreign(home, f"it holds other files, such as {min(others)}")


def check_pgdata(pgdata: Path, bin_dir: Path) -> None:
    """Raise unless `pgdata` is a whole cluster of the programs' major version."""
    try:
        made_by = (pgdata / "PG_VERSION").read_text().strip()
    except FileNotFoundError:
        raise _foreign(pgdata, "it has no PG_VERSION, so it is no PostgreSQL data directory") from None
    if not (pgdata / "global" / "pg_control").is_file():
        raise _foreign(pgdata, "it has no global/pg_control, so its data is incomplete")
    programs = major_version(bin_dir)
    if made_by != str(programs):
        raise EmbeddedPostgresError(
            f"{pgdata} was made by PostgreSQL {made_by}, and this is PostgreSQL {programs} ({bin_dir}):"
            f" dump it with PostgreSQL {made_by} and restore it into a new directory, or use pg_upgrade",
            code="embedded_postgres_wrong_version",
            path=str(pgdata),
        )


def make_pgdata(home: Path, *, programs: Programs, endpoint: Endpoint, durable: bool) -> None:
    """Make a cluster with an empty database; it appears in `home` whole or not at all.

    The caller holds the lock of `home`.
    """
    for unfinished in home.glob(f"{_MAKING}*"):
        # Its initdb may outlive the killed process that began it and still write: a later start clears that.
        shutil.rmtree(unfinished, ignore_errors=True)
    making = Path(tempfile.mkdtemp(prefix=_MAKING, dir=home))
    try:
        programs.account.make_directory(making)
        _fill(making, programs=programs, endpoint=endpoint, durable=durable)
        making.rename(home / PGDATA)
    except BaseException:
        shutil.rmtree(making, ignore_errors=True)
        raise
    if durable and sys.platform != "win32":
        descriptor = os.open(home, os.O_RDONLY)
        os.fsync(descriptor)
        os.close(descriptor)


def _fill(making: Path, *, programs: Programs, endpoint: Endpoint, durable: bool) -> None:
    # Synced once, at the end, instead of by each program.
    _require(
        programs, "initdb", "-U", ROLE, "-E", "UTF8", "--locale=C", "--data-checksums", "--no-sync",
        "--auth=reject", pgdata=making,
    )  # fmt: skip
    with (making / "postgresql.conf").open("a") as file:
        file.write(f"\ninclude '{settings.FILE}'\n")
    programs.account.write_file(making / settings.FILE, "")
    statements = (f"create database {DATABASE}", *endpoint.initial_sql(making))
    _require(
        programs, "postgres --single", "-c", "fsync=off", "postgres",
        pgdata=making, stdin="".join(f"{statement}\n" for statement in statements),
    )  # fmt: skip
    if durable:
        _require(programs, "initdb", "--sync-only", pgdata=making)


def _require(programs: Programs, program: str, *arguments: str, pgdata: Path, stdin: str = "") -> None:
    done = programs.run(program, *arguments, pgdata=pgdata, stdin=stdin)
    if done.returncode != 0:
        raise EmbeddedPostgresError(
            f"{program} failed ({done.returncode}):\n{done.stdout[-2000:].strip()}",
            code="embedded_postgres_init_failed",
            path=str(pgdata),
        )


def _foreign(path: Path, reason: str) -> EmbeddedPostgresError:
    return EmbeddedPostgresError(
        f"{path} cannot be used for the embedded PostgreSQL: {reason}. Nothing in it was changed;"
        " choose an empty or a new directory",
        code="embedded_postgres_foreign_directory",
        path=str(path),
    )
