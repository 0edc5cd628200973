"""One leader among all server processes: whoever holds a session-level advisory lock.

The lock lives on a connection of its own, so PostgreSQL gives it up the moment that its holder dies.
"""

import asyncio
from typing import Final, Self

import asyncpg

from corral.engine.database import Row, translated_errors

_LOCK: Final = 0x636F7272616D  # beside the one that migrating takes
_TIMEOUT_S: Final = 10.0


class Leadership:
    """A candidacy: `try_to_lead` until it says yes, then `confirm` before relying on it."""

    def __init__(self, dsn: str) -> None:
        self._dsn = dsn
        self._connection: asyncpg.Connection[Row] | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.resign()

    async def try_to_lead(self) -> bool:
        """Whether this process leads now. Raises DatabaseUnavailableError."""
        with translated_errors():
            try:
                if self._connection is None or self._connection.is_closed():
                    self._connection = await asyncpg.connect(
                        self._dsn, timeout=_TIMEOUT_S, server_settings={"application_name": "corral upkeep"}
                    )
                held: bool = await self._connection.fetchval(
                    "select pg_try_advisory_lock($1)", _LOCK, timeout=_TIMEOUT_S
                )
            except BaseException:
                self.resign()
                raise
        return held

    async def lost(self) -> None:
        """Return when the lock can no longer be relied upon."""
        while self._connection is not None and not self._connection.is_closed():
            await asyncio.sleep(1.0)
            try:
                await self._connection.execute("select 1", timeout=_TIMEOUT_S)
            except (OSError, TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError):
                return

    def resign(self) -> None:
        """Let another one lead."""
        if self._connection is not None:
            self._connection.terminate()
            self._connection = None
