"""Notifications on their way: to receivers that answer, fail, hang or are not to be called at all."""

import asyncio
import io
import socket
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from corral.engine import Engine
from corral.model.notifications import Delivery, mint_webhook_secret
from corral.notify import MOST_TRIES, Sender
from corral.upkeep.deliver_notifications import Courier
from tests.api.receiver import answering, receiving
from tests.engine.farm import Farm
from tests.unit.notify.test_bodies import documented_verify

HOUR = timedelta(hours=1)


async def given_webhook(farm: Farm, url: str, *, events: list[str] | None = None, **fields: Any) -> tuple[UUID, str]:  # noqa: ANN401
    secret = mint_webhook_secret()
    body = {"name": "lab", "kind": "json", "url": url, "events": events or ["run.failed"], "is_enabled": True, **fields}
    webhook = await farm.engine.webhooks.create_webhook(body, secret=secret if body["kind"] == "json" else None)
    return webhook.webhook_id, secret


async def deliver(engine: Engine, *, allow_private: bool = True, timeout_s: float = 5) -> int:
    """One round, from beginning to end."""
    courier = Courier(engine, Sender(allow_private=allow_private, timeout_s=timeout_s))
    async with asyncio.TaskGroup() as tasks:
        return await courier.start_due(tasks)


async def delivery_of(farm: Farm, webhook_id: UUID) -> Delivery:
    (delivery,) = await farm.engine.webhooks.list_deliveries(webhook_id)
    return delivery


async def test_a_delivery_is_signed_so_that_the_documented_sample_accepts_it(farm: Farm) -> None:
    async with receiving() as receiver:
        webhook_id, secret = await given_webhook(farm, receiver.url + "?key=1")
        await farm.engine.webhooks.ping_webhook(webhook_id, actor="ann")

        assert await deliver(farm.engine) == 1

    (got,) = receiver.received
    delivery = await delivery_of(farm, webhook_id)
    now = (await farm.engine.schedules.now()).timestamp()
    assert documented_verify()(secret, got.headers, got.body, now=now)
    assert got.path == "/hook?key=1"
    assert got.headers["webhook-id"] == str(delivery.notification_id)
    assert got.headers["content-type"] == "application/json"
    assert (delivery.status, delivery.last_status_code, delivery.last_error) == ("delivered", 200, None)
    assert [attempt.status_code for attempt in delivery.attempts] == [200]


async def test_a_slack_webhook_gets_text_and_blocks_and_no_signature(farm: Farm) -> None:
    async with receiving() as receiver:
        webhook_id, _ = await given_webhook(farm, receiver.url, kind="slack")
        await farm.engine.webhooks.ping_webhook(webhook_id)
        await deliver(farm.engine)

    (got,) = receiver.received
    assert b'"text":"Corral can reach lab"' in got.body
    assert "webhook-signature" not in got.headers


@pytest.mark.parametrize(
    ("answer", "status_code", "error"),
    [
        (answering(500, b"out of\nmemory"), 500, "answered 500: out of memory"),
        (answering(404), 404, "answered 404"),
        (answering(503, retry_after="9" * 5_000), 503, "answered 503"),
        (answering(302, location="http://169.254.169.254/"), 302, "answered 302: redirections are not followed"),
        (b"", None, None),
        (b"nonsense\r\n\r\n", None, None),
        (None, None, "no answer within 0.2 s"),
    ],
    ids=["500", "404", "never", "redirect", "dropped", "nonsense", "hanging"],
)
async def test_a_receiver_that_fails_is_asked_again_later_with_the_same_id(
    farm: Farm, answer: bytes | None, status_code: int | None, error: str | None
) -> None:
    async with receiving(answer) as receiver:
        webhook_id, _ = await given_webhook(farm, receiver.url)
        await farm.engine.webhooks.ping_webhook(webhook_id)
        await deliver(farm.engine, timeout_s=0.2 if answer is None else 30)
        failed = await delivery_of(farm, webhook_id)
        assert await deliver(farm.engine) == 0  # not yet
        await farm.clock.advance(HOUR)
        await deliver(farm.engine)

    assert (failed.status, failed.last_status_code) == ("waiting", status_code)
    assert failed.last_error if error is None else failed.last_error == error
    assert failed.next_attempt_at is not None
    delivery = await delivery_of(farm, webhook_id)
    assert (delivery.status, len(delivery.attempts)) == ("delivered", 2)
    assert len({got.headers["webhook-id"] for got in receiver.received}) == 1
    assert len({got.body for got in receiver.received}) == 1


async def test_a_receiver_that_never_works_is_given_up_and_can_be_asked_again_by_hand(farm: Farm) -> None:
    async with receiving(*[answering(500)] * MOST_TRIES) as receiver:
        webhook_id, _ = await given_webhook(farm, receiver.url)
        await farm.engine.webhooks.ping_webhook(webhook_id)
        for _ in range(MOST_TRIES + 3):
            await deliver(farm.engine)
            await farm.clock.advance(2 * HOUR)
        given_up = await delivery_of(farm, webhook_id)
        await farm.engine.webhooks.redeliver(webhook_id, given_up.delivery_id, actor="ann")
        await deliver(farm.engine)

    assert (given_up.status, len(given_up.attempts)) == ("failed", MOST_TRIES)
    assert len(receiver.received) == MOST_TRIES + 1
    assert (await delivery_of(farm, webhook_id)).status == "delivered"


