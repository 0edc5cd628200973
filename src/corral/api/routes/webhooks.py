"""Webhooks: who is told of what happens. For admins only, because the server calls the addresses that are named here."""

from typing import Annotated, Any, Final
from uuid import UUID

import msgspec
from litestar import Request, delete, get, patch, post
from litestar.di import NamedDependency
from litestar.params import FromPath, FromQuery, JSONBody, QueryParameter
from msgspec.structs import replace

from corral.api.auth import caller_of
from corral.api.server import Server
from corral.model.notifications import Delivery, Notification, Webhook, mint_webhook_secret
from corral.model.states import WebhookKind
from corral.notify import check_url, conceal_url, render_body
from corral.wire.webhooks import DeliveryDetail, DeliveryPage, NewWebhook, WebhookChange, WebhookPage, WebhookSecret


@post("/api/webhooks")
async def create_webhook(
    data: JSONBody[NewWebhook], server: NamedDependency[Server], request: Request[Any, Any, Any]
) -> WebhookSecret:
    """Tell a URL of what happens; the answer tells what bodies are signed with, this once."""
    check_url(data.url, allow_private=server.config.webhook_allow_private)
    secret = mint_webhook_secret() if data.kind is WebhookKind.JSON else None
    webhook = await server.engine.webhooks.create_webhook(
        msgspec.to_builtins(data), secret=secret, actor=caller_of(request).actor
    )
    return WebhookSecret(secret=secret, webhook=_shown(webhook))


@get("/api/webhooks")
async def list_webhooks(
    server: NamedDependency[Server],
    after: FromQuery[str] = "",
    limit: Annotated[int, QueryParameter(ge=1, le=1000)] = 100,
) -> WebhookPage:
    """Webhooks by name, without their secrets; of Slack's URLs only the host is shown."""
    webhooks = await server.engine.webhooks.list(after=after, limit=limit)
    return WebhookPage(
        webhooks=[_shown(each) for each in webhooks], next=webhooks[-1].name if len(webhooks) == limit else None
    )


@get("/api/webhooks/{webhook_id:uuid}")
async def get_webhook(webhook_id: FromPath[UUID], server: NamedDependency[Server]) -> Webhook:
    """One webhook."""
    return _shown(await server.engine.webhooks.get(webhook_id))


@patch("/api/webhooks/{webhook_id:uuid}")
async def update_webhook(
    webhook_id: FromPath[UUID],
    data: JSONBody[WebhookChange],
    server: NamedDependency[Server],
    request: Request[Any, Any, Any],
) -> Webhook:
    """Change a webhook's name, URL or events, enable or disable it. Its kind and its secret stay."""
    if data.url is not msgspec.UNSET:
        check_url(data.url, allow_private=server.config.webhook_allow_private)
    webhook = await server.engine.webhooks.update_webhook(
        webhook_id, msgspec.to_builtins(data), actor=caller_of(request).actor
    )
    return _shown(webhook)


@delete("/api/webhooks/{webhook_id:uuid}")
async def delete_webhook(
    webhook_id: FromPath[UUID], server: NamedDependency[Server], request: Request[Any, Any, Any]
) -> None:
    """Delete a webhook and its deliveries."""
    await server.engine.webhooks.delete_webhook(webhook_id, actor=caller_of(request).actor)


@post("/api/webhooks/{webhook_id:uuid}/secret")
async def rotate_webhook_secret(
    webhook_id: FromPath[UUID], server: NamedDependency[Server], request: Request[Any, Any, Any]
) -> WebhookSecret:
    """A new secret in the place of the old one, told this once; 409 for Slack's kind, which is not signed."""
    secret = mint_webhook_secret()
    webhook = await server.engine.webhooks.rotate_webhook_secret(webhook_id, secret, actor=caller_of(request).actor)
    return WebhookSecret(secret=secret, webhook=_shown(webhook))


@post("/api/webhooks/{webhook_id:uuid}/ping")
async def ping_webhook(
    webhook_id: FromPath[UUID], server: NamedDependency[Server], request: Request[Any, Any, Any]
) -> Delivery:
    """Try a webhook, enabled or not. The delivery is made within a second or so: look at it again."""
    return await server.engine.webhooks.ping_webhook(webhook_id, actor=caller_of(request).actor)


@get("/api/webhooks/{webhook_id:uuid}/deliveries")
async def list_deliveries(
    webhook_id: FromPath[UUID],
    server: NamedDependency[Server],
    before: FromQuery[UUID | None] = None,
    limit: Annotated[int, QueryParameter(ge=1, le=500)] = 50,
) -> DeliveryPage:
    """The deliveries of a webhook, newest first, with their attempts."""
    deliveries = await server.engine.webhooks.list_deliveries(webhook_id, before=before, limit=limit)
    return DeliveryPage(deliveries=deliveries, next=deliveries[-1].delivery_id if len(deliveries) == limit else None)


@get("/api/webhooks/{webhook_id:uuid}/deliveries/{delivery_id:uuid}")
async def get_delivery(
    webhook_id: FromPath[UUID], delivery_id: FromPath[UUID], server: NamedDependency[Server]
) -> DeliveryDetail:
    """One delivery, and the body that is sent."""
    webhook = await server.engine.webhooks.get(webhook_id)
    delivery = await server.engine.webhooks.get_delivery(webhook_id, delivery_id)
    told = Notification(delivery.notification_id, delivery.type, delivery.at, delivery.data)
    body = render_body(webhook.kind, told, public_url=server.config.public_url)
    return DeliveryDetail(delivery=delivery, body=body.decode())


@post("/api/webhooks/{webhook_id:uuid}/deliveries/{delivery_id:uuid}/redeliver", status_code=200)
async def redeliver(
    webhook_id: FromPath[UUID],
    delivery_id: FromPath[UUID],
    server: NamedDependency[Server],
    request: Request[Any, Any, Any],
) -> Delivery:
    """Make a delivery once more, at once, with the same id: whoever got it already can tell."""
    return await server.engine.webhooks.redeliver(webhook_id, delivery_id, actor=caller_of(request).actor)


HANDLERS: Final = [
    create_webhook,
    list_webhooks,
    get_webhook,
    update_webhook,
    delete_webhook,
    rotate_webhook_secret,
    ping_webhook,
    list_deliveries,
    get_delivery,
    redeliver,
]


def _shown(webhook: Webhook) -> Webhook:
    """Without what opens a door: whoever has Slack's URL may write there."""
    return replace(webhook, url=conceal_url(webhook.url)) if webhook.kind is WebhookKind.SLACK else webhook
