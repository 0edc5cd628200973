"""A simulated phone: its parts, its power, and the one door through which every command reaches it."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final
from uuid import UUID

from corral.simulator.clock import Clock
from corral.simulator.phone.apps.app import Surroundings
from corral.simulator.phone.desktop import Desktop
from corral.simulator.phone.files import Files
from corral.simulator.phone.identity import Identity, base_properties
from corral.simulator.phone.packages import Packages
from corral.simulator.phone.suites import Suites
from corral.simulator.record import Entry, Record
from corral.simulator.scenario.board import Board, Effects
from corral.simulator.scenario.model import Setup
from corral.simulator.scenario.timetable import NEVER
from corral.simulator.screen import describe, paint
from corral.simulator.screen.elements import Grid
from corral.simulator.shell import interpreter, reading
from corral.simulator.shell.call import Io
from corral.simulator.shell.streams import Dripping

_ADB_UP: Final = 0.5
"""The share of a restart after which adb answers; the rest of the system takes longer."""


@dataclass(eq=False, slots=True)
class Running:
    """A command on its way."""

    entry: Entry
    effects: Effects
    task: asyncio.Task[object] | None
    status: int | None = None
    is_cut: bool = False
    helpers: list[asyncio.Task[None]] = field(default_factory=list)


class Phone:
    """One phone. Its state is made when it is first needed: most of a large fleet only waits."""

    def __init__(
        self,
        identity: Identity,
        *,
        setup: Setup,
        board: Board,
        record: Record,
        clock: Clock,
        suites: Suites,
        seed: int = 0,
    ) -> None:
        self.identity = identity
        self.grid = Grid(identity.width, identity.height)
        self.setup = setup
        self.faults = board
        self.suites = suites
        self.seed = seed
        self._clock = clock
        self._record = record
        self._running: set[Running] = set()
        self._booted_s = -60.0
        self._starts = 1
        self._down_until_s = 0.0
        self._ready_s = 0.0
        self.on_power: list[Callable[[], None]] = []
        """Called when the phone goes down or comes up: whoever holds its connections must look again."""
        self.handle = identity.serial

    @property
    def serial(self) -> str:
        return self.identity.serial

    @property
    def clock(self) -> Clock:
        return self._clock

    @cached_property
    def files(self) -> Files:
        return Files(
            lambda: int(self._clock.today().timestamp()),
            lambda: self.faults.is_full,
            {"/proc/uptime": self._tell_uptime, "/proc/sys/kernel/random/boot_id": self._tell_boot_id},
        )

    def _tell_uptime(self) -> bytes:
        return f"{self.uptime_s:.2f} {self.uptime_s:.2f}\n".encode()

    def _tell_boot_id(self) -> bytes:
        """Another one after every start, and the same ones for the same seed."""
        named = f"{self.seed}/{self.serial}/{self._starts}".encode()
        return f"{UUID(bytes=hashlib.sha256(named).digest()[:16], version=4)}\n".encode()

    @cached_property
    def packages(self) -> Packages:
        return Packages(lambda: self.faults.is_full, added=[suite.package for suite in self.suites.all()])

    @cached_property
    def properties(self) -> dict[str, str]:
        """What setprop changed and the phone was born with."""
        return base_properties(self.identity)

    @cached_property
    def settings(self) -> dict[str, dict[str, str]]:
        """The three tables of `settings`."""
        return {
            "system": {"screen_brightness": "102", "screen_off_timeout": "60000"},
            "secure": {
                "android_id": self.serial.lower().ljust(16, "0"),
                "default_input_method": "com.android.ime/.Ime",
            },
            "global": {"adb_enabled": "1", "airplane_mode_on": "0", "stay_on_while_plugged_in": "3", "wifi_on": "1"},
        }

    @cached_property
    def desktop(self) -> Desktop:
        desktop = Desktop(self._surroundings)
        desktop.is_awake, desktop.is_locked = self.setup.is_awake, self.setup.is_locked
        return desktop

    def _surroundings(self) -> Surroundings:
        return Surroundings(self.identity, self.grid, self.packages.all(), self._clock.now(), self.battery)

    @property
    def battery(self) -> int:
        override = self.overrides.get("level")
        return override if override is not None else self.faults.battery(self.identity.battery)

    @property
    def celsius(self) -> float:
        override = self.overrides.get("temp")
        return override / 10 if override is not None else self.faults.celsius(self.identity.celsius)

    @cached_property
    def overrides(self) -> dict[str, int]:
        """What `dumpsys battery set` pretends."""
        return {}

    @property
    def uptime_s(self) -> float:
        return self._clock.now() - self._booted_s

    @property
    def is_up(self) -> bool:
        """Whether adb can answer."""
        return self._clock.now() >= self._down_until_s and not self.faults.is_disconnected

    def next_change(self) -> float:
        """When it may next go up or down by itself."""
        is_starting = self._clock.now() < self._down_until_s
        return min(self.faults.next_change(), self._down_until_s if is_starting else NEVER)

    @property
    def has_booted(self) -> bool:
        return self._clock.now() >= self._ready_s

    def screenshot(self) -> bytes:
        """The screen as a PNG."""
        if not self.desktop.is_awake:
            return paint.blank(self.grid)
        status = f"{self._clock.today():%H:%M} {self.serial} {self.battery}%"
        return paint.paint(self.desktop.view(), self.grid, status=status)

    def hierarchy(self) -> str:
        """The screen as uiautomator tells it."""
        return describe.describe(self.desktop.view(), self.grid)

    def reboot(self) -> None:
        """Go down now and come up again after a while; what was running is cut."""
        boot_s = self.faults.boot_s(self.setup.boot_s)
        now = self._clock.now()
        self._booted_s = now
        self._starts += 1
        self._down_until_s, self._ready_s = now + boot_s * _ADB_UP, now + boot_s
        self.desktop.reset()
        self.desktop.is_awake, self.desktop.is_locked = True, bool(self.desktop.pin)
        self.cut()
        for tell in self.on_power:
            tell()

    def cut(self) -> None:
        """End every command that is on its way, as if the line or the phone had gone."""
        for running in self._running:
            running.is_cut = True
            if running.task is not None:
                running.task.cancel()

    @contextlib.asynccontextmanager
    async def command(
        self, line: str, *, connection: str, stream: str = "0", is_read_only: bool
    ) -> AsyncGenerator[Running, None]:
        """The door: the command is recorded, suffers the phone's faults, and may be cut or cancelled at any time."""
        entry = self._record.begin(
            phone=self.serial, connection=connection, stream=stream, line=line, is_read_only=is_read_only
        )
        running = Running(entry, self.faults.on_command(line), asyncio.current_task())
        self._running.add(running)
        outcome = "cancelled"
        try:
            await self._suffer(running)
            yield running
            outcome = "exited"
        finally:
            self._running.discard(running)
            for helper in running.helpers:
                helper.cancel()
            self._record.end(entry, "cut" if running.is_cut else outcome, running.status)

    async def _suffer(self, running: Running) -> None:
        effects = running.effects
        if effects.crash_after_s is not None:
            running.helpers.append(asyncio.create_task(self._crash(effects.crash_after_s, running)))
        if effects.delay_s:
            await self._clock.sleep(effects.delay_s)
        if effects.is_hung:
            await asyncio.Event().wait()

    async def _crash(self, after_s: float, running: Running) -> None:
        await self._clock.sleep(after_s)
        running.helpers.clear()  # the reboot ends this command, which must not end this task half-way
        self.reboot()

    async def run(self, line: str, io: Io, *, connection: str, stream: str = "0") -> int:
        """Run a command line as adb's shell does and return its status."""
        door = self.command(line, connection=connection, stream=stream, is_read_only=reading.is_read_only(line))
        async with door as running:
            streams = Dripping(io, running.effects.drip_s, self._clock) if running.effects.drip_s else io
            status = await interpreter.Interpreter(self, running.effects).run_line(line, streams)
            running.status = status if running.effects.exit_code is None else running.effects.exit_code
            return running.status
