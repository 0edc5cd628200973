"""A job that the node holds: what it was granted, and whether it was told to stop."""

from __future__ import annotations

import asyncio
from enum import StrEnum

from corral.model.records import Grant, RunSpec
from corral.node.events import JobEvents


class StopCause(StrEnum):
    """Why a job is stopped before its end."""

    CANCELLED = "cancelled"
    LOST = "lost"
    FENCED = "fenced"
    STOPPING = "stopping"
    BLOCKED = "blocked"

    @property
    def words(self) -> str:
        return _WORDS[self]


_WORDS = {
    StopCause.CANCELLED: "the run was cancelled",
    StopCause.LOST: "the server took the lease back",
    StopCause.FENCED: "the lease could not be renewed in time",
    StopCause.STOPPING: "the node is stopping",
    StopCause.BLOCKED: "its device is not ready for work",
}


class HeldJob:
    """From its grant until its end was told. The first cause to stop it counts."""

    def __init__(self, grant: Grant, spec: RunSpec) -> None:
        self.grant = grant
        self.spec = spec
        self.events = JobEvents(job_id=grant.job_id, lease_token=grant.lease_token)
        self.cause: StopCause | None = None
        self.stopped = asyncio.Event()
        self.ended = asyncio.Event()
        """Set when it was told to stop or has come to its end: whatever goes on beside it must not go on after it."""

        self.blocked_at: float | None = None
        """Since when its device has kept it from starting."""

    def stop(self, cause: StopCause) -> None:
        """Have the job stopped, wherever it is."""
        if self.cause is None:
            self.cause = cause
            self.stopped.set()
            self.ended.set()
