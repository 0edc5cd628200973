"""What becomes of the phones when the adb server dies: the real one, on a port of its own."""

from __future__ import annotations

from corral.drivers.adb.driver import AdbDriver
from corral.simulator import Fleet
from tests.drivers.conformance.rig import Rig, watching
from tests.drivers.conftest import kill
from tests.ports import free_port


async def test_a_server_that_died_is_started_again_and_its_phones_are_connected_to_anew(
    adb_environment: dict[str, str],
) -> None:
    port = free_port()
    async with Fleet(2) as fleet:
        rig = Rig(fleet, AdbDriver(port=port, environment=adb_environment))
        try:
            await rig.attach()
            async with watching(rig) as watch:
                await kill(port)
                await watch.until(lambda seen: seen == {})
                await watch.until_all_are_connected(rig)

                assert (await rig.phone(1).shell("echo on")).text == "on"
        finally:
            await kill(port)
