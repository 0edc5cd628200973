from __future__ import annotations

import pytest

from corral.model.errors import DeviceOfflineError, DeviceUnauthorizedError
from corral.model.states import Connection
from corral.simulator.scenario.model import Disconnect, Phones, Unauthorized
from tests.drivers.conformance.conftest import MakeRig
from tests.drivers.conformance.rig import Rig, is_connected, watching

SECOND = Phones(indexes="2")


async def test_every_phone_is_seen_by_its_hardware_serial(make_rig: MakeRig) -> None:
    async with make_rig(3) as rig, watching(rig) as watch:
        seen = watch.latest

        assert set(seen) == {phone.serial for phone in rig.fleet.phones}
        for phone in rig.fleet.phones:
            assert seen[phone.serial].model == phone.identity.model.name
            assert not seen[phone.serial].is_node_scoped


async def test_the_handle_of_a_sighting_reaches_that_phone(make_rig: MakeRig) -> None:
    async with make_rig(3) as rig, watching(rig) as watch:
        for serial, sighting in watch.latest.items():
            assert (await rig.driver.phone(sighting.handle).shell("getprop ro.serialno")).text == serial


async def test_a_phone_that_drops_off_is_not_connected_and_comes_back(make_rig: MakeRig) -> None:
    async with make_rig(2) as rig, watching(rig) as watch:
        rig.fleet.inject(Disconnect(phones=SECOND))
        seen = await watch.until(lambda seen: not is_connected(seen, rig.serial(1)))
        assert is_connected(seen, rig.serial(0))

        rig.fleet.clear()
        await rig.attach()
        await watch.until_all_are_connected(rig)


async def test_a_phone_that_is_no_longer_authorized_is_not_connected_and_says_what_to_do(make_rig: MakeRig) -> None:
    async with make_rig(2) as rig, watching(rig) as watch:
        rig.fleet.inject(Unauthorized(phones=SECOND))
        # The vendor's program leaves out what it cannot reach.
        with pytest.raises(DeviceUnauthorizedError if rig.is_adb else DeviceOfflineError):
            await rig.phone(1).reconnect()
        if rig.is_adb:
            seen = await watch.until(
                lambda seen: rig.serial(1) in seen and seen[rig.serial(1)].connection is Connection.UNAUTHORIZED
            )
            assert "confirm on the phone" in (seen[rig.serial(1)].message or "")
        else:
            await watch.until(lambda seen: not is_connected(seen, rig.serial(1)))

        rig.fleet.clear()
        await watch.until_all_are_connected(rig)


async def test_a_phone_that_restarts_goes_and_comes_back(rig: Rig) -> None:
    async with watching(rig) as watch:
        await rig.phone().reboot()
        await watch.until(lambda seen: not is_connected(seen, rig.serial()))
        await rig.attach()
        await watch.until_all_are_connected(rig)

        assert (await rig.phone().shell("echo back")).text == "back"
        assert len(rig.commands("reboot")) == 1


async def test_two_watches_see_the_same(make_rig: MakeRig) -> None:
    async with make_rig(2) as rig, watching(rig) as one, watching(rig) as other:
        assert one.latest == other.latest
