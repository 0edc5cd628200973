from __future__ import annotations

from typing import Literal

import pytest

from corral.drivers.png import SIGNATURE
from corral.model.errors import DeviceError, DeviceOfflineError
from corral.simulator.scenario.model import Screencap
from tests.drivers.conformance.rig import Rig


async def test_the_screen_is_a_whole_picture(rig: Rig) -> None:
    picture = await rig.phone().screenshot()

    assert picture.startswith(SIGNATURE)
    assert picture == rig.fleet.phones[0].screenshot()


@pytest.mark.parametrize("gives", ["garbage", "truncated", "empty"])
async def test_what_is_no_picture_is_an_error(rig: Rig, gives: Literal["garbage", "truncated", "empty"]) -> None:
    rig.fleet.inject(Screencap(gives=gives))

    with pytest.raises(DeviceError) as caught:
        await rig.phone().screenshot()

    assert not isinstance(caught.value, DeviceOfflineError)
