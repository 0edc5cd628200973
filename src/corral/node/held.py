"""A job that the node holds: what it was granted, whether it has its phone, and whether it was told to stop."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum

from corral.model.records import Grant, RunSpec
from corral.node.events import JobEvents
from corral.workflow import HOLD_NAME


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
        self.blocked_at: float | None = None
        """Since when its device has kept it from starting."""

        self.over = asyncio.Event()
        """Nobody may use the phone in this job's name any more: it was told to stop, or it let go of the phone."""

        self._has_phone = False

    @property
    def is_session(self) -> bool:
        """Whether somebody holds the phone by it: it does not end by itself."""
        return self.spec.workflow_name == HOLD_NAME

    @property
    def may_be_used(self) -> bool:
        """Whether the phone may be used in its name, as far as this job is concerned: it has it, and goes on."""
        return self._has_phone and not self.over.is_set()

    @contextmanager
    def having_phone(self) -> Iterator[None]:
        """The phone is this job's alone for the length of the block."""
        self._has_phone = True
        try:
            yield
        finally:
            self._has_phone = False
            self.over.set()

    def stop(self, cause: StopCause) -> None:
        """Have the job stopped, wherever it is."""
        if self.cause is None:
            self.cause = cause
            self.stopped.set()
            self.over.set()
