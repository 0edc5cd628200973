"""What the node holds, and until when it may touch phones. Pure: it is told the time and starts nothing.

The lease is the node's: whatever renews it renews every job. It ends here before it can end at the server, because
it is counted from the moment the request left and shortened by a margin. After that nothing may touch a phone until a
later renewal; what ran meanwhile is interrupted, and not failed.
"""

from __future__ import annotations

from typing import Final
from uuid import UUID

from corral.node.clock import Clock

BEATS_PER_LEASE: Final = 6
"""A heartbeat every sixth of a lease (10 s of 60), and a margin as long: five beats may fail before work stops."""


class Leases:
    """The tokens that the node answers for, and the end of its right to use them."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._until = clock()
        self._held: frozenset[UUID] = frozenset()
        self._is_over = False

    @property
    def held(self) -> frozenset[UUID]:
        """Every token whose job_finished the server has not acknowledged. A value: safe to read from any thread."""
        return self._held

    @property
    def is_live(self) -> bool:
        """Whether phones may be touched now."""
        return self.left_s > 0

    @property
    def left_s(self) -> float:
        """How long phones may be touched; 0 once that has ended."""
        return 0.0 if self._is_over else max(0.0, self._until - self._clock())

    def renew(self, *, sent_at: float, lease_s: float) -> None:
        """The server renewed the lease in answer to a request that left at `sent_at` (of this clock)."""
        self._until = max(self._until, sent_at + lease_s - lease_s / BEATS_PER_LEASE)

    def end(self) -> None:
        """Never again: another agent is this node now."""
        self._is_over = True

    def hold(self, token: UUID) -> None:
        self._held |= {token}

    def drop(self, token: UUID) -> None:
        """The job's end was acknowledged, or the token is worth nothing any more."""
        self._held -= {token}
