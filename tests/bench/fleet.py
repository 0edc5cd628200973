"""What the simulator promises: a thousand phones on a small machine."""

import asyncio
from collections.abc import Sequence

from corral.drivers.adb.driver import AdbDriver
from corral.model.states import Connection
from tests.bench.processes import memory_mb
from tests.bench.rack import rack
from tests.bench.report import Check
from tests.drivers.conftest import kill

PHONES = 1_000
MOST_MB = 1_000
AT_ONCE = 16
AT_ONE_SERVER = 250
"""One adb server ends itself at nine hundred and some phones over TCP."""


async def check_fleet() -> Check:
    """Connect the real adb to every phone, take a picture of each, and look at the simulator's memory."""
    async with rack(PHONES) as (simulator, adb_port, environment, _):
        for first in range(0, PHONES, AT_ONE_SERVER):
            driver = AdbDriver(port=adb_port, environment=environment)
            await _look_at(driver, simulator.addresses[first : first + AT_ONE_SERVER])
            await driver.aclose()
            await kill(adb_port)
        megabytes = memory_mb(simulator.process.pid)
    return Check(
        name=f"memory of {PHONES:,} simulated phones, each connected and photographed",
        found=f"{megabytes:.0f} MB",
        target=f"< {MOST_MB:,} MB",
        is_kept=megabytes < MOST_MB,
    )


async def _look_at(driver: AdbDriver, addresses: Sequence[str]) -> None:
    failed = await driver.discover(addresses)
    if failed:
        raise RuntimeError(f"{len(failed)} phones could not be connected, such as: {failed[0]}")
    async for sightings in driver.watch():
        if sum(sighting.connection is Connection.CONNECTED for sighting in sightings) == len(addresses):
            break
    budget = asyncio.Semaphore(AT_ONCE)

    async def look(address: str) -> None:
        async with budget:
            await driver.phone(address).screenshot()

    await asyncio.gather(*(look(address) for address in addresses))
