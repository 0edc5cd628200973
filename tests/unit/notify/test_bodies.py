"""What webhooks are sent, how it is signed, and when it is tried again."""

import base64
import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from corral.model.notifications import Notification, NotificationType, mint_webhook_secret
from corral.model.states import WebhookKind
from corral.notify import MOST_TRIES, render_body, retry_in, sign

RUN: dict[str, Any] = {
    "run_id": "0190a0a0-0000-7000-8000-000000000001",
    "name": "nightly <b>&",
    "status": "completed_with_errors",
    "workflow": {"name": "smoke", "version": 3},
    "counts": {"total": 4, "succeeded": 3, "failed": 1, "cancelled": 0, "skipped_offline": 0},
    "last_error_message": "<!channel> it broke",
}
DATA: dict[NotificationType, dict[str, Any]] = {
    NotificationType.RUN_FINISHED: {"run": {**RUN, "status": "succeeded"}},
    NotificationType.RUN_FAILED: {"run": RUN},
    NotificationType.DEVICE_QUARANTINED: {
        "device": {"index": 7, "label": None, "serial": "R58M1", "node_id": "rack-1", "reason": "hot", "by": "ann"}
    },
    NotificationType.NODE_OFFLINE: {"node": {"name": "rack-1", "draining": True, "devices": 20}},
    NotificationType.NODE_ONLINE: {"node": {"name": "rack-1"}},
    NotificationType.NODES_SILENT: {"nodes": {"silent": 3, "heard": 1}},
    NotificationType.SCHEDULE_FAILED: {"schedule": {"name": "nightly", "reason": "no workflow smoke"}},
    NotificationType.PING: {"webhook": {"name": "lab"}},
}
ID = UUID("0190a0a0-0000-7000-8000-00000000000a")
SAMPLE = (Path(__file__).parents[3] / "docs" / "notifications.md").read_text(encoding="utf-8")


def given(kind: NotificationType) -> Notification:
    return Notification(ID, kind, datetime(2026, 3, 1, 12, tzinfo=UTC), DATA[kind])


@pytest.mark.parametrize("kind", NotificationType)
def test_slack_is_told_of_everything_in_text_and_blocks(kind: NotificationType) -> None:
    body = json.loads(render_body(WebhookKind.SLACK, given(kind), public_url="https://corral.example/"))

    assert body["text"]
    assert [block["type"] for block in body["blocks"]] == ["section", "context"]
    assert "<https://corral.example/" in body["blocks"][1]["elements"][0]["text"]


def test_what_a_device_says_links_to_nothing_and_calls_nobody() -> None:
    body = json.loads(render_body(WebhookKind.SLACK, given(NotificationType.RUN_FAILED)))

    assert body["text"] == "Run nightly &lt;b&gt;&amp; completed with errors"
    assert "smoke@3 on 4 devices: 3 succeeded, 1 failed" in body["blocks"][0]["text"]["text"]
    assert "<" not in body["blocks"][0]["text"]["text"]


def test_a_long_message_is_cut_to_what_slack_takes() -> None:
    told = given(NotificationType.SCHEDULE_FAILED)
    told.data["schedule"] = {"name": "n" * 5000, "reason": "r" * 5000}

    body = json.loads(render_body(WebhookKind.SLACK, told))

    assert len(body["blocks"][0]["text"]["text"]) <= 3000


def test_corrals_own_body_tells_id_type_time_and_data_and_links_only_if_it_knows_where() -> None:
    body = json.loads(render_body(WebhookKind.JSON, given(NotificationType.RUN_FAILED)))
    linked = json.loads(
        render_body(WebhookKind.JSON, given(NotificationType.RUN_FAILED), public_url="https://c.example")
    )

    assert body == {
        "id": str(ID),
        "type": "run.failed",
        "timestamp": "2026-03-01T12:00:00Z",
        "data": DATA[NotificationType.RUN_FAILED],
    }
    assert linked["url"] == f"https://c.example/runs/{RUN['run_id']}"


def documented_verify() -> Any:  # noqa: ANN401 - whatever the documents define
    """The sample of docs/notifications.md, as a receiver would copy it."""
    (code,) = re.findall(r"```python\n(.*?)```", SAMPLE, re.DOTALL)
    names: dict[str, Any] = {}
    exec(code, names)
    return names["verify"]


def test_the_documented_sample_accepts_our_signatures_and_nothing_else() -> None:
    verify, secret, body = documented_verify(), mint_webhook_secret(), b'{"type":"ping"}'
    now = 1_750_000_000
    headers = sign(secret, ID, now, body)

    assert verify(secret, headers, body, now=now)
    assert not verify(secret, headers, body + b" ", now=now)
    assert not verify(mint_webhook_secret(), headers, body, now=now)
    assert not verify(secret, {**headers, "webhook-id": "another"}, body, now=now)
    assert not verify(secret, {**headers, "webhook-timestamp": str(now + 1)}, body, now=now)
    assert not verify(secret, headers, body, now=now + 3600)


def test_signatures_are_those_of_standard_webhooks() -> None:
    # The example of its specification.
    secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    headers = sign(secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, b'{"test": 2432232314}')  # type: ignore[arg-type]

    assert headers["webhook-signature"] == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_a_secret_is_32_random_bytes() -> None:
    first, second = mint_webhook_secret(), mint_webhook_secret()

    assert first != second
    assert len(base64.b64decode(first.removeprefix("whsec_"))) == 32


def test_pauses_grow_with_jitter_and_end() -> None:
    for tries in range(1, MOST_TRIES):
        pauses = {retry_in(tries) for _ in range(20)}
        nominal = min(timedelta(seconds=10) * 2 ** (tries - 1), timedelta(hours=1))
        assert len(pauses) > 1
        assert all(pause is not None and nominal * 0.5 <= pause <= nominal * 1.5 for pause in pauses)
    assert retry_in(MOST_TRIES) is None


def test_what_the_receiver_asks_for_is_heeded_within_reason() -> None:
    assert retry_in(1, asked=timedelta(minutes=5)) == timedelta(minutes=5)
    assert retry_in(1, asked=timedelta(days=5)) == timedelta(hours=1)
