"""One stream of a bridge: a service on the phone and whoever asked for it, one unacknowledged message each way.

What is not taken on one side is not read on the other, so a slow reader costs one message of memory.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import Final

from corral.drivers.adb.connection import Connection
from corral.drivers.adb.packets import OKAY, WRTE, Packet, ProtocolError
from corral.drivers.fence import check_touch
from corral.model.errors import DeviceError, TouchForbiddenError

_MAX_UNREAD: Final = 4
"""A peer sends one message and waits for its acknowledgement; some slack, then it is no adb."""

_FAREWELL_S: Final = 10.0
"""For how long a service may go on with what it was sent, once its caller has closed."""

Send = Callable[[Packet], Awaitable[None]]


class Stream:
    """Carries one service until either side closes it. The bridge tells it what arrives."""

    def __init__(
        self, *, local_id: int, remote_id: int, max_payload: int, send: Send, may_touch: Callable[[], bool]
    ) -> None:
        self.local_id = local_id
        self.remote_id = remote_id
        self._max_payload = max_payload
        self._send = send
        self._may_touch = may_touch
        self._incoming: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._acknowledged = asyncio.Event()
        self._acknowledged.set()
        self._is_closed = False

    def on_write(self, data: bytes) -> None:
        if self._incoming.qsize() >= _MAX_UNREAD:
            raise ProtocolError("more messages than were acknowledged")
        self._incoming.put_nowait(data)

    def on_okay(self) -> None:
        self._acknowledged.set()

    def on_close(self) -> None:
        """The caller is gone: what it sent before still goes to the phone."""
        if not self._is_closed:
            self._is_closed = True
            self._acknowledged.set()
            self._incoming.put_nowait(None)

    async def carry(self, service: Connection) -> None:
        """Until one side closes. Raises TouchForbiddenError once the phone may not be touched any more."""
        upward = asyncio.create_task(self._to_caller(service))
        downward = asyncio.create_task(self._to_phone(service))
        try:
            # The end of what the phone says is the end; that of what it is told is not, but for the farewell.
            await asyncio.wait({upward, downward}, return_when=asyncio.FIRST_COMPLETED)
            if not upward.done() and downward.exception() is None:
                await asyncio.wait({upward}, timeout=_FAREWELL_S)
        finally:
            tasks = [upward, downward]
            for task in tasks:
                task.cancel()
            results = await asyncio.gather(*tasks, return_exceptions=True)
        for result in results:
            if isinstance(result, TouchForbiddenError | ConnectionError):
                raise result

    async def _to_caller(self, service: Connection) -> None:
        with contextlib.suppress(DeviceError):  # the phone went away: to the caller the stream has ended
            while chunk := await service.read(self._max_payload):
                await self._acknowledged.wait()
                if not self._is_closed:
                    self._acknowledged.clear()
                    await self._send(Packet(WRTE, self.local_id, self.remote_id, chunk))
        # A stream that is closed before its last message was taken may lose it.
        await self._acknowledged.wait()

    async def _to_phone(self, service: Connection) -> None:
        while (data := await self._incoming.get()) is not None:
            check_touch(self._may_touch)
            try:
                await service.send(data)
            except DeviceError:
                return
            if not self._is_closed:
                await self._send(Packet(OKAY, self.local_id, self.remote_id))
        service.end_input()
