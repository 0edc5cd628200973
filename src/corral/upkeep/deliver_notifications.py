"""Take notifications to webhooks, at least once each: one that fails is tried again, ever later, and given up in the end.

A claim that nobody records, because its process died, lapses, and the delivery is due again. A receiver that is slow keeps
nobody else waiting: of each webhook a few deliveries are under way, and those of others go on meanwhile.
"""

import asyncio
from collections import Counter
from datetime import timedelta
from typing import Final
from uuid import UUID

from corral.engine import Engine
from corral.model.errors import CorralError
from corral.model.notifications import ClaimedDelivery
from corral.notify import Sender, render_body, retry_in, sign
from corral.telemetry import logger
from corral.upkeep.loop import Act

_EVERY_S: Final = 1.0
_AT_ONCE: Final = 5
_CLAIM: Final = timedelta(minutes=1)
_log = logger(__name__)


class Courier:
    """What this process has under way."""

    def __init__(self, engine: Engine, sender: Sender, *, public_url: str = "") -> None:
        self._engine = engine
        self._sender = sender
        self._public_url = public_url
        self._under_way: Counter[UUID] = Counter()

    @property
    def is_busy(self) -> bool:
        return bool(self._under_way)

    async def start_due(self, tasks: asyncio.TaskGroup) -> int:
        """Begin with what is due; say how many those are."""
        claimed = await self._engine.webhooks.claim_deliveries(busy=set(self._under_way), each=_AT_ONCE, within=_CLAIM)
        for delivery in claimed:
            self._under_way[delivery.webhook_id] += 1
            tasks.create_task(self._attempt(delivery))
        return len(claimed)

    async def _attempt(self, delivery: ClaimedDelivery) -> None:
        try:
            await self._deliver(delivery)
        except CorralError as error:  # the claim lapses, and it is due again
            _log.warning("delivery not recorded", delivery=str(delivery.delivery_id), error=str(error))
        finally:
            self._under_way[delivery.webhook_id] -= 1
            if not self._under_way[delivery.webhook_id]:
                del self._under_way[delivery.webhook_id]

    async def _deliver(self, delivery: ClaimedDelivery) -> None:
        body = render_body(delivery.kind, delivery.notification, public_url=self._public_url)
        headers = {}
        if delivery.secret is not None:
            headers = sign(delivery.secret, delivery.notification_id, int(delivery.now.timestamp()), body)
        answer = await self._sender.post(delivery.url, body, headers)
        status = await self._engine.webhooks.record_attempt(
            delivery,
            status_code=answer.status_code,
            latency_ms=answer.latency_ms,
            error=answer.error,
            retry_in=retry_in(delivery.tries, asked=answer.retry_after),
        )
        _log.info(
            "delivery attempted",
            delivery=str(delivery.delivery_id),
            type=delivery.type,
            status=status,
            status_code=answer.status_code,
        )


def deliver_notifications(sender: Sender, *, public_url: str) -> Act:
    """The act, for a way to send. It goes on until nothing is due and nothing is under way."""

    async def deliver_notifications(engine: Engine) -> None:
        courier = Courier(engine, sender, public_url=public_url)
        async with asyncio.TaskGroup() as tasks:
            while True:
                await courier.start_due(tasks)
                if not courier.is_busy:
                    return
                await asyncio.sleep(_EVERY_S)

    return deliver_notifications
