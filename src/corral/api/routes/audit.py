"""The audit: who did what to which."""

from typing import Annotated, Final
from uuid import UUID

from litestar import get
from litestar.di import NamedDependency
from litestar.params import FromQuery, QueryParameter

from corral.api.server import Server
from corral.wire.audit import AuditPage


@get("/api/audit")
async def list_audit(
    server: NamedDependency[Server],
    *,
    actor: FromQuery[str | None] = None,
    subject: FromQuery[str | None] = None,
    before: FromQuery[UUID | None] = None,
    limit: Annotated[int, QueryParameter(ge=1, le=1000)] = 100,
) -> AuditPage:
    """What was asked for and changed something: by one actor, to one subject, or all of it."""
    entries = await server.engine.audit.list(actor=actor, subject=subject, before=before, limit=limit)
    return AuditPage(entries=entries, next=entries[-1].audit_id if len(entries) == limit else None)


HANDLERS: Final = [list_audit]
