"""One LISTEN connection per process, which comes back after PostgreSQL was away.

What was announced while it was away is unknown, so coming back counts as news for everybody.
"""

import asyncio
import contextlib
from typing import Final

import asyncpg

from corral.engine.announce import CHANNEL, EVERYBODY, Hearer, decode
from corral.engine.database import Row
from corral.telemetry import logger

_FIRST_PAUSE_S: Final = 0.1
_LONGEST_PAUSE_S: Final = 2.0
_CONNECT_TIMEOUT_S: Final = 10.0
_PING_EVERY_S: Final = 10.0
_log = logger(__name__)


class Listener:
    """Hears what other processes announce. `run` it as a task; cancel it to stop."""

    def __init__(self, dsn: str, *, sender: str, hear: Hearer) -> None:
        self._dsn = dsn
        self._sender = sender
        self._hear = hear
        self._lost = asyncio.Event()
        self.is_listening = asyncio.Event()

    async def run(self) -> None:
        """Listen for ever."""
        pause_s = _FIRST_PAUSE_S
        while True:
            try:
                await self._listen()
            except Exception as error:  # noqa: BLE001 - the top of a loop: whatever happens, listen again
                _log.warning("not listening", error=str(error))
            if self.is_listening.is_set():
                self.is_listening.clear()
                pause_s = _FIRST_PAUSE_S
            await asyncio.sleep(pause_s)
            pause_s = min(pause_s * 2, _LONGEST_PAUSE_S)

    async def _listen(self) -> None:
        """Return or raise when the connection is lost."""
        connection: asyncpg.Connection[Row] = await asyncpg.connect(
            self._dsn, timeout=_CONNECT_TIMEOUT_S, server_settings={"application_name": "corral listener"}
        )
        try:
            self._lost.clear()
            connection.add_termination_listener(lambda _connection: self._lost.set())
            await connection.add_listener(CHANNEL, self._receive)
            self.is_listening.set()
            self._hear([EVERYBODY])
            while not self._lost.is_set():
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._lost.wait(), _PING_EVERY_S)
                    return
                # A peer that vanished without a word is only noticed by asking.
                await connection.execute("select 1", timeout=_CONNECT_TIMEOUT_S)
        finally:
            connection.terminate()

    def _receive(self, _connection: object, _pid: int, _channel: str, payload: object) -> None:
        sender, nodes = decode(str(payload))
        if sender != self._sender:
            self._hear(nodes)
