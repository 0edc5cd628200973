"""The only door to PostgreSQL: a small pool, typed rows, errors translated, transient faults retried.

A call is one SQL function or view in one transaction of its own, so that repeating it after a deadlock,
which PostgreSQL rolled back whole, is safe. A call whose connection broke is *not* repeated here: it may
have been committed. Its caller repeats it where the function is idempotent (pull by request_id, events by id).
"""

import asyncio
import random
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, Final, TypeVar

import asyncpg
import msgspec

from corral.engine.sqlstates import ERRORS_BY_SQLSTATE
from corral.model.errors import BrokenRuleError, DatabaseUnavailableError, InvalidRequestError

T = TypeVar("T")

Row = asyncpg.Record

_RETRIED: Final = (asyncpg.DeadlockDetectedError, asyncpg.SerializationError)
_UNAVAILABLE: Final = (
    OSError,
    asyncpg.PostgresConnectionError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    asyncpg.CannotConnectNowError,
    asyncpg.TooManyConnectionsError,
    asyncpg.InterfaceError,
    asyncpg.InsufficientResourcesError,
    asyncpg.ReadOnlySQLTransactionError,
    asyncpg.PostgresIOError,
    asyncpg.QueryCanceledError,
    TimeoutError,
)
_INVALID: Final = (
    asyncpg.DataError,
    asyncpg.IntegrityConstraintViolationError,
    asyncpg.ProgramLimitExceededError,
)
# Only the engine's own functions write these: what their constraints refuse is never the caller's fault.
_OUR_BOOKS: Final = {
    "run_gates",
    "lanes",
    "jobs",
    "runs",
    "leases",
    "run_versions",
    "test_suites",
    "test_units",
    "test_phones",
}
_TRIES: Final = 5

_encode_json = msgspec.json.Encoder().encode
_decode_json = msgspec.json.Decoder().decode
_ESCAPED_NUL: Final = re.compile(r"(\\\\)|\\u0000")


def encode_json(value: object) -> str:
    r"""JSON as PostgreSQL takes it: text cannot hold NUL, so it is dropped.

    An escaped backslash is stepped over: a NUL spelled out in six characters is plain text, and cutting it out would
    leave half an escape, which swallows or opens the quote behind it.
    """
    text = _encode_json(value).decode()
    return _ESCAPED_NUL.sub(lambda found: found[1] or "", text) if "\\u0000" in text else text


async def _prepare(connection: "asyncpg.Connection[Row]") -> None:
    for name in ("json", "jsonb"):
        await connection.set_type_codec(name, schema="pg_catalog", encoder=encode_json, decoder=_decode_json)


class _Connection(asyncpg.Connection):
    """A connection whose calls leave nothing behind in the session: handing it on costs no round trip to clean it up."""

    def get_reset_query(self) -> str:
        return ""


class Database:
    """A pool of connections to one PostgreSQL."""

    def __init__(self, pool: "asyncpg.Pool[Row]", dsn: str) -> None:
        self._pool = pool
        self.dsn = dsn

    @classmethod
    async def open(cls, dsn: str, *, max_connections: int = 16) -> "Database":
        """Connect. Raises DatabaseUnavailableError when nobody answers."""
        try:
            pool = await asyncpg.create_pool(
                dsn,
                min_size=1,
                max_size=max_connections,
                init=_prepare,
                connection_class=_Connection,
                command_timeout=60,
                server_settings={
                    "application_name": "corral",
                    "timezone": "UTC",
                    "jit": "off",
                    "idle_in_transaction_session_timeout": "60s",
                },
            )
        except (*_UNAVAILABLE, asyncpg.PostgresError) as error:
            message = f"PostgreSQL does not answer: {error}"
            raise DatabaseUnavailableError(message) from error
        return cls(pool, dsn)

    async def close(self) -> None:
        """Let calls under way finish, then disconnect."""
        await self._pool.close()

    @asynccontextmanager
    async def own_connection(self) -> "AsyncIterator[asyncpg.Connection[Row]]":
        """A connection outside the pool, whose statements may take their time: for migrations and listening."""
        with translated_errors():
            connection = await asyncpg.connect(self.dsn)
            try:
                await _prepare(connection)
                yield connection
            finally:
                await connection.close()

    async def fetch(self, query: str, *args: object) -> list[Row]:
        """The rows of one statement, in a transaction of its own."""
        return await self._retrying(lambda: self._pool.fetch(query, *args))

    async def fetch_one(self, query: str, *args: object) -> Row | None:
        """The first row of one statement, or None."""
        return await self._retrying(lambda: self._pool.fetchrow(query, *args))

    async def fetch_only(self, query: str, *args: object) -> Row:
        """The one row of a statement that always has one."""
        (row,) = await self.fetch(query, *args)
        return row

    async def fetch_value(self, query: str, *args: object) -> Any:  # noqa: ANN401 - the statement decides
        """The first value of the first row of one statement."""
        return await self._retrying(lambda: self._pool.fetchval(query, *args))

    async def _retrying(self, call: Callable[[], Awaitable[T]]) -> T:
        with translated_errors():
            for attempt in range(1, _TRIES):
                try:
                    return await call()
                except _RETRIED:
                    await asyncio.sleep(random.uniform(0, 0.02 * attempt))  # noqa: S311 - not a secret
            return await call()


class translated_errors:  # noqa: N801 - reads as a statement
    """Turn what the driver raises into errors of model/errors.py; CancelledError always passes."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _trace: object) -> None:
        if isinstance(error, asyncpg.PostgresError):
            if (ours := ERRORS_BY_SQLSTATE.get(error.sqlstate or "")) is not None:
                raise ours(error.args[0], path=error.detail) from error
            if isinstance(error, asyncpg.IntegrityConstraintViolationError) and error.table_name in _OUR_BOOKS:
                raise BrokenRuleError(str(error), path=error.constraint_name) from error
            if isinstance(error, _INVALID):
                raise InvalidRequestError(str(error), path=getattr(error, "column_name", None)) from error
        if isinstance(error, asyncpg.DataError):
            raise InvalidRequestError(str(error)) from error
        if isinstance(error, _UNAVAILABLE):
            message = f"PostgreSQL went away: {error}"
            raise DatabaseUnavailableError(message) from error


def to_record(row: Row, kind: type[T]) -> T:
    """A row as a typed record, by the names of its columns; columns that the record does not have are left out."""
    return msgspec.convert(dict(row), kind, strict=False)


def to_records(rows: list[Row], kind: type[T]) -> list[T]:
    """Rows as typed records."""
    return msgspec.convert([dict(row) for row in rows], list[kind], strict=False)  # type: ignore[valid-type]
