"""A phone without a network, for tests of what is on it."""

import asyncio
from typing import NamedTuple

from corral.simulator import Fleet
from corral.simulator.clock import ManualClock
from corral.simulator.phone.phone import Phone
from corral.simulator.scenario.model import Fault, Scenario, Setup
from corral.simulator.shell.streams import Captured


class Printed(NamedTuple):
    status: int
    out: str
    err: str


def make_fleet(
    devices: int = 1, *faults: Fault, seed: int = 7, setup: Setup | None = None, clock: ManualClock | None = None
) -> Fleet:
    """Phones that are not listening; their time stands still."""
    scenario = Scenario(name="test", setup=setup or Setup(), faults=faults)  # type: ignore[arg-type] # all are of the union
    return Fleet(devices, seed=seed, scenario=scenario, clock=clock or ManualClock())


def make_phone(*faults: Fault, setup: Setup | None = None, clock: ManualClock | None = None) -> Phone:
    return make_fleet(1, *faults, setup=setup, clock=clock).phones[0]


async def sh(phone: Phone, line: str, stdin: bytes = b"", connection: str = "test") -> Printed:
    io = Captured(stdin)
    status = await phone.run(line, io, connection=connection)
    return Printed(status, bytes(io.stdout).decode(errors="replace"), bytes(io.stderr).decode(errors="replace"))


class HurriedClock(ManualClock):
    """Time that flies: whatever is waited for has come."""

    async def sleep(self, seconds: float) -> None:
        self._now += max(0.0, min(seconds, 3600.0))
        await asyncio.sleep(0)
