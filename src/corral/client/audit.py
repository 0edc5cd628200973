"""The audit: who did what to which."""

from collections.abc import Iterator
from uuid import UUID

from corral.client.paging import each_of
from corral.client.transport import Transport
from corral.model.records import AuditEntry
from corral.wire.audit import AuditPage


class Audit:
    """`client.audit`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self, *, actor: str | None = None, subject: str | None = None, most: int | None = None
    ) -> Iterator[AuditEntry]:
        """What was asked for and changed something, newest first: by one actor, to one subject, or all of it."""

        def ask(before: UUID | None) -> "tuple[list[AuditEntry], UUID | None]":
            page = self._transport.get("/api/audit", AuditPage, {"actor": actor, "subject": subject, "before": before})
            return page.entries, page.next

        return each_of(ask, most=most)