async def test_what_the_receiver_asks_for_is_heeded(farm: Farm) -> None:
    async with receiving(answering(429, retry_after="1800")) as receiver:
        webhook_id, _ = await given_webhook(farm, receiver.url)
        await farm.engine.webhooks.ping_webhook(webhook_id)
        await deliver(farm.engine)
        await farm.clock.advance(timedelta(minutes=29))
        assert await deliver(farm.engine) == 0
        await farm.clock.advance(timedelta(minutes=2))
        assert await deliver(farm.engine) == 1


async def test_a_claim_that_nobody_records_lapses_and_its_late_word_changes_nothing(farm: Farm) -> None:
    async with receiving() as receiver:
        webhook_id, _ = await given_webhook(farm, receiver.url)
        await farm.engine.webhooks.ping_webhook(webhook_id)
        (lost,) = await farm.engine.webhooks.claim_deliveries(
            each=5, within=timedelta(minutes=1)
        )  # and the server died
        assert await deliver(farm.engine) == 0
        await farm.clock.advance(timedelta(minutes=1))
        assert await deliver(farm.engine) == 1

    late = await farm.engine.webhooks.record_attempt(
        lost, status_code=500, latency_ms=1, error="late", retry_in=timedelta(0)
    )
    assert late is None
    assert (await delivery_of(farm, webhook_id)).status == "delivered"


async def test_two_servers_deliver_each_once(farm: Farm, farm_dsn: str) -> None:
    async with receiving() as receiver, Engine.connect(farm_dsn, max_connections=2) as other:
        webhook_id, _ = await given_webhook(farm, receiver.url)
        for _ in range(20):
            await farm.engine.webhooks.ping_webhook(webhook_id)
        while sum(await asyncio.gather(deliver(farm.engine), deliver(other))):
            pass

    assert len({got.headers["webhook-id"] for got in receiver.received}) == len(receiver.received) == 20


async def test_a_receiver_that_hangs_keeps_nobody_else_waiting(farm: Farm) -> None:
    async with receiving(*[None] * 5) as slow, receiving() as quick:
        slow_id, _ = await given_webhook(farm, slow.url, name="slow")
        quick_id, _ = await given_webhook(farm, quick.url, name="quick")
        courier = Courier(farm.engine, Sender(allow_private=True, timeout_s=60))
        async with asyncio.TaskGroup() as tasks:
            await farm.engine.webhooks.ping_webhook(slow_id)
            await courier.start_due(tasks)
            await slow.is_asked.wait()
            await farm.engine.webhooks.ping_webhook(slow_id)
            await farm.engine.webhooks.ping_webhook(quick_id)

            assert await courier.start_due(tasks) == 1
            await quick.is_asked.wait()
            slow.let_go()


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "hooks.example"])
async def test_what_is_not_on_the_public_internet_is_not_called_however_it_is_named(
    farm: Farm, host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with receiving() as receiver:
        url = receiver.url.replace("127.0.0.1", host)
        if host == "hooks.example":  # a name that was public when it was stored, and now leads elsewhere
            loopback = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", 80))]
            resolving: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
            resolving.set_result(loopback)
            monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", lambda *_, **__: resolving)
        webhook_id, _ = await given_webhook(farm, url)
        await farm.engine.webhooks.ping_webhook(webhook_id)
        await deliver(farm.engine, allow_private=False)

    delivery = await delivery_of(farm, webhook_id)
    assert receiver.received == []
    assert "not on the public internet" in (delivery.last_error or "")


async def test_an_endless_answer_is_read_no_further_than_a_few_lines(farm: Farm) -> None:
    endless = b"HTTP/1.1 500 No\r\ncontent-length: 1000000000\r\n\r\n" + b"x" * 1_000_000
    async with receiving(endless) as receiver:
        webhook_id, _ = await given_webhook(farm, receiver.url)
        await farm.engine.webhooks.ping_webhook(webhook_id)
        await deliver(farm.engine, timeout_s=30)

    assert (await delivery_of(farm, webhook_id)).last_error == "answered 500: " + "x" * 200


async def test_neither_secrets_nor_urls_are_logged(farm: Farm, lines: io.StringIO) -> None:
    async with receiving(answering(500)) as receiver:
        webhook_id, secret = await given_webhook(farm, receiver.url + "/T0/B0/quite-secret")
        await farm.engine.webhooks.ping_webhook(webhook_id)
        (claimed,) = await farm.engine.webhooks.claim_deliveries(each=1, within=timedelta(0))
        await deliver(farm.engine)

    assert "delivery attempted" in lines.getvalue()
    for text in (lines.getvalue(), repr(claimed), repr(await farm.engine.webhooks.get(webhook_id))):
        assert secret not in text
        assert "quite-secret" not in text


async def test_a_disabled_webhook_is_told_nothing_but_what_somebody_asks_for(farm: Farm) -> None:
    async with receiving() as receiver:
        webhook_id, _ = await given_webhook(farm, receiver.url, is_enabled=False)
        await farm.value("select corral.fn_notify('run.failed', 'x', '{}')")
        await farm.engine.webhooks.ping_webhook(webhook_id)
        await deliver(farm.engine)

    assert [b'"type":"ping"' in got.body for got in receiver.received] == [True]


async def test_old_deliveries_are_purged_with_what_they_told(farm: Farm) -> None:
    async with receiving(answering(200), answering(500)) as receiver:
        webhook_id, _ = await given_webhook(farm, receiver.url)
        for _ in range(2):
            await farm.engine.webhooks.ping_webhook(webhook_id)
            await deliver(farm.engine)
        await farm.clock.advance(timedelta(days=31))

    assert await farm.engine.webhooks.purge_notifications(timedelta(days=30)) == 1
    assert (await delivery_of(farm, webhook_id)).status == "waiting"  # it has not ended
    assert await farm.value("select count(*) from corral.notifications") == 1
