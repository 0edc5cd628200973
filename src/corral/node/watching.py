"""Show screens that somebody looks at: about a picture a second, and never in the way of work.

Reading a screen changes nothing on a phone, so it waits for no job and no job waits for it; but it needs what every
touch needs, a live lease of the node, and asks for it before each picture. At most a few pictures are taken at a time,
one per phone, and a phone that is slow is asked less often: two thirds of the time are the job's. A phone that somebody
holds has no other work: it is asked as often as it answers, up to a few times a second. The answer to each
picture says whether somebody still looks; a node that is cut off stops by its own clock.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from functools import partial
from typing import Final, Protocol
from uuid import UUID

from corral.drivers.protocol import Phone
from corral.model.errors import (
    CorralError,
    DeviceError,
    RequestRefusedError,
    ServerUnavailableError,
    StaleEpochError,
    TouchForbiddenError,
    UnknownNodeError,
)
from corral.model.records import Watch
from corral.node.clock import Clock
from corral.node.fenced_phone import FencedPhone
from corral.telemetry import bound, logger
from corral.wire.nodes import MOST_PICTURE_BYTES

EVERY_S: Final = 1.0
_HELD_EVERY_S: Final = 0.3
_AFTER_FAILURE_S: Final = 3.0
_PICTURE_S: Final = 8.0
_REST: Final = 2.0
"""How much longer than its picture took a phone is left alone."""

_AT_ONCE: Final = 2
_log = logger(__name__)


class Audience(Protocol):
    """Where pictures go; each answer says for how many seconds somebody still looks."""

    async def show(self, device_id: UUID, picture: bytes, /, *, epoch: int) -> float: ...

    async def show_failure(self, device_id: UUID, message: str, /, *, epoch: int) -> float: ...


class ShowScreens:
    """The screens that somebody looks at. `on_end` is called when one is no longer looked at."""

    def __init__(
        self,
        audience: Audience,
        *,
        phone: Callable[[str], Phone],
        is_held: Callable[[str], bool],
        may_touch: Callable[[], bool],
        epoch: Callable[[], int],
        clock: Clock,
        on_end: Callable[[], None],
        every_s: float = EVERY_S,
    ) -> None:
        self._audience = audience
        self._phone = phone
        self._is_held = is_held
        self._may_touch = may_touch
        self._epoch = epoch
        self._clock = clock
        self._on_end = on_end
        self._every_s = every_s
        self._at_once = asyncio.Semaphore(_AT_ONCE)
        self._tasks: dict[UUID, asyncio.Task[None]] = {}

    @property
    def watching(self) -> frozenset[UUID]:
        """The devices whose screens are shown now."""
        return frozenset(self._tasks)

    def take(self, watches: Iterable[Watch]) -> None:
        """Begin to show those that are new."""
        for watch in watches:
            if watch.device_id not in self._tasks:
                task = asyncio.create_task(self._show(watch))
                self._tasks[watch.device_id] = task
                task.add_done_callback(partial(self._ended, watch.device_id))

    def stop(self) -> None:
        """Show nothing any more."""
        for task in self._tasks.values():
            task.cancel()

    def _ended(self, device_id: UUID, _task: asyncio.Task[None]) -> None:
        del self._tasks[device_id]
        self._on_end()

    async def _show(self, watch: Watch) -> None:
        """Until nobody looks, or nobody answers for as long as somebody said to."""
        until = self._clock() + watch.for_s
        with bound(device_serial=watch.serial):
            _log.info("somebody looks at the screen")
            try:
                while self._clock() < until and self._may_touch():
                    started_at = self._clock()
                    left_s, rest_s = await self._picture(watch)
                    if left_s is not None:
                        until = self._clock() + left_s
                    every_s = min(self._every_s, _HELD_EVERY_S) if self._is_held(watch.serial) else self._every_s
                    pause_s = max(rest_s, started_at + every_s - self._clock())
                    await asyncio.sleep(max(0.0, min(pause_s, until - self._clock())))
            except (RequestRefusedError, StaleEpochError, UnknownNodeError, TouchForbiddenError) as error:
                _log.info("the screen is not shown any more", why=error.message)
            except Exception:  # noqa: BLE001 - a driver of somebody else's: its defect costs this watch alone
                _log.exception("showing a screen broke")

    async def _picture(self, watch: Watch) -> tuple[float | None, float]:
        """Take and send one; for how long somebody looks, if the server said so, and how long to leave the phone alone."""
        epoch = self._epoch()
        try:
            try:
                picture, took_s = await self._take(watch.serial)
            except (DeviceError, TimeoutError) as error:
                words = error.message if isinstance(error, CorralError) else f"no picture within {_PICTURE_S:g} s"
                return await self._audience.show_failure(watch.device_id, words, epoch=epoch), _AFTER_FAILURE_S
            rest_s = 0.0 if self._is_held(watch.serial) else took_s * _REST
            return await self._audience.show(watch.device_id, picture, epoch=epoch), rest_s
        except ServerUnavailableError:
            return None, _AFTER_FAILURE_S

    async def _take(self, serial: str) -> tuple[bytes, float]:
        async with self._at_once, asyncio.timeout(_PICTURE_S):
            started_at = self._clock()
            picture = await FencedPhone(lambda: self._phone(serial), self._may_touch).screenshot()
            took_s = self._clock() - started_at
        if len(picture) > MOST_PICTURE_BYTES:
            raise DeviceError(f"the picture has {len(picture)} bytes, more than are shown")
        return picture, took_s
