"""Sessions: phones that are held for a person or a program, as plain data."""

from datetime import datetime
from enum import StrEnum
from uuid import UUID

from msgspec import Struct

from corral.model.records import Json
from corral.model.states import SessionEnd


class SessionState(StrEnum):
    """A phone held for somebody: not had yet, had, or let go. Derived, never written."""

    WAITING = "waiting"
    ACTIVE = "active"
    ENDED = "ended"


class SessionDevice(Struct, frozen=True):
    """The phone that a session has, or had."""

    device_id: UUID
    index: int
    serial: str
    model: str | None
    os_version: str | None
    node_id: str
    tags: list[str]


class DeviceSession(Struct, frozen=True):
    """A phone held for somebody: waiting for one, active with one, or ended for a reason.

    It ends at `expires_at` unless it is renewed; that counts anew from the moment in which the phone was had.
    """

    session_id: UUID
    state: SessionState
    device: SessionDevice | None
    holder: str
    purpose: str | None
    tags: list[str]
    ttl_s: float
    created_at: datetime
    started_at: datetime | None
    expires_at: datetime
    ended_at: datetime | None
    end_reason: SessionEnd | None
    end_message: str | None
    ended_by: str | None
    run_id: UUID
    job_id: UUID | None
    has_adb: bool


class SessionInput(Struct, frozen=True):
    """What a holder did to the screen of the phone, for the node that has it. Each session's are numbered upwards."""

    session_id: UUID
    lease_token: UUID
    seq: int
    input: Json
