"""The ladder of a phone that keeps failing: reconnect, reboot, quarantine; and the way back. Pure: it is told the time.

A few failures of the farm's kind (not of the work's) within a window are one step up; so is flapping. Work that
succeeds forgives everything. A quarantine ends when the phone answers again after a while, which doubles each time.
"""

from __future__ import annotations

from collections import deque
from enum import IntEnum, StrEnum

from msgspec import Struct

from corral.model.states import Health


class Act(StrEnum):
    """What is to be done with the phone."""

    RECONNECT = "reconnect"
    REBOOT = "reboot"
    QUARANTINE = "quarantine"
    RELEASE = "release"


class Rung(IntEnum):
    GROUND = 0
    RECONNECTED = 1
    REBOOTED = 2
    QUARANTINED = 3


class Rules(Struct, frozen=True, kw_only=True):
    """How much is too much."""

    failures: int = 3
    failure_window_s: float = 600.0
    flaps: int = 5
    flap_window_s: float = 300.0
    quarantine_s: float = 60.0
    longest_quarantine_s: float = 3600.0


_ACTS = {Rung.RECONNECTED: Act.RECONNECT, Rung.REBOOTED: Act.REBOOT, Rung.QUARANTINED: Act.QUARANTINE}


class Ladder:
    """Where one phone stands."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._failures: deque[float] = deque()
        self._flaps: deque[float] = deque()
        self._quarantines = 0
        self._moved_at = 0.0
        self.rung = Rung.GROUND
        self.reason: str | None = None

    @property
    def health(self) -> Health:
        if self.rung is Rung.QUARANTINED:
            return Health.QUARANTINED
        return Health.OK if self.rung is Rung.GROUND else Health.SUSPECT

    def failed(self, now: float, why: str) -> Act | None:
        """The phone, or the way to it, failed."""
        count = _count(self._failures, now, self._rules.failure_window_s)
        return self._climb(now, f"{count} failures in a row, last: {why}") if count >= self._rules.failures else None

    def disconnected(self, now: float) -> Act | None:
        """The phone went away by itself."""
        count = _count(self._flaps, now, self._rules.flap_window_s)
        if count < self._rules.flaps:
            return None
        return self._climb(now, f"disconnected {count} times within {self._rules.flap_window_s:g} s")

    def worked(self) -> None:
        """A job succeeded on it: whatever was, is forgiven, but a quarantine, which ends by `answered`."""
        self._failures.clear()
        if self.rung is not Rung.QUARANTINED:
            self._quarantines = 0
            self._stand(Rung.GROUND, None)

    def answered(self, now: float) -> Act | None:
        """It answered when asked how it is."""
        waited_s = now - self._moved_at
        if self.rung is Rung.QUARANTINED:
            if waited_s < self._sentence_s:
                return None
            self._stand(Rung.REBOOTED, f"was quarantined: {self.reason}")
            self._moved_at = now
            return Act.RELEASE
        if self.rung is not Rung.GROUND and not self._failures and waited_s >= self._rules.failure_window_s:
            self._stand(Rung.GROUND, None)
        return None

    @property
    def _sentence_s(self) -> float:
        doubled = self._rules.quarantine_s * 2.0 ** min(max(0, self._quarantines - 1), 16)
        return min(self._rules.longest_quarantine_s, doubled)

    def _climb(self, now: float, reason: str) -> Act | None:
        if self.rung is Rung.QUARANTINED:
            self._moved_at = now  # trouble in quarantine: the wait starts anew
            return None
        rung = Rung(self.rung + 1)
        self._stand(rung, reason)
        self._moved_at = now
        self._quarantines += rung is Rung.QUARANTINED
        return _ACTS[rung]

    def _stand(self, rung: Rung, reason: str | None) -> None:
        self.rung, self.reason = rung, reason
        self._failures.clear()
        self._flaps.clear()


def _count(times: deque[float], now: float, window_s: float) -> int:
    times.append(now)
    while times and times[0] < now - window_s:
        times.popleft()
    return len(times)
