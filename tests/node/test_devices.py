"""What a node sees of its phones, and what it says of them."""

import asyncio

import pytest

from corral.model.errors import DeviceNotBootedError, DeviceOfflineError, DeviceUnauthorizedError
from corral.model.states import Connection, Health
from corral.node.devices import Devices
from corral.node.health.probe import HealthSample
from tests.node.workbench import FakeDriver, sighting


class Seen:
    def __init__(self, *names: str) -> None:
        self.drivers = [FakeDriver(name) for name in names or ("adb",)]
        self.devices = Devices(self.drivers, on_change=lambda: None)

    def tell(self) -> list[str]:
        """Say what is new, and have it acknowledged; the serials."""
        news = self.devices.list_news()
        self.devices.acknowledge(news, is_complete=self.devices.is_complete)
        return [report.serial for report in news]


async def test_everything_is_told_once_and_then_what_changed() -> None:
    seen = Seen()
    seen.devices.see("adb", [sighting("a"), sighting("b")])

    assert seen.tell() == ["a", "b"]
    assert seen.tell() == []

    seen.devices.see("adb", [sighting("a"), sighting("b", Connection.OFFLINE)])
    assert seen.tell() == ["b"]


async def test_what_was_not_acknowledged_is_told_again() -> None:
    seen = Seen()
    seen.devices.see("adb", [sighting("a")])

    assert [report.serial for report in seen.devices.list_news()] == ["a"]
    assert [report.serial for report in seen.devices.list_news()] == ["a"]


async def test_a_list_is_complete_once_every_driver_has_spoken() -> None:
    seen = Seen("adb", "vendor")
    seen.devices.see("adb", [])
    assert not seen.devices.is_complete

    seen.devices.see("vendor", [])

    assert seen.devices.is_complete


async def test_a_phone_that_is_no_longer_seen_is_gone() -> None:
    seen = Seen()
    seen.devices.see("adb", [sighting("a", is_node_scoped=True)])
    seen.tell()

    seen.devices.see("adb", [])

    (report,) = seen.devices.list_news()
    assert (report.connection, report.is_node_scoped) == (Connection.GONE, True)


async def test_of_two_ways_to_a_phone_the_one_that_works_is_taken() -> None:
    seen = Seen("adb", "vendor")
    seen.devices.see("vendor", [sighting("a", handle="v")])
    seen.devices.see("adb", [sighting("a", Connection.OFFLINE, handle="u")])
    assert seen.devices.phone("a").handle == "v"

    seen.devices.see("adb", [sighting("a", handle="u")])
    assert seen.devices.phone("a").handle == "u"


async def test_a_serial_that_cannot_be_one_is_left_out() -> None:
    seen = Seen()

    seen.devices.see("adb", [sighting("no serial?"), sighting("a")])

    assert [device.serial for device in seen.devices.list_all()] == ["a"]


@pytest.mark.parametrize(
    ("connection", "error"),
    [
        (Connection.OFFLINE, DeviceOfflineError),
        (Connection.UNAUTHORIZED, DeviceUnauthorizedError),
        (Connection.NOT_BOOTED, DeviceNotBootedError),
    ],
)
async def test_a_phone_that_cannot_be_driven_says_why(connection: Connection, error: type[Exception]) -> None:
    seen = Seen()
    seen.devices.see("adb", [sighting("a", connection)])

    with pytest.raises(error):
        seen.devices.phone("a")
    assert not seen.devices.is_ready("a")


async def test_a_thermometers_noise_is_no_news_but_health_is() -> None:
    seen = Seen()
    seen.devices.see("adb", [sighting("a")])
    device = seen.devices.find("a")
    assert device is not None
    device.sample = HealthSample(battery_percent=80.2, temperature_c=30.1)
    assert seen.tell() == ["a"]

    device.sample = HealthSample(battery_percent=79.8, temperature_c=30.2)
    assert seen.tell() == []

    device.health, device.health_reason = Health.QUARANTINED, "too hot"
    news = seen.devices.list_news()
    assert seen.devices.is_urgent(news)
    assert seen.tell() == ["a"]
    assert seen.tell() == []


async def test_a_lower_battery_alone_is_not_urgent() -> None:
    seen = Seen()
    seen.devices.see("adb", [sighting("a")])
    seen.tell()
    device = seen.devices.find("a")
    assert device is not None

    device.sample = HealthSample(battery_percent=20)

    news = seen.devices.list_news()
    assert news
    assert not seen.devices.is_urgent(news)


async def test_reading_a_phones_health_makes_way_for_work() -> None:
    seen = Seen()
    seen.devices.see("adb", [sighting("a")])
    device = seen.devices.find("a")
    assert device is not None
    reading = asyncio.Event()

    async def sample() -> None:
        async with device.lock:
            device.sampling = asyncio.current_task()
            reading.set()
            await asyncio.Event().wait()

    task = asyncio.create_task(sample())
    await reading.wait()

    async with seen.devices.exclusively("a"):
        assert task.cancelled()
