"""The audit: who did what to which."""

from uuid import UUID

from corral.engine.database import Database, to_records
from corral.model.records import AuditEntry


class Audit:
    """Everything that somebody asked for and that changed something."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def list(
        self, *, actor: str | None = None, subject: str | None = None, before: UUID | None = None, limit: int = 100
    ) -> list[AuditEntry]:
        """Entries of one actor, on one subject, or all, newest first: `before` is the last audit_id seen."""
        rows = await self._database.fetch(
            "select * from corral.audit_entries where ($1::text is null or actor = $1)"
            " and ($2::text is null or subject = $2) and ($3::uuid is null or (at, audit_id) <"
            " (select o.at, o.audit_id from corral.audit_entries o where o.audit_id = $3))"
            " order by at desc, audit_id desc limit $4",
            actor,
            subject,
            before,
            limit,
        )
        return to_records(rows, AuditEntry)
