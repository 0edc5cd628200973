"""Bring a database to this version's schema: numbered SQL files once each, functions and views whenever one of them changed.

Holds an advisory lock throughout, so any number of servers may start at once; the whole of it is one transaction,
so a failure leaves the database as it was. Refuses what it cannot vouch for: PostgreSQL older than 15, a migration
that was edited after it had been applied, a database migrated by a newer Corral.
"""

import hashlib
import re
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Final

import asyncpg
import msgspec
from asyncpg import Connection

from corral import __version__
from corral.engine.database import Database, Row
from corral.model.errors import DatabaseNotReadyError

OLDEST_POSTGRES: Final = 15
_LOCK: Final = 0x636F7272616C  # "corral"
_BOOKS: Final = """
create schema if not exists corral;
create table if not exists corral.migrations (
    number      integer primary key,
    name        text not null,
    checksum    text not null,
    applied_at  timestamptz not null default now()
);
create table if not exists corral.definitions (
    is_only   boolean primary key default true check (is_only),
    checksum  text not null,
    made_by   text not null
);
"""
_DROP_DEFINITIONS: Final = """
select format('drop view if exists %s', c.oid::regclass) as sql
  from pg_class c where c.relnamespace = 'corral'::regnamespace and c.relkind = 'v'
union all
select format('drop function if exists %s', p.oid::regprocedure)
  from pg_proc p where p.pronamespace = 'corral'::regnamespace
"""


class Migration(msgspec.Struct, frozen=True):
    """One numbered SQL file."""

    number: int
    name: str
    sql: str

    @property
    def checksum(self) -> str:
        return hashlib.sha256(self.sql.encode()).hexdigest()


def list_migrations() -> list[Migration]:
    """The migrations that ship, in order."""
    found = []
    for file in _sql_files(_sql_root() / "migrations"):
        number, _, name = file.name.removesuffix(".sql").partition("_")
        found.append(Migration(number=int(number), name=name, sql=file.read_text(encoding="utf-8")))
    return sorted(found, key=lambda migration: migration.number)


def list_definitions() -> list[str]:
    """The functions and views that ship, in an order in which they can be created."""
    functions = [file.read_text(encoding="utf-8") for file in _sql_files(_sql_root() / "functions")]
    views = [file.read_text(encoding="utf-8") for file in _sql_files(_sql_root() / "views")]
    return [*functions, *views]


async def migrate(database: Database) -> list[str]:
    """Migrate; return the names of the migrations that were applied. Raises DatabaseNotReadyError."""
    async with database.own_connection() as connection:
        version = connection.get_server_version().major
        if version < OLDEST_POSTGRES:
            message = f"PostgreSQL {version} is too old: Corral needs {OLDEST_POSTGRES} or newer"
            raise DatabaseNotReadyError(message)
        async with connection.transaction():
            await connection.execute("select pg_advisory_xact_lock($1)", _LOCK)
            await connection.execute("set local client_min_messages = warning")
            await connection.execute(_BOOKS)
            rows = await connection.fetch("select number, name, checksum from corral.migrations")
            applied = {row["number"]: (row["name"], row["checksum"]) for row in rows}
            fresh = _compare(applied)
            for migration in fresh:
                await connection.execute(migration.sql)
                await connection.execute(
                    "insert into corral.migrations (number, name, checksum) values ($1, $2, $3)",
                    migration.number,
                    migration.name,
                    migration.checksum,
                )
            await _apply_definitions(connection)
        return [f"{migration.number:04d}_{migration.name}" for migration in fresh]


async def check_migrated(database: Database) -> None:
    """Raise DatabaseNotReadyError unless the database is at exactly this version's schema."""
    if missing := await list_pending(database):
        raise DatabaseNotReadyError(f"the database lacks migration {missing[0]}: migrate it first")


async def list_pending(database: Database) -> list[str]:
    """The migrations that the database lacks. Raises DatabaseNotReadyError if it is a newer Corral's."""
    books = await database.fetch_value("select to_regclass('corral.migrations') is not null")
    rows = await database.fetch("select number, name, checksum from corral.migrations") if books else []
    missing = _compare({row["number"]: (row["name"], row["checksum"]) for row in rows})
    return [f"{migration.number:04d}_{migration.name}" for migration in missing]


def _compare(applied: dict[int, tuple[str, str]]) -> list[Migration]:
    known = {migration.number: migration for migration in list_migrations()}
    for number, (name, checksum) in sorted(applied.items()):
        if number not in known:
            message = f"the database has migration {number:04d}_{name}, which this Corral does not know: it is older"
            raise DatabaseNotReadyError(message)
        if known[number].checksum != checksum:
            message = f"migration {number:04d}_{name} was changed after it had been applied"
            raise DatabaseNotReadyError(message)
    return [migration for number, migration in known.items() if number not in applied]


async def _apply_definitions(connection: "Connection[Row]") -> None:
    """Create every function and view anew, when any of them changed; all old ones go first, so none outlives its file."""
    definitions = list_definitions()
    checksum = hashlib.sha256("\n".join(definitions).encode()).hexdigest()
    present = await connection.fetchrow("select checksum, made_by from corral.definitions")
    if present is not None and present["checksum"] == checksum:
        return  # a start that changes nothing locks nothing
    if present is not None and _as_numbers(present["made_by"]) > _as_numbers(__version__):
        message = f"the database's functions are of Corral {present['made_by']}; this is {__version__}, which is older"
        raise DatabaseNotReadyError(message)
    try:
        for statement in await connection.fetch(_DROP_DEFINITIONS):
            await connection.execute(statement["sql"])
    except asyncpg.DependentObjectsStillExistError as error:
        message = f"something of yours depends on a view or function of Corral's: drop it first ({error.detail})"
        raise DatabaseNotReadyError(message) from error
    await connection.execute("delete from corral.definitions")
    await connection.execute(
        "insert into corral.definitions (checksum, made_by) values ($1, $2)", checksum, __version__
    )
    await connection.execute("set local check_function_bodies = off")  # functions may name one another in any order
    await connection.execute("\n".join(definitions))


def _as_numbers(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", version))


def _sql_root() -> Traversable:
    return resources.files("corral.engine") / "sql"


def _sql_files(folder: Traversable) -> list[Traversable]:
    found: list[Traversable] = []
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.is_dir():
            found.extend(_sql_files(entry))
        elif re.fullmatch(r"[\w]+\.sql", entry.name):
            found.append(entry)
    return found
