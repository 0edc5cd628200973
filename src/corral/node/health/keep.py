"""Keep an eye on every phone: sample its health once a minute, judge it, and do what the ladder says.

A phone is only asked while nobody works with it, and work that comes meanwhile takes precedence. Nothing is done to a
phone that the node has no live lease for. A quarantine that a person set is the server's business and stays.
"""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import Callable, Coroutine
from typing import Final

from msgspec.structs import replace

from corral.model.errors import CorralError, DeviceError
from corral.model.states import Connection, FailureReason, Health
from corral.node.clock import Clock
from corral.node.devices import Device, Devices
from corral.node.health.gates import Limits, judge
from corral.node.health.ladder import Act, Ladder, Rules
from corral.node.health.probe import probe
from corral.node.runner import JobEnd
from corral.telemetry import bound, logger

INTERVAL_S: Final = 60.0
_FIRST_WITHIN_S: Final = 10.0
_ANSWER_S: Final = 10.0
_RECONNECT_S: Final = 20.0
_BOOT_S: Final = 240.0
_LOOK_S: Final = 2.0
_AT_ONCE: Final = 4
_MORE_BATTERY: Final = 5.0
_LESS_HEAT: Final = 3.0
_OF_THE_DEVICE: Final = frozenset(
    {
        FailureReason.DEVICE_OFFLINE,
        FailureReason.DEVICE_NOT_BOOTED,
        FailureReason.DRIVER_ERROR,
    }
)
_log = logger(__name__)


