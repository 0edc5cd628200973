"""The faults of one phone: what a command suffers, and what they make of its battery, storage and connection."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from corral.simulator.phone.identity import Identity, story_of
from corral.simulator.scenario.model import (
    Battery,
    Crash,
    Disconnect,
    Drip,
    ExitCode,
    Fault,
    Hang,
    Heat,
    Latency,
    Screencap,
    SlowBoot,
    StorageFull,
    Unauthorized,
)
from corral.simulator.scenario.timetable import NEVER, Timetable, is_meant


@dataclass(slots=True)
class Effects:
    """What one command suffers."""

    delay_s: float = 0.0
    is_hung: bool = False
    drip_s: float | None = None
    crash_after_s: float | None = None
    exit_code: int | None = None
    screencap: str | None = None


@dataclass(slots=True)
class _Posted:
    """A fault on this phone."""

    name: str
    fault: Fault
    timetable: Timetable
    matched: int = 0
    """How many commands it was looked up for and fitted."""


class Board:
    """What is wrong with one phone."""

    def __init__(self, identity: Identity, *, seed: int, now: Callable[[], float]) -> None:
        self._identity = identity
        self._seed = seed
        self._now = now
        self._posted: list[_Posted] = []

    def post(self, name: str, fault: Fault, *, start_s: float = 0) -> bool:
        """Add a fault if it is meant for this phone; its times count from start_s."""
        if not is_meant(fault.phones, self._identity, seed=self._seed, about=name):
            return False
        timetable = Timetable.of(fault, self._identity, seed=self._seed, about=name, start_s=start_s)
        self._posted.append(_Posted(name, fault, timetable))
        return True

    def clear(self, name: str | None = None) -> None:
        """Take one away, or all."""
        self._posted = [posted for posted in self._posted if name is not None and posted.name != name]

    def names(self) -> list[str]:
        return [posted.name for posted in self._posted]

    def on_command(self, line: str) -> Effects:
        """What this command suffers. Counts it, so ask once for each."""
        effects, now = Effects(), self._now()
        for posted in self._posted:
            if posted.fault.follows_commands and posted.timetable.is_on(now) and _fits(posted, line):
                self._apply(posted, effects)
        return effects

    def _apply(self, posted: _Posted, effects: Effects) -> None:
        fault = posted.fault
        match fault:
            case Latency():
                effects.delay_s += self._draw(posted, fault)
            case Hang():
                effects.is_hung = True
            case Drip():
                effects.drip_s = max(effects.drip_s or 0.0, fault.interval_s)
            case Crash():
                effects.crash_after_s = fault.delay_s
            case ExitCode():
                effects.exit_code = fault.code
            case Screencap():
                effects.screencap = fault.gives
            case _:
                raise NotImplementedError(type(fault).__name__)

    def _draw(self, posted: _Posted, fault: Latency) -> float:
        if not isinstance(fault.seconds, tuple):
            return fault.seconds
        return story_of(self._seed, posted.name, self._identity.serial, posted.matched).uniform(
            fault.seconds[0], fault.seconds[1]
        )

    def battery(self, level: int) -> int:
        for posted in self._on(Battery):
            if isinstance(posted.fault, Battery) and posted.fault.level is not None:
                level = posted.fault.level
        drained = sum(
            posted.fault.drain_per_min * posted.timetable.seconds_on(self._now()) / 60
            for posted in self._posted
            if isinstance(posted.fault, Battery)
        )
        return max(0, round(level - drained))

    def celsius(self, base: float) -> float:
        return max([base, *(posted.fault.celsius for posted in self._on(Heat) if isinstance(posted.fault, Heat))])

    def boot_s(self, base: float) -> float:
        slow = [posted.fault.boot_s for posted in self._on(SlowBoot) if isinstance(posted.fault, SlowBoot)]
        return max([base, *slow])

    @property
    def is_full(self) -> bool:
        return bool(self._on(StorageFull))

    @property
    def is_unauthorized(self) -> bool:
        return bool(self._on(Unauthorized))

    @property
    def is_disconnected(self) -> bool:
        return bool(self._on(Disconnect))

    def next_change(self) -> float:
        """When the phone's connection is next to be looked at."""
        now = self._now()
        watched = [posted for posted in self._posted if isinstance(posted.fault, Disconnect | Unauthorized)]
        return min((posted.timetable.next_change(now) for posted in watched), default=NEVER)

    def _on(self, kind: type[Fault]) -> list[_Posted]:
        now = self._now()
        return [posted for posted in self._posted if isinstance(posted.fault, kind) and posted.timetable.is_on(now)]


def _fits(posted: _Posted, line: str) -> bool:
    when = posted.fault.when
    if when.match is not None and not re.search(when.match, line):
        return False
    posted.matched += 1
    return when.nth is None or when.nth <= posted.matched < when.nth + when.times
