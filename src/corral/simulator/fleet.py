"""A fleet of simulated phones: what `corral simulate` runs, and tests run in their own process."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import math
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from corral.simulator.adbd.server import Adbd
from corral.simulator.clock import Clock, RealClock
from corral.simulator.control.server import ControlServer
from corral.simulator.limits import allow_sockets
from corral.simulator.phone.identity import identify
from corral.simulator.phone.phone import Phone
from corral.simulator.phone.suites import Suites
from corral.simulator.record import Record, Violation
from corral.simulator.scenario.board import Board
from corral.simulator.scenario.model import Fault, Scenario
from corral.simulator.vendor.server import VendorServer

LOOPBACK: Final = "127.0.0.1"
_SOCKETS_PER_PHONE: Final = 3
_SOCKETS_BESIDES: Final = 200
_SOONEST_S: Final = 0.005
"""Two changes nearer than this are looked at together."""


class Fleet:
    """So many phones, each listening on a loopback port of its own, until the block ends."""

    def __init__(
        self,
        devices: int = 1,
        *,
        seed: int = 0,
        scenario: Scenario | None = None,
        port_base: int | None = None,
        vendor_port: int | None = 0,
        control_port: int | None = None,
        record: Path | None = None,
        clock: Clock | None = None,
    ) -> None:
        self.scenario = scenario or Scenario()
        self.seed = seed
        self.clock = clock or RealClock()
        self.record = Record(self.clock, record)
        self._suites = Suites(self.scenario.suites, seed=seed)
        self._port_base = port_base
        self._vendor_port = vendor_port
        self._control_port = control_port
        self._vendor = VendorServer(lambda: self.phones)
        self._control = ControlServer(self)
        self.phones: list[Phone] = [self._make_phone(index) for index in range(1, devices + 1)]
        self._adbds = [Adbd(phone) for phone in self.phones]
        self._changed = asyncio.Event()
        self._watching: asyncio.Task[None] | None = None
        self._fault_ids = itertools.count(1)

    def _make_phone(self, index: int) -> Phone:
        setup = self.scenario.setup
        identity = identify(self.seed, index, width=setup.width, height=setup.height)
        board = Board(identity, seed=self.seed, now=self.clock.now)
        for number, fault in enumerate(self.scenario.faults, 1):
            board.post(fault.id or f"fault-{number}", fault)
        return Phone(
            identity,
            setup=setup,
            board=board,
            record=self.record,
            clock=self.clock,
            suites=self._suites,
            seed=self.seed,
        )

    @property
    def addresses(self) -> list[str]:
        """Where `adb connect` finds the phones, in order of their numbers."""
        return [adbd.address for adbd in self._adbds]

    @property
    def vendor_url(self) -> str:
        """The vendor's WebSocket; empty if not served."""
        return self._vendor.url

    @property
    def control_port(self) -> int:
        """Where `Control` connects to; 0 if not served."""
        return self._control.port

    @property
    def violations(self) -> Sequence[Violation]:
        """Where two jobs met on one phone; empty unless whoever drives the phones has a bug."""
        return self.record.violations

    def phone(self, name: str) -> Phone:
        """The phone of this serial or address. Raises KeyError."""
        for phone in self.phones:
            if name in {phone.serial, phone.handle}:
                return phone
        raise KeyError(name)

    def inject(self, fault: Fault) -> tuple[str, int]:
        """Let something go wrong, its times counted from now; its name, and how many phones it is meant for."""
        name = fault.id or f"injected-{next(self._fault_ids)}"
        meant = sum(phone.faults.post(name, fault, start_s=self.clock.now()) for phone in self.phones)
        self._look()
        return name, meant

    def clear(self, name: str | None = None) -> None:
        """End a fault, or all."""
        for phone in self.phones:
            phone.faults.clear(name)
        self._look()

    async def __aenter__(self) -> Self:
        allow_sockets(len(self.phones) * _SOCKETS_PER_PHONE + _SOCKETS_BESIDES)
        try:
            for port, listener in sorted(self._listeners(), key=lambda each: each[0] == 0):
                await listener.start(LOOPBACK, port)
            for phone, adbd in zip(self.phones, self._adbds, strict=True):
                phone.handle = adbd.address
                phone.on_power.append(self._look)
        except BaseException:
            await self.aclose()
            raise
        self._watching = asyncio.create_task(self._watch())
        return self

    def _listeners(self) -> list[tuple[int, Adbd | VendorServer | ControlServer]]:
        """All of them with their ports. Those that were asked for must be taken before the system chooses any."""
        listeners: list[tuple[int, Adbd | VendorServer | ControlServer]] = [
            (self._port_base + number if self._port_base else 0, adbd) for number, adbd in enumerate(self._adbds)
        ]
        if self._vendor_port is not None:
            listeners.append((self._vendor_port, self._vendor))
        if self._control_port is not None:
            listeners.append((self._control_port, self._control))
        return listeners

    async def __aexit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Unplug everything."""
        if self._watching is not None:
            self._watching.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._watching
        await self._control.aclose()
        await self._vendor.aclose()
        for adbd in self._adbds:
            await adbd.aclose()
        self.record.close()

    def _look(self) -> None:
        for adbd in self._adbds:
            adbd.look()
        self._changed.set()

    async def _ring(self, at: float) -> None:
        await self.clock.sleep(max(_SOONEST_S, at - self.clock.now() + _SOONEST_S))
        self._changed.set()

    async def _watch(self) -> None:
        """Connections follow the faults' timetables. One task for the whole fleet: an idle fleet costs nothing."""
        while True:
            self._changed.clear()
            soonest = min((phone.next_change() for phone in self.phones), default=math.inf)
            alarm = asyncio.create_task(self._ring(soonest)) if soonest < math.inf else None
            try:
                await self._changed.wait()
            finally:
                if alarm:
                    alarm.cancel()
            for adbd in self._adbds:
                adbd.look()
