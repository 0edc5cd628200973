"""What upkeep finds, and who did what."""

from datetime import datetime
from uuid import UUID

from msgspec import Struct

from corral.model.records.values import Json


class Tick(Struct, frozen=True):
    """What an upkeep tick found: whether verdicts may be passed, and the silence that forbids them."""

    verdicts_open: bool
    silence_since: datetime | None
    silent_nodes: int


class Violation(Struct, frozen=True):
    """A broken invariant, with enough to find it."""

    invariant: str
    object: str
    detail: str


class AuditEntry(Struct, frozen=True):
    """Who did what to which."""

    audit_id: UUID
    at: datetime
    actor: str
    action: str
    subject: str
    detail: Json
