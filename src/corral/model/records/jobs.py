"""Jobs, their leases, and what became of what nodes told of them."""

from datetime import datetime
from typing import Any
from uuid import UUID

from msgspec import Struct

from corral.model.states import EventOutcome, FailureReason, JobStatus


class Job(Struct, frozen=True):
    """A run on one device, or a distributed run itself."""

    job_id: UUID
    run_id: UUID
    workspace: str
    device_id: UUID | None
    node_id: str | None
    mode: str
    position: int
    priority: int
    status: JobStatus
    attempt: int
    max_attempts: int
    lease_owner: str | None
    lease_token: UUID | None
    lease_until: datetime | None
    current_step: str | None
    steps_done: int
    steps_total: int
    is_open: bool
    log_path: str | None
    input: Any
    output: Any
    failure_reason: FailureReason | None
    error_message: str | None
    source_type: str | None
    source_id: str | None
    queued_at: datetime
    leased_at: datetime | None
    started_at: datetime | None
    finished_at: datetime | None


class Grant(Struct, frozen=True):
    """A job leased to a node."""

    job_id: UUID
    run_id: UUID
    device_id: UUID
    serial: str
    runtime_handle: str | None
    lease_token: UUID
    fence: int
    attempt: int
    priority: int
    position: int
    timeout_s: float
    input: Any = None
    index_no: int = 0
    label: str | None = None
    model: str | None = None
    os_version: str | None = None
    tags: list[str] = []


class EventResult(Struct, frozen=True):
    """What became of one event of a callback."""

    event_id: str | None
    outcome: EventOutcome
    message: str | None = None
