"""Webhooks: who is told of what happens. For admins."""

from collections.abc import Iterator
from uuid import UUID

from corral.client.paging import each_of
from corral.client.transport import Transport
from corral.model.errors import NotFoundError
from corral.model.notifications import Delivery, Webhook
from corral.wire.webhooks import DeliveryDetail, DeliveryPage, NewWebhook, WebhookChange, WebhookPage, WebhookSecret


class Webhooks:
    """`client.webhooks`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(self, webhook: NewWebhook) -> WebhookSecret:
        """Tell a URL of what happens; the secret is told this once. Raises ConflictError, InvalidRequestError."""
        return self._transport.send("POST", "/api/webhooks", WebhookSecret, webhook)

    def update(self, webhook_id: UUID | str, change: WebhookChange) -> Webhook:
        """Change a webhook, enable or disable it."""
        return self._transport.send("PATCH", f"/api/webhooks/{webhook_id}", Webhook, change, is_repeatable=True)

    def rotate_secret(self, webhook_id: UUID | str) -> WebhookSecret:
        """A new secret in the place of the old one, told this once."""
        return self._transport.send("POST", f"/api/webhooks/{webhook_id}/secret", WebhookSecret)

    def delete(self, webhook_id: UUID | str) -> None:
        """Delete a webhook and its deliveries."""
        self._transport.delete(f"/api/webhooks/{webhook_id}")

    def ping(self, webhook_id: UUID | str) -> Delivery:
        """Try a webhook; the delivery is made within a second or so."""
        return self._transport.send("POST", f"/api/webhooks/{webhook_id}/ping", Delivery)

    def redeliver(self, webhook_id: UUID | str, delivery_id: UUID | str) -> Delivery:
        """Make a delivery once more, at once."""
        path = f"/api/webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver"
        return self._transport.send("POST", path, Delivery, is_repeatable=True)

    def find(self, name: str) -> Webhook:
        """A webhook by its name. Raises NotFoundError."""
        for webhook in self.list():
            if webhook.name == name:
                return webhook
        raise NotFoundError(f"no webhook {name}", path="webhook")

    def get_delivery(self, webhook_id: UUID | str, delivery_id: UUID | str) -> DeliveryDetail:
        """A delivery and the body that is sent. Raises NotFoundError."""
        return self._transport.get(f"/api/webhooks/{webhook_id}/deliveries/{delivery_id}", DeliveryDetail)

    def deliveries(self, webhook_id: UUID | str, *, most: int | None = None) -> Iterator[Delivery]:
        """The deliveries of a webhook, newest first."""

        def ask(before: UUID | None) -> "tuple[list[Delivery], UUID | None]":
            page = self._transport.get(f"/api/webhooks/{webhook_id}/deliveries", DeliveryPage, {"before": before})
            return page.deliveries, page.next

        return each_of(ask, most=most)

    def list(self, *, most: int | None = None) -> Iterator[Webhook]:
        """Webhooks by name."""

        def ask(after: str | None) -> "tuple[list[Webhook], str | None]":
            page = self._transport.get("/api/webhooks", WebhookPage, {"after": after})
            return page.webhooks, page.next

        return each_of(ask, most=most)
