"""Pages of the audit."""

from uuid import UUID

from msgspec import Struct

from corral.model.records import AuditEntry


class AuditPage(Struct, frozen=True, kw_only=True):
    """Entries, newest first; `next` is the `before` of the following page, null on the last."""

    entries: list[AuditEntry]
    next: UUID | None
