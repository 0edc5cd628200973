"""Webhooks and their deliveries, as admins see and change them. A secret is told once, when it is made."""

from typing import Annotated, Literal
from uuid import UUID

from msgspec import UNSET, Meta, Struct, UnsetType

from corral.model.notifications import Delivery, Webhook
from corral.model.states import WebhookKind
from corral.wire.runs import Text

Subscription = Literal[
    "run.finished", "run.failed", "device.quarantined", "node.offline", "node.online", "nodes.silent", "schedule.failed"
]
Subscriptions = Annotated[list[Subscription], Meta(min_length=1, max_length=20)]
Url = Annotated[str, Meta(min_length=1, max_length=2000)]


class NewWebhook(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Whom to tell of what. Of kind `json` it is signed, and the answer tells the secret; of kind `slack` the URL is one."""

    name: Text
    url: Url
    kind: WebhookKind = WebhookKind.JSON
    events: Subscriptions
    is_enabled: bool = True

    def __repr__(self) -> str:
        return f"NewWebhook({self.name})"


class WebhookChange(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What to change; what is left out stays."""

    name: Text | UnsetType = UNSET
    url: Url | UnsetType = UNSET
    events: Subscriptions | UnsetType = UNSET
    is_enabled: bool | UnsetType = UNSET

    def __repr__(self) -> str:
        return "WebhookChange(***)"


class WebhookSecret(Struct, frozen=True, kw_only=True):
    """A webhook and what its bodies are signed with, told this once; null where they are not signed."""

    secret: str | None
    webhook: Webhook

    def __repr__(self) -> str:
        return f"WebhookSecret({self.webhook.name})"


class WebhookPage(Struct, frozen=True, kw_only=True):
    """Webhooks by name; `next` is the `after` of the following page, null on the last."""

    webhooks: list[Webhook]
    next: str | None


class DeliveryPage(Struct, frozen=True, kw_only=True):
    """Deliveries, newest first; `next` is the `before` of the following page, null on the last."""

    deliveries: list[Delivery]
    next: UUID | None


class DeliveryDetail(Struct, frozen=True, kw_only=True):
    """A delivery, and the body that is sent."""

    delivery: Delivery
    body: str
