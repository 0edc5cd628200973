"""Devices, their history, and what their screens show."""

from datetime import datetime
from typing import Literal
from uuid import UUID

from msgspec import Struct

from corral.model.states import Connection, FailureReason, Health, JobStatus

DeviceActivity = Literal["running", "waiting", "idle", "quarantined", "offline"]


class Device(Struct, frozen=True):
    """One phone on one node."""

    device_id: UUID
    node_id: str
    serial: str
    index_no: int
    runtime_handle: str | None
    label: str | None
    tags: list[str]
    model: str | None
    os_version: str | None
    battery: int | None
    temperature: float | None
    connection: Connection
    health: Health
    health_reason: str | None
    contested_node_id: str | None
    last_error_message: str | None
    changed_at: datetime
    online: bool
    activity: DeviceActivity
    held_by: str | None = None
    """Who holds it in a session, if somebody does."""
    session_id: UUID | None = None


class DeviceJob(Struct, frozen=True):
    """One job of a device's history. `position` counts up within a device."""

    position: int
    job_id: UUID
    run_id: UUID
    run_name: str
    workflow: str
    workflow_version: int
    node_id: str | None
    status: JobStatus
    attempt: int
    failure_reason: FailureReason | None
    error_message: str | None
    queued_at: datetime
    started_at: datetime | None
    finished_at: datetime | None


class DeviceSample(Struct, frozen=True):
    """How a device was at a moment."""

    at: datetime
    battery: int | None
    temperature: float | None


class HealthChange(Struct, frozen=True):
    """A change of a device's health: from when on, why, and by whom: an operator's name, or `node:<id>`."""

    at: datetime
    health: Health
    reason: str | None
    changed_by: str


class Watch(Struct, frozen=True):
    """A device whose screen somebody looks at, for so many seconds unless they go on."""

    device_id: UUID
    serial: str
    for_s: float


class Picture(Struct, frozen=True):
    """What a device's screen last showed, or why it showed nothing, and how long ago."""

    stored_at: datetime
    age_s: float
    content_type: str | None
    content: bytes | None
    error_message: str | None


class OfferedPhone(Struct, frozen=True):
    """A phone that a step could use, as its node's server knows it."""

    serial: str
    index_no: int
    label: str | None
    model: str | None
    os_version: str | None
    tags: list[str]
    capabilities: list[str]
