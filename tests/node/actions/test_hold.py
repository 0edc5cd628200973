"""Holding a phone: until it is stopped, or until the phone has been away for too long."""

from __future__ import annotations

import asyncio

import pytest

from corral.model.errors import DeviceOfflineError
from tests.node.actions.conftest import Clock, Workshop

AWAY = DeviceOfflineError("R58M1 is offline", is_started=False)


async def test_a_phone_that_is_back_in_time_stays_held_and_one_that_is_not_is_given_up(
    workshop: Workshop, clock: Clock
) -> None:
    workshop.told({"^:$": ["", AWAY, AWAY, "", AWAY]})

    with pytest.raises(DeviceOfflineError, match="R58M1 is offline"):
        await workshop.perform("device.hold", lost_after_s=30)

    assert workshop.bench.lines == [
        ("warning", "the device is away: R58M1 is offline"),
        ("info", "the device is back after 10 s"),
        ("warning", "the device is away: R58M1 is offline"),
    ]
    assert sum(clock.sleeps) == 4 * 5 + 5 + 30


async def test_it_holds_until_it_is_stopped(workshop: Workshop) -> None:
    workshop.told({"^:$": ""})
    holding = asyncio.create_task(workshop.perform("device.hold"))
    await workshop.phone.heard.wait()

    holding.cancel()

    with pytest.raises(asyncio.CancelledError):
        await holding
