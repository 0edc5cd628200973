"""Twenty phones at once on two servers: no test is given to two live leases, and every test ends once."""

import asyncio
from collections.abc import AsyncIterator
from typing import Final

import pytest_asyncio

from corral.engine import Engine
from tests.engine.farm import Farm, SimulatedNode
from tests.engine.suites import Phone, cases, counts, given_phones, result

PHONES: Final = 20
DEADLY: Final = {3, 11, 17}
"""Phones that die with what they hold."""


@pytest_asyncio.fixture
async def other_farm(farm_dsn: str, farm: Farm) -> AsyncIterator[Farm]:
    """A second server process on the same database."""
    async with Engine.connect(farm_dsn, max_connections=8) as engine:
        yield Farm(engine)


class Floor:
    """Who holds what, as the phones see it: a test that somebody holds must not be given to anybody else."""

    def __init__(self) -> None:
        self.holders: dict[str, Phone] = {}
        self.faults: list[str] = []
        self.executed = 0

    def take(self, phone: Phone, name: str) -> None:
        if name in self.holders:
            self.faults.append(f"{name} was given to two")
        self.holders[name] = phone

    def let_go(self, phone: Phone) -> None:
        self.holders = {name: holder for name, holder in self.holders.items() if holder is not phone}


async def work(phone: Phone, floor: Floor, *, is_deadly: bool) -> None:
    """Claim and tell until nothing is left; a deadly phone dies in the middle of its second chunk."""
    chunks = 0
    while not (chunk := await phone.claim()).is_done:
        for each in chunk.tests:
            floor.take(phone, each.name)
        chunks += bool(chunk.tests)
        if is_deadly and chunks > 1 and chunk.tests:
            floor.let_go(phone)
            await phone.node.finish(phone.grant, outcome="failed", failure_reason="device_offline")
            return
        for each in chunk.tests:
            status = "failed" if each.try_ == 1 and each.name.endswith("7") else "passed"
            floor.holders.pop(each.name)
            floor.executed += 1
            await phone.tell(result(each.name, status, try_=each.try_))


async def test_twenty_phones_at_once_share_a_suite(farm: Farm, other_farm: Farm) -> None:
    run, phones = await given_phones(farm, PHONES)
    for phone in phones[::2]:  # half of the calls go through the other server
        phone.node = _through(other_farm, phone.node)
    offers = await asyncio.gather(*(phone.offer(cases(200), test_retries=1) for phone in phones))
    floor = Floor()

    await asyncio.gather(*(work(phone, floor, is_deadly=n in DEADLY) for n, phone in enumerate(phones)))

    assert [offered.is_first for offered in offers].count(True) == 1
    assert floor.faults == []
    assert floor.executed == 220
    assert await counts(farm, run) == {"total": 200, "passed": 200, "flaky": 20}
    assert await farm.value("select count(*) from corral.test_results where is_counted") == 220
    for phone in phones:
        await phone.node.finish(phone.grant)
    assert (await farm.run(run.run_id)).status == "completed_with_errors"


def _through(farm: Farm, node: SimulatedNode) -> SimulatedNode:
    return SimulatedNode(farm, node.node_id, epoch=node.epoch, state_id=node.state_id)
