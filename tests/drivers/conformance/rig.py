"""A fleet of simulated phones and the driver under test, joined by what joins them in real life."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager
from typing import Final

from corral.drivers.adb.discover import disconnect
from corral.drivers.adb.driver import AdbDriver
from corral.drivers.adb.server import AdbServer
from corral.drivers.protocol import Driver, Phone, Sighting
from corral.drivers.vendor.driver import VendorDriver
from corral.model.states import Connection
from corral.simulator import Fleet
from corral.simulator.record import Entry

PATIENCE_S: Final = 60.0
_LOOK_S: Final = 0.02


class Rig:
    """What a test drives: phones are told by their number in the fleet, from 0."""

    def __init__(self, fleet: Fleet, driver: Driver) -> None:
        self.fleet = fleet
        self.driver = driver

    @property
    def is_adb(self) -> bool:
        """What the vendor's program cannot tell or carry, adb can: each such difference is named where it is tested."""
        return self.driver.name == "adb"

    def serial(self, number: int = 0) -> str:
        return self.fleet.phones[number].serial

    def phone(self, number: int = 0) -> Phone:
        return self.driver.phone(self.fleet.addresses[number])

    async def attach(self) -> None:
        """Have the driver look for all phones of the fleet."""
        await self.driver.discover(self.fleet.addresses)

    def commands(self, words: str) -> list[Entry]:
        """What the phones were told that contains these words."""
        return [entry for entry in self.fleet.record.entries if words in entry.line]


class Watching:
    """The latest sightings, and waiting for some."""

    def __init__(self) -> None:
        self.latest: dict[str, Sighting] = {}
        self._changed = asyncio.Condition()

    async def follow(self, driver: Driver) -> None:
        async with aclosing(driver.watch()) as watch:
            async for sightings in watch:
                async with self._changed:
                    self.latest = {sighting.serial: sighting for sighting in sightings}
                    self._changed.notify_all()

    async def until(self, is_so: Callable[[dict[str, Sighting]], bool]) -> dict[str, Sighting]:
        async with asyncio.timeout(PATIENCE_S), self._changed:
            await self._changed.wait_for(lambda: is_so(self.latest))
            return self.latest

    async def until_all_are_connected(self, rig: Rig) -> None:
        await self.until(lambda seen: all(is_connected(seen, phone.serial) for phone in rig.fleet.phones))


def is_connected(seen: dict[str, Sighting], serial: str) -> bool:
    return serial in seen and seen[serial].connection is Connection.CONNECTED


@asynccontextmanager
async def watching(rig: Rig) -> AsyncIterator[Watching]:
    """A watch in the background, begun with all phones connected."""
    watch = Watching()
    task = asyncio.create_task(watch.follow(rig.driver))
    try:
        await watch.until_all_are_connected(rig)
        yield watch
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def eventually(is_so: Callable[[], bool]) -> None:
    """Wait for something that the simulator gives no signal of."""
    async with asyncio.timeout(PATIENCE_S):
        while not is_so():  # noqa: ASYNC110 - see above
            await asyncio.sleep(_LOOK_S)


@asynccontextmanager
async def adb_rig(fleet: Fleet, *, port: int, environment: dict[str, str]) -> AsyncIterator[Rig]:
    """The adb driver, and between it and the phones the real adb server."""
    driver = AdbDriver(port=port, environment=environment, boot_poll_s=0.1)
    try:
        yield Rig(fleet, driver)
    finally:
        await driver.aclose()
        for address in fleet.addresses:
            await disconnect(AdbServer(port=port), address)


@asynccontextmanager
async def vendor_rig(fleet: Fleet) -> AsyncIterator[Rig]:
    """The vendor driver, and between it and the phones the simulator's stand-in for the vendor's program."""
    driver = VendorDriver(url=fleet.vendor_url, poll_s=0.05)
    try:
        yield Rig(fleet, driver)
    finally:
        await driver.aclose()