class KeepHealthy:
    """The loop, and what it remembers of each phone."""

    def __init__(
        self,
        devices: Devices,
        *,
        limits: Limits,
        clock: Clock,
        may_touch: Callable[[], bool],
        interval_s: float = INTERVAL_S,
        rules: Rules | None = None,
    ) -> None:
        self._devices = devices
        self._limits = limits
        self._clock = clock
        self._may_touch = may_touch
        self._interval_s = interval_s
        self._rules = rules or Rules()
        self._ladders: dict[str, Ladder] = {}
        self._due: dict[str, float] = {}
        self._connected: set[str] = set()
        self._unfit: dict[str, str] = {}
        self._at_once = asyncio.Semaphore(_AT_ONCE)
        self._tasks: set[asyncio.Task[None]] = set()

    async def run(self) -> None:
        """For ever."""
        try:
            while True:
                now = self._clock()
                for device in self._devices.list_all():
                    if device.connection is Connection.CONNECTED and self._due_at(device, now) <= now:
                        self._due[device.serial] = now + self._interval_s
                        if self._may_touch():
                            self._launch(self._sample(device))
                nearest = min(self._due.values(), default=now + _LOOK_S)
                await asyncio.sleep(min(max(nearest - self._clock(), self._interval_s / 100), _LOOK_S))
        finally:
            for task in self._tasks:
                task.cancel()

    def noticed(self) -> None:
        """Devices may have come or gone."""
        now = self._clock()
        connected = {each.serial for each in self._devices.list_all() if each.connection is Connection.CONNECTED}
        missed, self._connected = self._connected - connected, connected
        for serial in missed:
            device = self._devices.find(serial)
            self._due.pop(serial, None)
            if device is not None and not device.is_in_repair:
                self._follow(device, self._ladder(serial).disconnected(now))

    async def check_up(self, device: Device) -> None:
        """Ask a phone that is never free how it is. Called by the job that has it, which goes on either way."""
        if device.sampled_at is not None and self._clock() - device.sampled_at > 2 * self._interval_s:
            self._follow(device, await self._ask(device))
            self._judge(device)

    def job_ended(self, serial: str, end: JobEnd) -> None:
        """A job's end says something of its phone."""
        device = self._devices.find(serial)
        if device is None:
            return
        if end.outcome == "succeeded":
            self._ladder(serial).worked()
        elif end.failure_reason in _OF_THE_DEVICE:
            device.last_error = end.error_message
            self._follow(device, self._ladder(serial).failed(self._clock(), end.error_message or "no answer"))
        self._judge(device)

    def _due_at(self, device: Device, now: float) -> float:
        """A phone that came just now is asked soon, but not all of a hub's at once."""
        if device.serial not in self._due:
            share = zlib.crc32(device.serial.encode()) % 1000 / 1000
            self._due[device.serial] = now + share * min(_FIRST_WITHIN_S, self._interval_s)
        return self._due[device.serial]

    async def _sample(self, device: Device) -> None:
        async with self._at_once:
            if device.lock.locked() or device.is_in_repair:
                self._due[device.serial] = self._clock() + self._interval_s / 4
                return
            async with device.lock:
                device.sampling = asyncio.current_task()
                try:
                    act = await self._ask(device)
                except asyncio.CancelledError:  # work came, or the end
                    self._due[device.serial] = self._clock() + self._interval_s / 4
                    raise
                finally:
                    device.sampling = None
        self._follow(device, act)
        self._judge(device)

    async def _ask(self, device: Device) -> Act | None:
        ladder = self._ladder(device.serial)
        try:
            async with asyncio.timeout(_ANSWER_S):
                device.sample = await probe(self._devices.phone(device.serial))
        except (DeviceError, TimeoutError) as error:
            words = error.message if isinstance(error, DeviceError) else f"no answer within {_ANSWER_S:g} s"
            device.last_error = words
            return ladder.failed(self._clock(), words)
        device.sampled_at = self._clock()
        return ladder.answered(self._clock())

    def _judge(self, device: Device) -> None:
        """The phone's health by its last sample and its place on the ladder; tell if that changed."""
        ladder = self._ladder(device.serial)
        if device.sample is not None:
            is_unfit = device.serial in self._unfit
            verdict = judge(device.sample, _stricter(self._limits) if is_unfit else self._limits)
            if verdict.is_fit:
                self._unfit.pop(device.serial, None)
            elif verdict.reason is not None:
                self._unfit[device.serial] = verdict.reason
        unfit = self._unfit.get(device.serial)
        health = Health.QUARANTINED if unfit is not None else ladder.health
        if (health, unfit or ladder.reason) != (device.health, device.health_reason):
            device.health, device.health_reason = health, unfit or ladder.reason
            _log.info("a device's health changed", device_serial=device.serial, health=health, why=device.health_reason)
        self._devices.changed()

    def _follow(self, device: Device, act: Act | None) -> None:
        """Do what the ladder says, apart from whoever noticed."""
        if act is None:
            return
        self._judge(device)
        if act in (Act.RECONNECT, Act.REBOOT):
            self._launch(self._mend(device, act))

    async def _mend(self, device: Device, act: Act) -> None:
        with bound(device_serial=device.serial):
            device.is_in_repair = act is Act.REBOOT
            try:
                async with self._devices.exclusively(device.serial):
                    if not self._may_touch():
                        return
                    _log.warning("trying to mend a device", by=act.value, why=device.health_reason)
                    if act is Act.RECONNECT:
                        async with asyncio.timeout(_RECONNECT_S):
                            await self._devices.phone(device.serial).reconnect()
                    else:
                        async with asyncio.timeout(_BOOT_S):
                            await self._reboot(device)
            except (CorralError, TimeoutError) as error:
                words = error.message if isinstance(error, CorralError) else f"{act.value} took too long"
                self._follow(device, self._ladder(device.serial).failed(self._clock(), words))
            finally:
                device.is_in_repair = False
                self._due[device.serial] = self._clock()
                self._devices.changed()

    async def _reboot(self, device: Device) -> None:
        await self._devices.phone(device.serial).reboot()
        await asyncio.sleep(_LOOK_S)  # it says goodbye only after it answered
        while True:
            try:
                device.sample = await probe(self._devices.phone(device.serial))
            except DeviceError:
                pass
            else:
                if device.sample.is_booted:
                    return
            await asyncio.sleep(_LOOK_S)

    def _ladder(self, serial: str) -> Ladder:
        return self._ladders.setdefault(serial, Ladder(self._rules))

    def _launch(self, doing: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(doing)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def _stricter(limits: Limits) -> Limits:
    """What a phone must reach to be fit again: a little better than what made it unfit, so that it does not go to and fro."""
    least, most = limits.min_battery_percent, limits.max_temperature_c
    return replace(
        limits,
        min_battery_percent=None if least is None else min(100.0, least + _MORE_BATTERY),
        max_temperature_c=None if most is None else most - _LESS_HEAT,
    )
