"""Signatures as Standard Webhooks defines them, so that receivers may use its libraries: docs/notifications.md has the scheme."""

import base64
import hmac
from hashlib import sha256
from uuid import UUID

from corral.model.notifications import SECRET_PREFIX


def sign(secret: str, notification_id: UUID, timestamp: int, body: bytes) -> dict[str, str]:
    """The headers that prove who sent a body, and when."""
    key = base64.b64decode(secret.removeprefix(SECRET_PREFIX))
    signed = f"{notification_id}.{timestamp}.".encode() + body
    signature = base64.b64encode(hmac.digest(key, signed, sha256)).decode()
    return {
        "webhook-id": str(notification_id),
        "webhook-timestamp": str(timestamp),
        "webhook-signature": f"v1,{signature}",
    }
