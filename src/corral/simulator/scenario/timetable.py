"""When a fault is on, for one phone: a pure function of the time, so that the same seed tells the same story."""

from __future__ import annotations

import math
from typing import Final

from corral.simulator.phone.identity import Identity, share_of
from corral.simulator.scenario.model import Fault, Phones, When, parse_indexes

NEVER: Final = math.inf


def is_meant(phones: Phones, identity: Identity, *, seed: int, about: str) -> bool:
    """Whether the fault is for this phone."""
    if phones.indexes is not None and not any(identity.index in part for part in parse_indexes(phones.indexes)):
        return False
    if phones.serials is not None and identity.serial not in phones.serials:
        return False
    return phones.fraction is None or share_of(seed, about, "chosen", identity.serial) < phones.fraction


class Timetable:
    """The windows in which a fault is on."""

    def __init__(self, when: When, *, start_s: float) -> None:
        self._start = start_s + when.after_s
        self._for = when.for_s if when.for_s is not None else NEVER
        self._every = when.every_s

    @classmethod
    def of(cls, fault: Fault, identity: Identity, *, seed: int, about: str, start_s: float = 0) -> Timetable:
        """This phone's windows, spread by the seed."""
        spread = fault.when.spread_s * share_of(seed, about, "spread", identity.serial)
        return cls(fault.when, start_s=start_s + spread)

    def is_on(self, now: float) -> bool:
        return now >= self._start and self._since(now) < self._for

    def next_change(self, now: float) -> float:
        """When it next goes on or off; NEVER if it does not."""
        if now < self._start:
            return self._start
        if self.is_on(now):
            return now - self._since(now) + self._for
        return NEVER if self._every is None else now - self._since(now) + self._every

    def seconds_on(self, now: float) -> float:
        """For how long it has been on in all."""
        if now < self._start:
            return 0.0
        whole = 0.0 if self._every is None else self._for * ((now - self._start) // self._every)
        return float(whole + min(self._since(now), self._for))

    def _since(self, now: float) -> float:
        passed = now - self._start
        return passed if self._every is None else passed % self._every
