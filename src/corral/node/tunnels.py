"""Open the node's ends of tunnels to phones that somebody holds, and be those phones on them.

A tunnel lives under the job that holds the phone, and no longer: when that job is told to stop or ends, when the node may
not touch phones, when either end is gone, everything that goes through it is cut.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from contextlib import AbstractAsyncContextManager
from typing import Final, Protocol
from uuid import UUID

from corral.drivers.adb.bridge import Line, reach_by_adb, serve_bridge
from corral.drivers.protocol import Phone
from corral.model.errors import CorralError, DeviceError, NodeError, ServerUnavailableError, TouchForbiddenError
from corral.model.tunnels import Tunnel
from corral.node.backoff import Backoff
from corral.node.clock import Clock
from corral.node.held import HeldJob
from corral.telemetry import bound, logger

_KNOWN_FOR_S: Final = 120.0
"""Longer than a server names a tunnel: each is opened once."""

_TRIES: Final = 4
_MOST: Final = 256
_log = logger(__name__)


class ClosableLine(Line, Protocol):
    """A line that can be closed with a word on why."""

    async def close(self, reason: str = "") -> None: ...


class Way(Protocol):
    """The way to the server."""

    def tunnel(self, tunnel_id: UUID, /) -> AbstractAsyncContextManager[ClosableLine]: ...


class OpenTunnels:
    """The node's ends. `find` gives the job of a lease token while it may go on."""

    def __init__(
        self,
        way: Way,
        *,
        find: Callable[[UUID], HeldJob | None],
        phone: Callable[[str], Phone],
        may_touch: Callable[[UUID], bool],
        clock: Clock,
    ) -> None:
        self._way = way
        self._find = find
        self._phone = phone
        self._may_touch = may_touch
        self._clock = clock
        self._heard: dict[UUID, float] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def known(self) -> frozenset[UUID]:
        """The tunnels that were heard of lately."""
        return frozenset(self._heard)

    def take(self, tunnels: Iterable[Tunnel]) -> None:
        """Open those that are new."""
        now = self._clock()
        self._heard = {each: at for each, at in self._heard.items() if at + _KNOWN_FOR_S > now}
        for tunnel in tunnels:
            if tunnel.tunnel_id in self._heard:
                continue
            self._heard[tunnel.tunnel_id] = now
            if len(self._tasks) < _MOST:
                task = asyncio.create_task(self._serve(tunnel))
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)

    def stop(self) -> None:
        """Cut everything."""
        for task in self._tasks:
            task.cancel()

    async def _serve(self, tunnel: Tunnel) -> None:
        """One tunnel, until it or the job that it belongs to is over."""
        held = self._find(tunnel.lease_token)
        if held is None or not held.may_be_used:
            _log.info("a tunnel belongs to a job that is not held here", tunnel_id=str(tunnel.tunnel_id))
            return
        with bound(run_id=str(held.grant.run_id), device_serial=held.grant.serial):
            try:
                await self._open(tunnel.tunnel_id, held)
            except (NodeError, CorralError) as error:
                _log.info("a tunnel was not opened", why=error.message)
            except Exception:  # noqa: BLE001 - a driver of somebody else's: its defect costs this tunnel alone
                _log.exception("a tunnel broke")

    async def _open(self, tunnel_id: UUID, held: HeldJob) -> None:
        backoff = Backoff(most_s=2.0)
        for is_last in (*(False,) * (_TRIES - 1), True):
            try:
                async with self._way.tunnel(tunnel_id) as line:
                    await line.close(await self._carry(line, held))
                break
            except ServerUnavailableError:
                if is_last or held.over.is_set():
                    raise
                await asyncio.sleep(backoff.next_s())

    async def _carry(self, line: Line, held: HeldJob) -> str:
        """Be the phone on the line; what to say at its end."""
        bridging = asyncio.create_task(
            serve_bridge(
                line,
                reach=lambda: reach_by_adb(self._phone(held.grant.serial)),
                may_touch=lambda: self._may_touch(held.grant.lease_token) and held.may_be_used,
            )
        )
        over = asyncio.create_task(held.over.wait())
        _log.info("somebody uses the phone's adb")
        try:
            await asyncio.wait({bridging, over}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (bridging, over):
                task.cancel()
            await asyncio.wait({bridging, over})
        _log.info("the phone's adb is no longer used")
        if held.over.is_set() or bridging.cancelled():
            return "the session has ended"
        error = bridging.exception()
        if isinstance(error, DeviceError | TouchForbiddenError):
            return error.message
        if error is not None:
            raise error
        return ""
