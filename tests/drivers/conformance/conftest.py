"""Every test here runs on every driver: over the real adb server, and over the vendor's WebSocket."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import pytest

from corral.simulator import Fleet
from corral.simulator.scenario.model import Scenario, Setup
from tests.drivers.conformance.rig import Rig, adb_rig, vendor_rig

SETUP = Setup(boot_s=0.4)
Join = Callable[[Fleet], AbstractAsyncContextManager[Rig]]
MakeRig = Callable[..., AbstractAsyncContextManager[Rig]]


@pytest.fixture(params=["adb", "vendor"])
def join(request: pytest.FixtureRequest) -> Join:
    """What joins a fleet to the driver in question."""
    if request.param == "vendor":
        return vendor_rig
    # Asked for here, outside the event loop: the adb server is started and stopped in loops of its own.
    port: int = request.getfixturevalue("adb_port")
    environment: dict[str, str] = request.getfixturevalue("adb_environment")
    return lambda fleet: adb_rig(fleet, port=port, environment=environment)


@pytest.fixture
def make_rig(join: Join) -> MakeRig:
    """A maker of rigs with so many phones, attached. Fails if anything is left running."""

    @asynccontextmanager
    async def make(devices: int = 1, *, setup: Setup = SETUP) -> AsyncIterator[Rig]:
        before = asyncio.all_tasks()
        async with Fleet(devices, seed=7, scenario=Scenario(setup=setup)) as fleet, join(fleet) as rig:
            await rig.attach()
            yield rig
        await asyncio.sleep(0)
        gc.collect()  # an unclosed socket or a task that was lost complains now, which is an error
        left = asyncio.all_tasks() - before - {asyncio.current_task()}
        assert left == set()

    return make


@pytest.fixture
async def rig(make_rig: MakeRig) -> AsyncIterator[Rig]:
    """One phone."""
    async with make_rig() as made:
        yield made
