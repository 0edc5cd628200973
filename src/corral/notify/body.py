"""What a webhook is sent. The same notification is always the same bytes, however often it is told."""

from typing import Any

import msgspec

from corral.model.notifications import Notification, NotificationType
from corral.model.states import WebhookKind
from corral.notify.slack import to_slack


def render_body(kind: WebhookKind, notification: Notification, *, public_url: str = "") -> bytes:
    """The body for a webhook of that kind, with a link to the page where `public_url` says how pages are reached."""
    link = public_url.rstrip("/") + page_of(notification) if public_url else None
    if kind is WebhookKind.SLACK:
        return msgspec.json.encode(to_slack(notification, link=link))
    body: dict[str, Any] = {
        "id": notification.notification_id,
        "type": notification.type,
        "timestamp": notification.at,
        "data": notification.data,
    }
    return msgspec.json.encode(body if link is None else {**body, "url": link})


def page_of(notification: Notification) -> str:
    """The page of the web UI that shows what a notification speaks of."""
    match notification.type:
        case NotificationType.RUN_FINISHED | NotificationType.RUN_FAILED:
            return f"/runs/{notification.data['run']['run_id']}"
        case NotificationType.DEVICE_QUARANTINED:
            return "/devices?health=quarantined"
        case NotificationType.SCHEDULE_FAILED:
            return "/schedules"
        case NotificationType.PING:
            return "/settings/notifications"
        case _:
            return "/devices"
