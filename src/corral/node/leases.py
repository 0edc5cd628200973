"""What the node holds, and until when it may touch phones. Pure: it is told the time and starts nothing.

The lease is the node's: whatever renews it renews every job. It ends here before it can end at the server, because
it is counted from the moment the request left and shortened by a margin. After that nothing may touch a phone until a
later renewal; what ran meanwhile is interrupted, and not failed.

A grant may have been on its way for longer than that, by a slow network or while this process was stopped, and the server may
have given the job to another since. So a token counts from the moment its request left, too, and from then on only
heartbeats that named it keep it: an answer to one that did not know it yet says nothing of it.
"""

from __future__ import annotations

from collections.abc import Collection
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
        self._right_s = 0.0
        self._held: frozenset[UUID] = frozenset()
        self._tokens_until: dict[UUID, float] = {}
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

    def is_live_for(self, token: UUID) -> bool:
        """Whether the phone of this token may be touched now."""
        return self.is_live and self._tokens_until.get(token, 0.0) > self._clock()

    def renew(self, *, sent_at: float, lease_s: float, named: Collection[UUID] = ()) -> None:
        """The server renewed the lease in answer to a request that left at `sent_at` (of this clock) and named these tokens."""
        self._right_s = lease_s - lease_s / BEATS_PER_LEASE
        self._until = max(self._until, sent_at + self._right_s)
        for token in self._held.intersection(named):
            self._tokens_until[token] = max(self._tokens_until[token], sent_at + self._right_s)

    def end(self) -> None:
        """Never again: another agent is this node now."""
        self._is_over = True

    def hold(self, token: UUID, *, sent_at: float) -> None:
        """A request that first left at `sent_at` brought this token."""
        self._held |= {token}
        self._tokens_until[token] = sent_at + self._right_s

    def drop(self, token: UUID) -> None:
        """The job's end was acknowledged, or the token is worth nothing any more."""
        self._held -= {token}
        self._tokens_until.pop(token, None)
