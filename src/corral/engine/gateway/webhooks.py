"""Webhooks: who is told of what, and how that went."""

from collections.abc import Collection
from datetime import timedelta
from uuid import UUID

from corral.engine.database import Database, to_record, to_records
from corral.model.errors import NotFoundError
from corral.model.notifications import ClaimedDelivery, Delivery, Webhook
from corral.model.records import Json
from corral.model.states import DeliveryStatus


class Webhooks:
    """Webhooks and their deliveries. What happened is written down by the SQL functions that let it happen."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def create_webhook(self, body: Json, *, secret: str | None, actor: str | None = None) -> Webhook:
        """Store a webhook; `body` is what fn_create_webhook documents. Raises ConflictError where the name is taken."""
        webhook_id: UUID = await self._database.fetch_value(
            "select corral.fn_create_webhook($1, $2, $3)", body, secret, actor
        )
        return await self.get(webhook_id)

    async def update_webhook(self, webhook_id: UUID, body: Json, *, actor: str | None = None) -> Webhook:
        """Change what `body` holds. Raises NotFoundError, ConflictError."""
        await self._database.fetch("select corral.fn_update_webhook($1, $2, $3)", webhook_id, body, actor)
        return await self.get(webhook_id)

    async def rotate_webhook_secret(self, webhook_id: UUID, secret: str, *, actor: str | None = None) -> Webhook:
        """Sign with another secret from now on. Raises NotFoundError, ConflictError where it signs nothing."""
        await self._database.fetch("select corral.fn_rotate_webhook_secret($1, $2, $3)", webhook_id, secret, actor)
        return await self.get(webhook_id)

    async def delete_webhook(self, webhook_id: UUID, *, actor: str | None = None) -> None:
        """Delete a webhook and its deliveries. Raises NotFoundError."""
        await self._database.fetch("select corral.fn_delete_webhook($1, $2)", webhook_id, actor)

    async def ping_webhook(self, webhook_id: UUID, *, actor: str | None = None) -> Delivery:
        """Ask for the webhook to be tried, enabled or not. Raises NotFoundError."""
        delivery_id: UUID = await self._database.fetch_value("select corral.fn_ping_webhook($1, $2)", webhook_id, actor)
        return await self.get_delivery(webhook_id, delivery_id)

    async def redeliver(self, webhook_id: UUID, delivery_id: UUID, *, actor: str | None = None) -> Delivery:
        """Make a delivery once more, at once. Raises NotFoundError."""
        await self._database.fetch("select corral.fn_redeliver($1, $2, $3)", webhook_id, delivery_id, actor)
        return await self.get_delivery(webhook_id, delivery_id)

    async def claim_deliveries(
        self, *, busy: Collection[UUID] = (), each: int, within: timedelta
    ) -> list[ClaimedDelivery]:
        """Deliveries that are due, `each` of a webhook at most, to be attempted within that time; with their secrets."""
        rows = await self._database.fetch(
            "select * from corral.fn_claim_deliveries($1, $2, $3)", list(busy), each, within
        )
        return to_records(rows, ClaimedDelivery)

    async def record_attempt(
        self,
        claimed: ClaimedDelivery,
        *,
        status_code: int | None,
        latency_ms: int,
        error: str | None,
        retry_in: timedelta | None,
    ) -> DeliveryStatus | None:
        """Write down how an attempt ended; None where it had been given up on meanwhile."""
        status = await self._database.fetch_value(
            "select corral.fn_record_attempt($1, $2, $3, $4, $5, $6)",
            claimed.delivery_id,
            claimed.claim_token,
            status_code,
            latency_ms,
            error,
            retry_in,
        )
        return None if status is None else DeliveryStatus(status)

    async def notify_returned_nodes(self) -> int:
        """Tell that nodes are back whose silence was told; say how many."""
        back: int = await self._database.fetch_value("select corral.fn_notify_returned_nodes()")
        return back

    async def get(self, webhook_id: UUID) -> Webhook:
        """Raises NotFoundError."""
        row = await self._database.fetch_one("select * from corral.webhook_states where webhook_id = $1", webhook_id)
        if row is None:
            raise NotFoundError(f"no webhook {webhook_id}", path="webhook_id")
        return to_record(row, Webhook)

    async def get_delivery(self, webhook_id: UUID, delivery_id: UUID) -> Delivery:
        """Raises NotFoundError."""
        row = await self._database.fetch_one(
            "select * from corral.delivery_states where webhook_id = $1 and delivery_id = $2", webhook_id, delivery_id
        )
        if row is None:
            raise NotFoundError(f"no delivery {delivery_id}", path="delivery_id")
        return to_record(row, Delivery)

    async def list_deliveries(self, webhook_id: UUID, *, before: UUID | None = None, limit: int = 50) -> list[Delivery]:
        """The deliveries of a webhook, newest first: `before` is the last one seen. Raises NotFoundError."""
        await self.get(webhook_id)
        rows = await self._database.fetch(
            "select * from corral.delivery_states where webhook_id = $1 and ($2::uuid is null or delivery_id < $2)"
            " order by delivery_id desc limit $3",
            webhook_id,
            before,
            limit,
        )
        return to_records(rows, Delivery)

    async def purge_notifications(self, older_than: timedelta, *, chunk: int = 10_000) -> int:
        """Forget old deliveries that ended, and what nobody is told of any more, a chunk a transaction."""
        gone = 0
        while count := await self._database.fetch_value(
            "select corral.fn_purge_notifications(corral.fn_now() - $1::interval, $2)", older_than, chunk
        ):
            gone += count
        return gone

    async def list(self, *, after: str = "", limit: int = 100) -> list[Webhook]:
        """Webhooks by name, a page at a time: `after` is the last name seen."""
        rows = await self._database.fetch(
            "select * from corral.webhook_states where name > $1 order by name limit $2", after, limit
        )
        return to_records(rows, Webhook)
