"""The phones that this node sees, through all of its drivers: how each is reached, who has it, what is said of it.

What is reported is what changed since the server last acknowledged, so that a lost heartbeat loses nothing.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final

import msgspec

from corral.drivers.protocol import Driver, Phone, Sighting
from corral.model.errors import DeviceNotBootedError, DeviceOfflineError, DeviceUnauthorizedError
from corral.model.states import Connection, Health
from corral.node.health.probe import HealthSample
from corral.telemetry import logger
from corral.wire.nodes import DeviceReport

_SERIAL: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:@-]{0,127}")
_LINE: Final = 2_000
_HALF_DEGREES: Final = 2
_log = logger(__name__)


class Device:
    """One phone, for as long as the agent lives. Its lock is held by whoever drives it."""

    def __init__(self, serial: str) -> None:
        self.serial = serial
        self.driver: Driver | None = None
        self.sighting: Sighting | None = None
        self.is_node_scoped = False
        self.lock = asyncio.Lock()
        self.sampling: asyncio.Task[None] | None = None
        """Reads the phone's health under the lock; whoever has work for the phone may cancel it."""

        self.sample: HealthSample | None = None
        self.sampled_at: float | None = None
        self.health = Health.OK
        self.health_reason: str | None = None
        self.is_in_repair = False
        self.last_error: str | None = None

    @property
    def connection(self) -> Connection:
        return Connection.GONE if self.sighting is None else self.sighting.connection

    @property
    def is_ready(self) -> bool:
        """Whether a job could start on it now."""
        is_sound = self.health is not Health.QUARANTINED and not self.is_in_repair
        return self.connection is Connection.CONNECTED and is_sound

    def report(self) -> DeviceReport:
        """All that the node knows of it."""
        seen, sample = self.sighting, self.sample
        battery = None if sample is None or sample.battery_percent is None else round(sample.battery_percent)
        heat = None if sample is None or sample.temperature_c is None else sample.temperature_c
        return DeviceReport(
            serial=self.serial,
            is_node_scoped=self.is_node_scoped,
            connection=self.connection,
            health=self.health,
            health_reason=self.health_reason,
            runtime_handle=None if seen is None else seen.handle,
            model=None if seen is None else seen.model,
            os_version=None if seen is None else seen.os_version,
            battery=battery,
            # Half degrees: a thermometer's noise is no news.
            temperature=None if heat is None else round(heat * _HALF_DEGREES) / _HALF_DEGREES,
            meta=self._meta(),
            last_error_message=(seen.message if seen is not None and seen.message else self.last_error),
        )

    def _meta(self) -> dict[str, Any] | None:
        """What has no place of its own: by which driver it is reached, and how much it could still store."""
        meta: dict[str, Any] = {} if self.driver is None else {"driver": self.driver.name}
        if self.sample is not None:
            meta["free_storage_mb"] = self.sample.free_storage_mb
        return meta or None


