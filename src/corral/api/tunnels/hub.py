"""The tunnels whose holders' ends are at this process: each waits for its node's end, and is cut when its session is over.

Whether it is over is asked of the database about once a second and whenever its node has news, such as a cancel. The time
at which the session ends by itself is kept here besides, and counts where the database does not answer.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Final
from uuid import UUID, uuid4

from corral.api.tunnels.ends import GOING_AWAY, OVER, End, EndClosedError
from corral.config import Secret
from corral.engine import Engine
from corral.engine.announce import EVERYBODY
from corral.model.errors import CorralError
from corral.model.tunnels import OpenedTunnel
from corral.telemetry import logger

LOOK_EVERY_S: Final = 1.0
_PAUSE_S: Final = 0.02
"""Between two looks, however much is announced."""

_SECRET_BYTES: Final = 32
_log = logger(__name__)


class Waiting:
    """One holder's end. `over` is done when the tunnel must be cut, and says why."""

    def __init__(self, tunnel: OpenedTunnel, secret: Secret) -> None:
        loop = asyncio.get_running_loop()
        self.tunnel = tunnel
        self.secret = secret
        self.ends_at = time.monotonic() + tunnel.left_s
        self.node_end: asyncio.Future[End] = loop.create_future()
        self.over: asyncio.Future[EndClosedError] = loop.create_future()
        self.left = asyncio.Event()
        """The holder's end is gone, and with it whatever was brought here."""

    def bring(self, end: End) -> bool:
        """The node's end has arrived; whether anybody takes it."""
        if self.node_end.done() or self.left.is_set():
            return False
        self.node_end.set_result(end)
        return True

    def cut(self, code: int, reason: str) -> None:
        if not self.over.done():
            self.over.set_result(EndClosedError(code, reason))


class TunnelHub:
    """The registry of one process. `watch` is to run as a task."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._waiting: dict[UUID, Waiting] = {}
        self._news = asyncio.Event()
        self._is_closed = False
        self.server_id = uuid4()

    def __len__(self) -> int:
        return len(self._waiting)

    @property
    def is_closed(self) -> bool:
        return self._is_closed

    @staticmethod
    def make_secret() -> Secret:
        """What another process must show to hand over a tunnel's other end."""
        return Secret(secrets.token_urlsafe(_SECRET_BYTES))

    @contextmanager
    def holding(self, tunnel: OpenedTunnel, secret: Secret) -> Iterator[Waiting]:
        """Be found by the node's end for the length of a block."""
        waiting = self._waiting[tunnel.tunnel_id] = Waiting(tunnel, secret)
        try:
            yield waiting
        finally:
            del self._waiting[tunnel.tunnel_id]
            waiting.left.set()

    def find(self, tunnel_id: UUID) -> Waiting | None:
        return self._waiting.get(tunnel_id)

    def hear(self, names: Collection[str]) -> None:
        """Look at once, if a node with a tunnel of ours has news: its phone may have been released."""
        if EVERYBODY in names or any(each.tunnel.node_id in names for each in self._waiting.values()):
            self._news.set()

    def close(self) -> None:
        """Cut everything: the process is about to stop."""
        self._is_closed = True
        for waiting in self._waiting.values():
            waiting.cut(GOING_AWAY, "the server stops: connect again")

    async def watch(self) -> None:
        """Cut what is over, for ever."""
        while True:
            await asyncio.sleep(_PAUSE_S)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self._next_look_s()):
                    await self._news.wait()
            self._news.clear()
            if self._waiting:
                try:
                    await self._review()
                except Exception as error:  # noqa: BLE001 - the top of a loop: whatever happens, look again
                    _log.warning("could not look after tunnels", error=str(error))
            await self._cut_expired()

    def _next_look_s(self) -> float:
        now = time.monotonic()
        return max(0.0, min([LOOK_EVERY_S, *(each.ends_at - now for each in self._waiting.values())]))

    async def _review(self) -> None:
        began = time.monotonic()
        for review in await self._engine.tunnels.review_tunnels(self._waiting):
            waiting = self._waiting.get(review.tunnel_id)
            if waiting is None:
                continue
            waiting.ends_at = began + review.left_s
            if review.over is not None:
                waiting.cut(OVER, review.over)

    async def _cut_expired(self) -> None:
        now = time.monotonic()
        expired = [each for each in self._waiting.values() if each.ends_at <= now]
        for waiting in expired:
            waiting.cut(OVER, "the session has expired")
        # Not left to upkeep: the phone's node should hear of it now.
        for session_id in {each.tunnel.session_id for each in expired}:
            with contextlib.suppress(CorralError):
                await self._engine.reservations.expire_session(session_id)
