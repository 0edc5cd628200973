"""What a node makes of being refused."""

import asyncio

import pytest

from corral.model.errors import RequestRefusedError, StaleEpochError, UnknownNodeError
from corral.node.standing import Standing
from tests.node.test_leases import Hand


class Desk:
    """A node whose registrations a test lets through."""

    def __init__(self) -> None:
        self.clock = Hand()
        self.standing = Standing(clock=self.clock, on_forgotten=self._register, on_replaced=self._replaced)
        self.asked = self.registered = self.replaced = 0
        self.may_register = asyncio.Event()

    async def _register(self) -> None:
        self.asked += 1
        await self.may_register.wait()
        self.clock.now += 1
        self.registered += 1
        self.standing.registered()

    def _replaced(self) -> None:
        self.replaced += 1


class Asker:
    """Something that asks for work: each asking ends as the test says."""

    def __init__(self) -> None:
        self.times = 0
        self._ends: asyncio.Queue[Exception] = asyncio.Queue()

    async def ask(self) -> None:
        self.times += 1
        raise await self._ends.get()

    def end(self, error: Exception) -> None:
        self._ends.put_nowait(error)


async def settle() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


async def test_what_several_requests_are_told_at_once_is_answered_once() -> None:
    desk, pulls, claims = Desk(), Asker(), Asker()
    desk.standing.registered()
    async with asyncio.TaskGroup() as group:
        tasks = [
            group.create_task(each)
            for each in (desk.standing.ask(pulls.ask), desk.standing.ask(claims.ask), desk.standing.run())
        ]
        await settle()
        beat_sent_at = desk.clock.now
        pulls.end(UnknownNodeError("who?"))
        await settle()
        claims.end(UnknownNodeError("who?"))  # while it registers
        await settle()
        assert (desk.asked, desk.registered, pulls.times, claims.times) == (1, 0, 1, 1)

        desk.may_register.set()
        await settle()
        desk.standing.refused(UnknownNodeError("who?"), beat_sent_at)  # an answer that took long
        await settle()

        assert (desk.registered, pulls.times, claims.times) == (1, 2, 2)
        for task in tasks:
            task.cancel()


async def test_an_answer_from_before_the_registration_does_not_end_the_node() -> None:
    desk, pulls = Desk(), Asker()
    desk.may_register.set()
    desk.standing.registered()
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(each) for each in (desk.standing.ask(pulls.ask), desk.standing.run())]
        await settle()
        desk.standing.refused(UnknownNodeError("who?"), desk.clock.now)
        await settle()
        pulls.end(StaleEpochError("an epoch of the farm that is gone"))
        await settle()

        assert (desk.registered, desk.replaced, pulls.times) == (1, 0, 2)
        for task in tasks:
            task.cancel()


async def test_a_node_that_is_forgotten_again_registers_again() -> None:
    desk, pulls = Desk(), Asker()
    desk.may_register.set()
    desk.standing.registered()
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(each) for each in (desk.standing.ask(pulls.ask), desk.standing.run())]
        for _ in range(3):
            await settle()
            pulls.end(UnknownNodeError("who?"))
        await settle()

        assert (desk.registered, pulls.times) == (3, 4)
        for task in tasks:
            task.cancel()


async def test_a_replaced_node_goes_and_one_whose_beat_is_refused_otherwise_stays() -> None:
    desk = Desk()
    desk.standing.registered()
    desk.standing.refused(RequestRefusedError("no", status=400, code="invalid_request"), desk.clock.now)
    desk.standing.refused(StaleEpochError("a newer agent"), desk.clock.now)

    with pytest.raises(StaleEpochError, match="a newer agent"):
        await desk.standing.run()

    assert (desk.registered, desk.replaced) == (0, 1)