class Devices:
    """All phones of the node, by serial. `on_change` is called whenever something about any of them changed."""

    def __init__(self, drivers: Sequence[Driver], *, on_change: Callable[[], None]) -> None:
        self._drivers = drivers
        self._on_change = on_change
        self._devices: dict[str, Device] = {}
        self._seen: dict[str, list[Sighting]] = {}
        self._acknowledged: dict[str, DeviceReport] = {}
        self.is_reported = False
        """Whether the server has had a complete list from this agent."""

    @property
    def is_complete(self) -> bool:
        """Whether every driver has said what it sees."""
        return len(self._seen) == len(self._drivers)

    def list_all(self) -> list[Device]:
        return list(self._devices.values())

    def find(self, serial: str) -> Device | None:
        return self._devices.get(serial)

    def is_ready(self, serial: str) -> bool:
        device = self._devices.get(serial)
        return device is not None and device.is_ready

    def list_idle(self) -> list[str]:
        """The serials of phones that could be worked with now, and are not."""
        is_idle = (device.serial for device in self._devices.values() if device.is_ready and not device.lock.locked())
        return list(is_idle)

    def phone(self, serial: str) -> Phone:
        """The way to a phone that is connected now; raises a DeviceError that says why there is none."""
        device = self._devices.get(serial)
        if device is None or device.driver is None or device.sighting is None:
            raise DeviceOfflineError(f"{serial} is not connected", is_started=False)
        seen = device.sighting
        if seen.connection is Connection.UNAUTHORIZED:
            raise DeviceUnauthorizedError(seen.message or f"{serial} does not trust this computer")
        if seen.connection is Connection.NOT_BOOTED:
            raise DeviceNotBootedError(seen.message or f"{serial} has not finished starting")
        if seen.connection is not Connection.CONNECTED:
            raise DeviceOfflineError(seen.message or f"{serial} is offline", is_started=False)
        return device.driver.phone(seen.handle)

    @asynccontextmanager
    async def exclusively(self, serial: str) -> AsyncIterator[Device]:
        """Have a phone to oneself; reading its health makes way, other work is waited for."""
        device = self._devices.setdefault(serial, Device(serial))
        if device.sampling is not None:
            device.sampling.cancel()
        async with device.lock:
            yield device

    async def watch(self, driver: Driver) -> None:
        """Take in what one driver sees, for ever."""
        async for sightings in driver.watch():
            self.see(driver.name, sightings)

    def see(self, driver_name: str, sightings: list[Sighting]) -> None:
        """All that a driver sees now."""
        self._seen[driver_name] = sightings
        best: dict[str, tuple[Driver, Sighting]] = {}
        for driver in self._drivers:
            for sighting in self._seen.get(driver.name, ()):
                if _SERIAL.fullmatch(sighting.serial) is None:
                    _log.warning("a device with a serial that cannot be one is left out", handle=sighting.handle)
                elif _is_better(sighting, best.get(sighting.serial)):
                    best[sighting.serial] = (driver, sighting)
        for serial, (driver, sighting) in best.items():
            device = self._devices.setdefault(serial, Device(serial))
            device.driver, device.sighting, device.is_node_scoped = driver, sighting, sighting.is_node_scoped
        for serial in self._devices.keys() - best.keys():
            self._devices[serial].sighting = None
        self._on_change()

    def changed(self) -> None:
        """Something about a device was changed by whoever calls."""
        self._on_change()

    def list_news(self) -> tuple[DeviceReport, ...]:
        """What the server has not acknowledged: all devices before its first acknowledgement, then what changed."""
        reports = (device.report() for device in self._devices.values())
        if not self.is_reported:
            return tuple(report for report in reports if report.connection is not Connection.GONE)
        return tuple(report for report in reports if self._is_news(report))

    def is_urgent(self, news: Sequence[DeviceReport]) -> bool:
        """Whether the server should hear of it at once: what may be given to the node depends on it."""
        known = (self._acknowledged.get(report.serial) for report in news)
        return any(
            old is None or (old.connection, old.health) != (new.connection, new.health)
            for old, new in zip(known, news, strict=True)
        )

    def acknowledge(self, sent: Sequence[DeviceReport], *, is_complete: bool) -> None:
        """The server has taken these in."""
        for report in sent:
            known = self._acknowledged.get(report.serial)
            self._acknowledged[report.serial] = report if known is None else _merge(known, report)
        self.is_reported = self.is_reported or is_complete

    def forget_acknowledged(self) -> None:
        """The server knows nothing any more: tell it everything anew."""
        self._acknowledged.clear()
        self.is_reported = False

    def _is_news(self, report: DeviceReport) -> bool:
        known = self._acknowledged.get(report.serial)
        if known is None:
            return report.connection is not Connection.GONE
        return _merge(known, report) != known


def _is_better(sighting: Sighting, known: tuple[Driver, Sighting] | None) -> bool:
    """Of two ways to one phone, the one that works; of two that do, the first driver's."""
    return known is None or (
        known[1].connection is not Connection.CONNECTED and sighting.connection is Connection.CONNECTED
    )


def _merge(known: DeviceReport, report: DeviceReport) -> DeviceReport:
    """What the server knows after a report: what is left out stays as it was, but for the reason of its health."""
    told = {
        name: value
        for name in report.__struct_fields__
        if (value := getattr(report, name)) is not None or name == "health_reason"
    }
    return msgspec.structs.replace(known, **told)
