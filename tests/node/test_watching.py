"""Screens are shown while somebody looks, under a live lease, and a failure is told as one."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Self, cast
from uuid import UUID, uuid4

import pytest

from corral.drivers.protocol import Phone
from corral.model.errors import DeviceOfflineError, ServerUnavailableError
from corral.model.records import Watch
from corral.node.watching import ShowScreens
from corral.wire.nodes import MOST_PICTURE_BYTES

PICTURE = b"\x89PNG\r\n\x1a\nscreen"


class Stage:
    """A phone, its lease, and somebody who looks; each picture waits for `next_answer`."""

    def __init__(self) -> None:
        self.device_id = uuid4()
        self.shown: asyncio.Queue[bytes | str] = asyncio.Queue()
        self.answers: asyncio.Queue[float | Exception] = asyncio.Queue()
        self.picture: bytes | Exception = PICTURE
        self.now = 0.0
        self.is_live = True
        self.taken = 0
        self.takes_s = 0.0
        self.held: set[str] = set()
        self.ended = asyncio.Event()
        self.screens = ShowScreens(
            self,
            phone=lambda _serial: cast("Phone", self),
            is_held=lambda serial: serial in self.held,
            may_touch=lambda: self.is_live,
            epoch=lambda: 7,
            clock=lambda: self.now,
            on_end=self.ended.set,
            every_s=0,
        )

    def under(self, _may_touch: Callable[[], bool], /) -> Self:
        return self

    async def screenshot(self) -> bytes:
        self.taken += 1
        self.now += self.takes_s
        if isinstance(self.picture, Exception):
            raise self.picture
        return self.picture

    async def show(self, device_id: UUID, picture: bytes, *, epoch: int) -> float:
        return await self._answer(device_id, picture, epoch)

    async def show_failure(self, device_id: UUID, message: str, *, epoch: int) -> float:
        return await self._answer(device_id, message, epoch)

    async def _answer(self, device_id: UUID, word: bytes | str, epoch: int) -> float:
        assert (device_id, epoch) == (self.device_id, 7)
        self.shown.put_nowait(word)
        answer = await self.answers.get()
        if isinstance(answer, Exception):
            raise answer
        return answer

    def look(self, for_s: float = 10) -> None:
        self.screens.take([Watch(device_id=self.device_id, serial="R58M1", for_s=for_s)])


@pytest.fixture
async def stage() -> AsyncIterator[Stage]:
    made = Stage()
    yield made
    made.screens.stop()


async def test_pictures_follow_one_another_until_nobody_looks(stage: Stage) -> None:
    stage.look()
    stage.look()
    assert stage.screens.watching == {stage.device_id}

    for left_s in (10, 9, 0):
        assert await stage.shown.get() == PICTURE
        stage.answers.put_nowait(left_s)
    await stage.ended.wait()

    assert (stage.taken, stage.screens.watching) == (3, frozenset())


async def test_a_phone_that_is_held_is_asked_again_as_soon_as_it_answered(stage: Stage) -> None:
    stage.takes_s = 1000.0  # another phone would be left alone for twice as long
    stage.held.add("R58M1")
    stage.look()

    for _ in range(3):
        assert await stage.shown.get() == PICTURE
        stage.answers.put_nowait(10)


async def test_a_failed_screenshot_is_told_with_its_reason(stage: Stage) -> None:
    stage.picture = DeviceOfflineError("R58M1 is offline", is_started=False)
    stage.look()

    assert await stage.shown.get() == "R58M1 is offline"


async def test_a_picture_that_is_too_large_is_told_to_be(stage: Stage) -> None:
    stage.picture = PICTURE + bytes(MOST_PICTURE_BYTES)
    stage.look()

    assert "more than are shown" in str(await stage.shown.get())


async def test_nothing_is_taken_without_a_live_lease(stage: Stage) -> None:
    stage.is_live = False
    stage.look()
    await stage.ended.wait()
    stage.is_live = True
    stage.look()
    await stage.shown.get()
    stage.is_live = False
    stage.answers.put_nowait(10)
    stage.ended.clear()
    await stage.ended.wait()

    assert stage.taken == 1


async def test_a_watch_ends_by_the_nodes_own_clock_when_no_answer_comes(stage: Stage) -> None:
    stage.look(for_s=5)
    await stage.shown.get()
    stage.now = 6.0
    stage.answers.put_nowait(ServerUnavailableError("away"))

    await stage.ended.wait()

    assert stage.taken == 1
