"""A step of a distributed run that the node holds: what it was given, and whether it was told to stop."""

from __future__ import annotations

import asyncio

from corral.model.records import RunSpec
from corral.node.events import JobEvents
from corral.node.held import StopCause
from corral.wire.steps import ClaimedStep
from corral.workflow import WHOLE_JOB


class HeldStep:
    """From its claim until its end was told. The first cause to stop it counts. `spec` is there where it is a whole job."""

    def __init__(self, step: ClaimedStep, spec: RunSpec | None) -> None:
        self.step = step
        self.spec = spec
        within = WHOLE_JOB if spec is not None else None
        self.events = JobEvents(job_id=step.job_id, lease_token=step.lease_token, within=within)
        self.cause: StopCause | None = None
        self.stopped = asyncio.Event()

    def stop(self, cause: StopCause) -> None:
        """Have the step stopped."""
        if self.cause is None:
            self.cause = cause
            self.stopped.set()
