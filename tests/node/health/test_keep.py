"""What is done about phones that are unfit or keep failing."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from corral.drivers.protocol import ShellResult
from corral.model.errors import DeviceOfflineError
from corral.model.states import Connection, FailureReason, Health
from corral.node.devices import Device, Devices
from corral.node.health.gates import Limits
from corral.node.health.keep import KeepHealthy
from corral.node.health.ladder import Rules
from corral.node.runner import JobEnd
from tests.node.test_leases import Hand
from tests.node.workbench import FakeDriver, sighting

LOST = JobEnd(outcome="failed", failure_reason=FailureReason.DEVICE_OFFLINE, error_message="no answer")


def says(battery: int, tenths: int = 300) -> ShellResult:
    text = f"  level: {battery}\n  scale: 100\n  temperature: {tenths}\n--corral--\n--corral--\n1\n"
    return ShellResult(0, text.encode(), b"")


class Ward:
    def __init__(self) -> None:
        self.clock = Hand()
        self.driver = FakeDriver()
        self.devices = Devices([self.driver], on_change=lambda: None)
        self.devices.see("fake", [sighting("a")])
        self.health = KeepHealthy(
            self.devices,
            limits=Limits(),
            clock=self.clock,
            may_touch=lambda: True,
            rules=Rules(failures=1, flaps=2, quarantine_s=10),
        )
        self.health.noticed()

    @property
    def device(self) -> Device:
        device = self.devices.find("a")
        assert device is not None
        return device

    async def sample(self, answer: ShellResult | Exception) -> tuple[Health, str | None]:
        async def does(_command: str) -> ShellResult:
            if isinstance(answer, Exception):
                raise answer
            return answer

        self.driver.phone("handle-a").does = does
        await self.health._sample(self.device)
        await self.settle()
        return self.device.health, self.device.health_reason

    async def settle(self) -> None:
        if self.health._tasks:
            await asyncio.wait(self.health._tasks)


@pytest.fixture
async def ward() -> AsyncIterator[Ward]:
    made = Ward()
    yield made
    await made.settle()


async def test_a_phone_that_is_too_empty_is_taken_out_until_it_is_clearly_better(ward: Ward) -> None:
    told = [await ward.sample(says(battery)) for battery in (15, 14, 16, 20)]

    assert [health for health, _ in told] == ["ok", "quarantined", "quarantined", "ok"]
    assert told[1][1] == "battery at 14 %, below 15 %"
    assert ward.devices.is_ready("a")


async def test_a_phone_that_is_too_hot_is_taken_out_until_it_is_clearly_cooler(ward: Ward) -> None:
    told = [await ward.sample(says(80, tenths)) for tenths in (450, 460, 440, 420)]

    assert [health for health, _ in told] == ["ok", "quarantined", "quarantined", "ok"]


async def test_a_phone_that_fails_jobs_is_reconnected_and_one_that_works_again_is_forgiven(ward: Ward) -> None:
    ward.health.job_ended("a", LOST)
    await ward.settle()

    assert ward.driver.phone("handle-a").lines == ["reconnect"]
    assert (ward.device.health, ward.devices.is_ready("a")) == (Health.SUSPECT, True)

    ward.health.job_ended("a", JobEnd(outcome="succeeded"))
    assert ward.device.health == Health.OK


async def test_failures_of_the_work_are_not_held_against_the_phone(ward: Ward) -> None:
    ward.health.job_ended("a", JobEnd(outcome="failed", failure_reason=FailureReason.ASSERTION_FAILED))

    assert ward.device.health == Health.OK


async def test_a_phone_that_does_not_answer_is_reconnected_rebooted_and_quarantined_then_released(ward: Ward) -> None:
    gone = DeviceOfflineError("gone")
    ward.health.job_ended("a", LOST)
    await ward.settle()
    rebooting = asyncio.Event()

    async def reboot() -> None:
        rebooting.set()
        raise gone

    ward.driver.phone("handle-a").reboot = reboot  # type: ignore[method-assign]
    told = await ward.sample(gone)

    assert rebooting.is_set()
    assert told[0] is Health.QUARANTINED
    assert told[1] is not None
    assert "gone" in told[1]
    ward.clock.now += 11
    assert (await ward.sample(says(80)))[0] is Health.SUSPECT


async def test_a_flapping_phone_climbs_too(ward: Ward) -> None:
    for _ in range(2):
        ward.devices.see("fake", [])
        ward.health.noticed()
        ward.devices.see("fake", [sighting("a")])
        ward.health.noticed()
    await ward.settle()

    assert ward.device.health == Health.SUSPECT
    assert "disconnected 2 times" in (ward.device.health_reason or "")


async def test_a_phone_that_somebody_works_with_is_left_alone(ward: Ward) -> None:
    async with ward.devices.exclusively("a"):
        await ward.health._sample(ward.device)

    assert ward.driver.phone("handle-a").lines == []


async def test_a_phone_that_is_never_free_is_asked_by_its_job(ward: Ward) -> None:
    await ward.sample(says(80))
    async with ward.devices.exclusively("a") as device:
        await ward.health.check_up(device)
        assert len(ward.driver.phone("handle-a").lines) == 1

        ward.clock.now += 121
        await ward.health.check_up(device)

    assert len(ward.driver.phone("handle-a").lines) == 2


async def test_a_phone_that_is_not_there_is_not_ready(ward: Ward) -> None:
    ward.devices.see("fake", [sighting("a", Connection.OFFLINE)])

    assert not ward.devices.is_ready("a")
