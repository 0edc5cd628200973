"""Credentials that this process has seen: a look into a dictionary, not into the database.

What is remembered counts only while the version of all credentials was confirmed within the last seconds: by an
announcement of a change at once, otherwise by a look every second. A right that was taken away therefore ends within
a second or so, and after five at most if neither arrives: then the database is asked.
"""

import asyncio
import math
import time
from collections.abc import Awaitable, Callable, Collection
from typing import Final
from uuid import UUID

from corral.engine import Engine
from corral.engine.announce import CREDENTIALS, EVERYBODY
from corral.model.credentials import Found
from corral.telemetry import logger

LOOK_EVERY_S: Final = 1.0
TRUSTED_FOR_S: Final = 5.0
_WRITE_EVERY_S: Final = 60.0
_log = logger(__name__)


class KnownCredentials:
    """The memory. `look` is to run as a task."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._known: dict[bytes, tuple[Found, float]] = {}
        self._version = -1
        self._confirmed_at = -math.inf
        self._heard_at = -math.inf
        self._used: set[str | UUID] = set()
        self._written_at: dict[str | UUID, float] = {}

    async def find_node_token(self, digest: bytes) -> Found | None:
        """What a node's own token proves. Raises DatabaseUnavailableError."""
        return await self._find(digest, self._engine.credentials.find_node_token)

    async def find_operator(self, digest: bytes) -> Found | None:
        """What a named operator's token proves. Raises DatabaseUnavailableError."""
        return await self._find(digest, self._engine.credentials.find_operator)

    async def find_session(self, digest: bytes) -> Found | None:
        """Whose session it is. The caller must check its proof. Raises DatabaseUnavailableError."""
        return await self._find(digest, self._engine.credentials.find_session)

    def hear(self, names: Collection[str]) -> None:
        """Trust nothing that was read before now, if that is what is announced."""
        if CREDENTIALS in names or EVERYBODY in names:
            self._confirmed_at, self._heard_at = -math.inf, time.monotonic()

    async def look(self) -> None:
        """Confirm what is remembered and write down what was used, once a second, for ever."""
        while True:
            await asyncio.sleep(LOOK_EVERY_S)
            try:
                await self.look_once()
            except Exception as error:  # noqa: BLE001 - the top of a loop: whatever happens, look again
                _log.warning("could not look after credentials", error=str(error))

    async def look_once(self) -> None:
        """Raises DatabaseUnavailableError."""
        if self._known:
            began = time.monotonic()
            self._confirm(await self._engine.credentials.get_credential_version(), began)
        await self._write_uses()

    async def _find(self, digest: bytes, ask: Callable[[bytes], Awaitable[Found]]) -> Found | None:
        now = time.monotonic()
        found, ends_at = self._known.get(digest, (None, 0.0))
        if found is None or now > ends_at or now > self._confirmed_at + TRUSTED_FOR_S:
            found = await ask(digest)
            is_newest = self._confirm(found.version, now)
            self._known.pop(digest, None)
            if found.name is None and found.node_id is None:
                return None
            if is_newest:
                self._known[digest] = (found, math.inf if found.left_s is None else now + found.left_s)
        self._used.add(found.token_id or found.name or "")
        return found

    def _confirm(self, version: int, began: float) -> bool:
        """Note what was read in a look that began then; say whether it is the newest that is known."""
        if version > self._version:
            self._known.clear()
            self._version = version
        # A look that began before a change was heard of may have seen the time before it.
        if version == self._version and began >= self._heard_at:
            self._confirmed_at = max(self._confirmed_at, began)
        return version == self._version

    async def _write_uses(self) -> None:
        now = time.monotonic()
        due = [each for each in self._used if now >= self._written_at.get(each, -math.inf) + _WRITE_EVERY_S]
        self._used.clear()
        if due:
            self._written_at |= dict.fromkeys(due, now)
            await self._engine.credentials.touch_credentials(
                [each for each in due if isinstance(each, UUID)], [each for each in due if isinstance(each, str)]
            )
