"""Webhooks and what they are told, as plain data. Where a record holds a secret, its text does not."""

import base64
import secrets
from datetime import datetime
from enum import StrEnum
from typing import Final
from uuid import UUID

from msgspec import Struct

from corral.model.records import Json
from corral.model.states import DeliveryStatus, WebhookKind

SECRET_PREFIX: Final = "whsec_"  # noqa: S105 - only how one begins
_SECRET_BYTES: Final = 32


class NotificationType(StrEnum):
    """What webhooks are told of. A ping is asked for, never subscribed to."""

    RUN_FINISHED = "run.finished"
    RUN_FAILED = "run.failed"
    DEVICE_QUARANTINED = "device.quarantined"
    NODE_OFFLINE = "node.offline"
    NODE_ONLINE = "node.online"
    NODES_SILENT = "nodes.silent"
    SCHEDULE_FAILED = "schedule.failed"
    PING = "ping"


class Webhook(Struct, frozen=True):
    """Who is told of what; `last_status`, `last_at` and `last_error` are of the newest delivery."""

    webhook_id: UUID
    name: str
    kind: WebhookKind
    url: str
    events: list[NotificationType]
    is_enabled: bool
    waiting: int
    last_status: DeliveryStatus | None
    last_at: datetime | None
    last_error: str | None
    created_by: str | None
    created_at: datetime
    updated_at: datetime

    def __repr__(self) -> str:
        return f"Webhook({self.name})"


class Attempt(Struct, frozen=True):
    """One attempt at a delivery; delivered where there is no error."""

    at: datetime
    status_code: int | None
    latency_ms: int
    error: str | None


class Notification(Struct, frozen=True):
    """What happened. Its id stays the same however often it is told."""

    notification_id: UUID
    type: NotificationType
    at: datetime
    data: Json


class Delivery(Struct, frozen=True):
    """A notification on its way to one webhook, with its last twenty attempts, oldest first."""

    delivery_id: UUID
    webhook_id: UUID
    notification_id: UUID
    type: NotificationType
    subject: str
    at: datetime
    data: Json
    status: DeliveryStatus
    attempts: list[Attempt]
    last_status_code: int | None
    last_latency_ms: int | None
    last_error: str | None
    next_attempt_at: datetime | None
    created_at: datetime
    finished_at: datetime | None


class ClaimedDelivery(Struct, frozen=True):
    """A delivery that is to be attempted now, the `tries`-th time since it was asked for, with what it is signed with."""

    delivery_id: UUID
    claim_token: UUID
    webhook_id: UUID
    kind: WebhookKind
    url: str
    secret: str | None
    tries: int
    notification_id: UUID
    type: NotificationType
    at: datetime
    data: Json
    now: datetime

    def __repr__(self) -> str:
        return f"ClaimedDelivery({self.delivery_id})"

    @property
    def notification(self) -> Notification:
        return Notification(self.notification_id, self.type, self.at, self.data)


def mint_webhook_secret() -> str:
    """What a webhook's bodies are signed with: 32 random bytes, as Standard Webhooks writes them."""
    return SECRET_PREFIX + base64.b64encode(secrets.token_bytes(_SECRET_BYTES)).decode()
