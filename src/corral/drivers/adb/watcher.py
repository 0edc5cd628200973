"""Watching all phones of an adb server: what it lists, and what each phone then says of itself.

The server says `device` as soon as a phone's adbd answers, long before Android does, and goes on saying so when a phone
hangs. So each is asked once per connection, again until it has started, and again, at growing distances, while it is silent.
Phones over Wi-Fi that the server lost are connected to anew.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Final

from corral.drivers.adb.parse import Identity, Listed, parse_identity, parse_properties
from corral.drivers.adb.renew import Renewals
from corral.drivers.adb.services import Services
from corral.drivers.adb.shell import run_shell
from corral.drivers.adb.sightings import Known, see
from corral.drivers.adb.track import track_devices
from corral.drivers.backoff import Backoff
from corral.drivers.protocol import Sighting
from corral.model.errors import DeviceError

PROBE_S: Final = 10.0
BOOT_POLL_S: Final = 2.0
_LONGEST_PAUSE_S: Final = 30.0
_PROPERTIES_BYTES: Final = 1 << 20


class Watcher:
    """One watch. `sightings` yields for ever; closing it leaves nothing running."""

    def __init__(self, services: Services, *, boot_poll_s: float = BOOT_POLL_S, probe_s: float = PROBE_S) -> None:
        self._services = services
        self._boot_poll_s = boot_poll_s
        self._probe_s = probe_s
        self._known: dict[str, Known] = {}
        self._last: dict[str, Identity] = {}
        self._probes: dict[str, asyncio.Task[None]] = {}
        self._renewals = Renewals(services.server)
        self._changed = asyncio.Event()

    async def sightings(self) -> AsyncGenerator[list[Sighting], None]:
        tracking = asyncio.create_task(self._track(), name="adb track")
        last: list[Sighting] | None = None
        try:
            while True:
                await self._wait(tracking)
                self._changed.clear()
                if (now := see(self._known.values())) != last:
                    last = now
                    yield now
        finally:
            tasks = [tracking, *self._probes.values()]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await self._renewals.aclose()

    async def _wait(self, tracking: asyncio.Task[None]) -> None:
        """Wait for news. A tracker that ended can only have done so by a bug of ours, which must not look like peace."""
        waiting = asyncio.ensure_future(self._changed.wait())
        try:
            await asyncio.wait({waiting, tracking}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            waiting.cancel()
        if tracking.done():
            tracking.result()

    async def _track(self) -> None:
        async with aclosing(track_devices(self._services.server)) as news:
            async for listed in news:
                self._mend(listed)
                self._take({} if listed is None else self._with_lost(listed))
                self._changed.set()

    def _mend(self, listed: list[Listed] | None) -> None:
        """Have addresses connected anew that the server lost, or that were lost with the server."""
        if listed is None:
            listed = [Listed(handle=handle, state="offline") for handle in self._known]
        for device in listed:
            if device.is_tcp and device.state == "offline":
                self._renewals.begin(device.handle)
            elif device.state in {"device", "unauthorized"}:
                self._renewals.end(device.handle)

    def _with_lost(self, listed: list[Listed]) -> dict[str, Listed]:
        """What is listed, and as offline what is not while it is being connected anew."""
        lost = {address: Listed(handle=address, state="offline") for address in self._renewals.addresses}
        return lost | {each.handle: each for each in listed}

    def _take(self, listed: dict[str, Listed]) -> None:
        for handle in [handle for handle in self._known if handle not in listed]:
            self._forget(handle)
            del self._known[handle]
        for handle, device in listed.items():
            before = self._known.get(handle)
            if before is not None and before.listed == device:
                continue
            self._forget(handle)
            self._known[handle] = Known(listed=device, last=self._last.get(handle))
            if device.state == "device":
                self._probes[handle] = asyncio.create_task(self._probe(handle), name=f"adb probe {handle}")

    def _forget(self, handle: str) -> None:
        self._services.forget(handle)
        if probe := self._probes.pop(handle, None):
            probe.cancel()

    async def _probe(self, handle: str) -> None:
        """Ask until it answers that it has started."""
        backoff = Backoff(longest_s=_LONGEST_PAUSE_S)
        while True:
            try:
                identity = await self._ask(handle)
            except (DeviceError, TimeoutError) as error:
                self._learn(handle, trouble=str(error) or f"it did not answer within {self._probe_s:g} s")
                await asyncio.sleep(backoff.fail())
                continue
            self._learn(handle, identity=identity)
            if identity.is_booted:
                return
            backoff.reset()
            await asyncio.sleep(self._boot_poll_s)

    async def _ask(self, handle: str) -> Identity:
        async with self._services.admission.probing(), asyncio.timeout(self._probe_s):
            result = await run_shell(
                self._services, handle, "getprop", max_output_bytes=_PROPERTIES_BYTES, is_probe=True
            )
        properties = parse_properties(result.stdout.decode(errors="replace"))
        if not properties:
            raise DeviceError(f"it answers, but not as Android does: {result.text[:200]!r}")
        return parse_identity(properties)

    def _learn(self, handle: str, *, identity: Identity | None = None, trouble: str | None = None) -> None:
        known = self._known[handle]
        if identity is not None:
            self._last[handle] = identity
        self._known[handle] = Known(
            listed=known.listed,
            identity=identity or known.identity,
            trouble=trouble,
            last=self._last.get(handle),
        )
        self._changed.set()
