"""Two simulated phones on a node's adb server, a bridge to the first, and a person's own adb."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest

from corral.drivers.adb.bridge import bridge_port, reach_by_adb
from corral.simulator import Fleet
from tests.drivers.conformance.rig import Rig, adb_rig
from tests.simulator.adb import Adb, AdbPhone


class Lease:
    """Whether the phone may be touched."""

    is_live = True


@pytest.fixture(scope="session")
def adb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Adb]:
    """The adb of whoever is at the other end of the bridge, with a server of its own."""
    server = Adb(tmp_path_factory.mktemp("person"))
    server.start()
    yield server
    server.stop()


@pytest.fixture
async def rig(adb_port: int, adb_environment: dict[str, str]) -> AsyncIterator[Rig]:
    async with Fleet(2, seed=7) as fleet, adb_rig(fleet, port=adb_port, environment=adb_environment) as made:
        await made.attach()
        yield made


@pytest.fixture
def lease() -> Lease:
    return Lease()


@pytest.fixture
async def port(rig: Rig, lease: Lease) -> AsyncIterator[int]:
    """Where the bridge to the first phone listens."""
    async with bridge_port(reach=lambda: reach_by_adb(rig.phone(0)), may_touch=lambda: lease.is_live) as port:
        yield port


@pytest.fixture
async def bridged(adb: Adb, port: int) -> AsyncIterator[AdbPhone]:
    """The person's adb, connected to the bridge."""
    phone = AdbPhone(adb, f"127.0.0.1:{port}")
    said = await adb("connect", phone.address)
    assert said.text.startswith("connected to"), said
    yield phone
    await adb("disconnect", phone.address)
