from collections.abc import AsyncIterator, Iterator

import pytest

from corral.simulator import Fleet
from tests.simulator.adb import Adb, AdbPhone


@pytest.fixture(scope="session")
def adb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Adb]:
    server = Adb(tmp_path_factory.mktemp("adb"))
    server.start()
    yield server
    server.stop()


@pytest.fixture
async def fleet() -> AsyncIterator[Fleet]:
    async with Fleet(2, seed=7, control_port=0) as running:
        yield running


@pytest.fixture
async def phone(fleet: Fleet, adb: Adb) -> AsyncIterator[AdbPhone]:
    """The first phone of the fleet, connected."""
    connected = AdbPhone(adb, fleet.addresses[0])
    said = await adb("connect", connected.address)
    assert said.text.startswith("connected to"), said
    yield connected
    await adb("disconnect", connected.address)
