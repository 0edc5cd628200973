"""The way to the phones: looking for them, breaking and renewing it."""

from __future__ import annotations

import pytest

from corral.model.errors import DeviceOfflineError, NotSupportedError
from tests.drivers.conformance.conftest import MakeRig
from tests.drivers.conformance.rig import Rig, watching
from tests.ports import free_port


async def test_reconnecting_leaves_the_phone_connected(rig: Rig) -> None:
    async with watching(rig) as watch:
        await rig.phone().reconnect()
        await watch.until_all_are_connected(rig)

        assert (await rig.phone().shell("echo on")).text == "on"


async def test_addresses_that_fail_are_told_one_by_one_and_the_others_are_found(make_rig: MakeRig) -> None:
    async with make_rig(2) as rig:
        nobody = f"127.0.0.1:{free_port()}"

        lines = await rig.driver.discover([nobody, "no address at all", "127.0.0.1:9-8", *rig.fleet.addresses])

        assert all(any(bad in line for line in lines) for bad in (nobody, "no address at all", "127.0.0.1:9-8"))
        assert (await rig.phone(1).shell("echo on")).text == "on"


async def test_a_driver_has_its_name(rig: Rig) -> None:
    assert rig.driver.name in {"adb", "vendor"}


async def test_a_call_that_the_driver_does_not_have_is_refused(rig: Rig) -> None:
    if rig.driver.name == "adb":
        with pytest.raises(NotSupportedError, match="adb has no call 'pushEvent'"):
            await rig.phone().call("pushEvent", {"type": "2"})
    else:
        await rig.phone().call("pushEvent", {"type": "2"})


async def test_reconnecting_to_nobody_is_an_error(rig: Rig) -> None:
    with pytest.raises(DeviceOfflineError):
        await rig.driver.phone(f"127.0.0.1:{free_port()}").reconnect()
