"""Do to held phones what their holders do to them: touches, text and keys, each once at most and in order.

Every one needs what any touch needs, a live lease of the node, and besides that the session's job must be the one that has
the phone. What the phone did not do is said in the job's log, and not tried again. Text is never said: it may be a password.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from functools import partial
from typing import Final
from uuid import UUID

import msgspec

from corral.drivers.protocol import Phone
from corral.model.errors import ActionFailedError, CorralError, DeviceError, TouchForbiddenError
from corral.model.sessions import SessionInput
from corral.node.actions.commands import run_tool
from corral.node.actions.input_ import key_code, tap_point
from corral.node.actions.keyboard import press, type_text
from corral.node.actions.screen import Size, read_size
from corral.node.clock import Clock
from corral.node.fenced_phone import FencedPhone
from corral.node.held import HeldJob
from corral.telemetry import bound, logger
from corral.wire.sessions import Touch

_INPUT_S: Final = 20.0
_SIZE_IS_GOOD_FOR_S: Final = 5.0
_SWIPE_MS: Final = 300
_log = logger(__name__)


class TakeInputs:
    """The inputs of all sessions on this node's phones. `tell` writes a line into the log of a session's job."""

    def __init__(
        self,
        *,
        find: Callable[[UUID], HeldJob | None],
        phone: Callable[[str], Phone],
        may_touch: Callable[[UUID], bool],
        tell: Callable[[HeldJob, str], None],
        clock: Clock,
    ) -> None:
        self._find = find
        self._phone = phone
        self._may_touch = may_touch
        self._tell = tell
        self._clock = clock
        self._taken: dict[UUID, int] = {}
        self._queues: dict[UUID, asyncio.Queue[SessionInput]] = {}
        self._tasks: dict[UUID, asyncio.Task[None]] = {}

    @property
    def taken(self) -> dict[UUID, int]:
        """How far this node came with the inputs of each lease token."""
        return dict(self._taken)

    def take(self, inputs: Iterable[SessionInput]) -> None:
        """Do those that are new, one after the other for each phone."""
        for each in inputs:
            token = each.lease_token
            held = self._find(token)
            if held is None or not held.may_be_used or each.seq <= self._taken.get(token, 0):
                continue
            self._taken[token] = each.seq
            if token not in self._tasks:
                self._queues[token] = asyncio.Queue()
                self._tasks[token] = asyncio.create_task(self._serve(held, self._queues[token]))
                self._tasks[token].add_done_callback(partial(self._ended, token))
            self._queues[token].put_nowait(each)

    def stop(self) -> None:
        """Touch nothing any more."""
        for task in self._tasks.values():
            task.cancel()

    def _ended(self, token: UUID, _task: asyncio.Task[None]) -> None:
        del self._tasks[token], self._queues[token]
        self._taken.pop(token, None)

    async def _serve(self, held: HeldJob, queue: asyncio.Queue[SessionInput]) -> None:
        """Until the job no longer has the phone; what is under way then is cut off."""
        with bound(run_id=str(held.grant.run_id), device_serial=held.grant.serial):
            work = asyncio.create_task(self._work(held, queue))
            over = asyncio.create_task(held.over.wait())
            try:
                await asyncio.wait({work, over}, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for task in (work, over):
                    task.cancel()
                await asyncio.wait({work, over})

    async def _work(self, held: HeldJob, queue: asyncio.Queue[SessionInput]) -> None:
        serial = held.grant.serial
        phone = FencedPhone(
            lambda: self._phone(serial), lambda: self._may_touch(held.grant.lease_token) and held.may_be_used
        )
        screen = _Screen(phone, self._clock)
        while True:
            each = await queue.get()
            try:
                async with asyncio.timeout(_INPUT_S):
                    await _perform(phone, screen, msgspec.convert(each.input, Touch))
            except (DeviceError, ActionFailedError, TimeoutError, msgspec.ValidationError) as error:
                why = error.message if isinstance(error, CorralError) else str(error) or f"not done in {_INPUT_S:g} s"
                self._tell(held, f"an input was not done: {why}")
            except TouchForbiddenError as error:
                _log.info("an input is dropped", why=error.message)
            except Exception:  # noqa: BLE001 - a driver of somebody else's: its defect costs this input alone
                _log.exception("an input broke")


class _Screen:
    """How large a phone's screen is, asked again now and then because it may be turned."""

    def __init__(self, phone: Phone, clock: Clock) -> None:
        self._phone = phone
        self._clock = clock
        self._size: Size | None = None
        self._read_at = 0.0

    async def check(self, x: int, y: int) -> None:
        """Raise ActionFailedError for a point that is not on it."""
        size = self._size
        if size is None or self._clock() - self._read_at > _SIZE_IS_GOOD_FOR_S:
            size = self._size = await read_size(self._phone)
            self._read_at = self._clock()
        if x >= size.width or y >= size.height:
            self._size = None  # it may have been turned since
            raise ActionFailedError(f"{x}, {y} is beyond the screen of {size.width} x {size.height}")


async def _perform(phone: Phone, screen: _Screen, touch: Touch) -> None:
    if touch.kind == "text":
        await type_text(phone, touch.text or "")
    elif touch.kind == "key":
        await press(phone, key_code(touch.key or ""))
    else:
        x, y = touch.x or 0, touch.y or 0
        await screen.check(x, y)
        if touch.kind == "tap":
            await tap_point(phone, x, y)
            return
        to_x, to_y = touch.to_x or 0, touch.to_y or 0
        await screen.check(to_x, to_y)
        ends = (str(each) for each in (x, y, to_x, to_y, touch.duration_ms or _SWIPE_MS))
        await run_tool(phone, "input", "swipe", *ends)
