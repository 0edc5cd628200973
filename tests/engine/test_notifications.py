"""What happens is written down for webhooks in the transaction in which it happens, once, and only where somebody asked."""

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from corral.model.notifications import Delivery
from corral.model.states import Health
from tests.engine.farm import LEASE_TIME, SECOND, Farm

ALL = [
    "run.finished",
    "run.failed",
    "device.quarantined",
    "node.offline",
    "node.online",
    "nodes.silent",
    "schedule.failed",
]


async def given_webhook(farm: Farm, *, events: list[str] = ALL, name: str = "lab") -> UUID:
    body = {"name": name, "kind": "slack", "url": "https://hooks.example/x", "events": events, "is_enabled": True}
    return (await farm.engine.webhooks.create_webhook(body, secret=None)).webhook_id


async def told(farm: Farm, webhook_id: UUID) -> list[Delivery]:
    """Oldest first."""
    return (await farm.engine.webhooks.list_deliveries(webhook_id, limit=500))[::-1]


async def types_told(farm: Farm, webhook_id: UUID) -> list[str]:
    return [str(delivery.type) for delivery in await told(farm, webhook_id)]


@pytest.mark.parametrize(
    ("outcomes", "type_", "status"),
    [
        (["succeeded", "succeeded"], "run.finished", "succeeded"),
        (["failed", "succeeded"], "run.failed", "completed_with_errors"),
        (["failed", "failed"], "run.failed", "failed"),
    ],
)
async def test_the_end_of_a_run_is_told_once_with_what_came_of_it(
    farm: Farm, outcomes: list[str], type_: str, status: str
) -> None:
    webhook_id = await given_webhook(farm)
    node = await farm.given_node(devices=2)
    run = await farm.given_run(secret_params={"password": "hunter22"}, params={"user": "ann"})
    for grant, outcome in zip(await node.pull(), outcomes, strict=True):
        await node.finish(grant, outcome=outcome)
    await farm.run_upkeep()

    (delivery,) = await told(farm, webhook_id)

    assert (delivery.type, delivery.subject, delivery.status) == (type_, str(run.run_id), "waiting")
    assert delivery.data["run"]["status"] == status
    assert delivery.data["run"]["workflow"] == {"name": "smoke", "version": 1}
    assert delivery.data["run"]["counts"]["succeeded"] == outcomes.count("succeeded")
    assert delivery.data["run"]["finished_at"].endswith("+00:00")
    assert "hunter22" not in str(delivery.data)


async def test_each_webhook_is_told_what_it_asked_for_and_the_id_is_the_same(farm: Farm) -> None:
    first, second = await given_webhook(farm, name="a"), await given_webhook(farm, name="b")
    failures = await given_webhook(farm, name="c", events=["run.failed"])
    node = await farm.given_node(devices=1)
    await farm.given_run()
    await node.finish(*await node.pull())

    ids = {delivery.notification_id for each in (first, second) for delivery in await told(farm, each)}

    assert len(ids) == 1
    assert await told(farm, failures) == []


async def test_where_nobody_asked_nothing_is_written(farm: Farm) -> None:
    await given_webhook(farm, events=["node.offline"])
    node = await farm.given_node(devices=1)
    await farm.given_run()
    await node.finish(*await node.pull())

    assert await farm.value("select count(*) from corral.notifications") == 0


async def test_what_did_not_happen_after_all_is_not_told(farm: Farm) -> None:
    await given_webhook(farm)
    await farm.given_node(devices=1)
    (device,) = await farm.engine.devices.list()
    async with farm.engine.database.own_connection() as connection:
        transaction = connection.transaction()
        await transaction.start()
        quarantine = "select (corral.fn_update_device($1, null, null, null, 'quarantined', 'hot', 'ann')).device_id"
        await connection.execute(quarantine, device.device_id)
        assert await connection.fetchval("select count(*) from corral.notifications") == 1
        await transaction.rollback()

    assert await farm.value("select count(*) from corral.notifications") == 0


async def test_a_quarantine_is_told_once_by_whomever_it_came(farm: Farm) -> None:
    webhook_id = await given_webhook(farm)
    node = await farm.given_node(devices=["R1", "R2"])
    (device, _) = await farm.engine.devices.list()
    for _ in range(2):
        await farm.engine.devices.update_device(
            device.device_id, health=Health.QUARANTINED, health_reason="swollen", actor="ann"
        )
        await node.beat(devices=[{"serial": "R2", "health": "quarantined", "health_reason": "hot"}])
        await node.beat(devices=[{"serial": "R1", "health": "ok"}])  # a node does not overrule a person

    first, second = [delivery.data["device"] for delivery in await told(farm, webhook_id)]

    assert (first["index"], first["reason"], first["by"]) == (1, "swollen", "ann")
    assert (second["index"], second["reason"], second["by"]) == (2, "hot", "node-1")


async def test_a_device_that_is_released_and_quarantined_again_is_told_again(farm: Farm) -> None:
    webhook_id = await given_webhook(farm)
    node = await farm.given_node(devices=["R1"])
    for health in ("quarantined", "suspect", "ok", "quarantined"):
        await node.beat(devices=[{"serial": "R1", "health": health, "health_reason": "hot"}])

    assert await types_told(farm, webhook_id) == ["device.quarantined", "device.quarantined"]


async def test_a_silent_node_is_told_once_and_so_is_its_return(farm: Farm) -> None:
    webhook_id = await given_webhook(farm)
    away = await farm.given_node("away", devices=2)
    others = [await farm.given_node(f"other-{n}") for n in range(3)]
    for _ in range(2):
        await farm.pass_time(LEASE_TIME + 5 * SECOND, *others)
        await farm.run_upkeep()
        await farm.engine.webhooks.notify_returned_nodes()
    await away.beat()
    for _ in range(2):
        await farm.run_upkeep()
        await farm.engine.webhooks.notify_returned_nodes()

    offline, online = await told(farm, webhook_id)

    assert (offline.type, offline.subject, offline.data["node"]["devices"]) == ("node.offline", "away", 2)
    assert (online.type, online.subject) == ("node.online", "away")
    assert offline.data["node"]["since"] == online.data["node"]["offline_since"]

    await farm.pass_time(LEASE_TIME + 5 * SECOND, *others)
    await farm.run_upkeep()
    assert await types_told(farm, webhook_id) == ["node.offline", "node.online", "node.offline"]


async def test_nodes_that_fall_silent_together_are_told_as_one_once_it_lasts(farm: Farm) -> None:
    webhook_id = await given_webhook(farm)
    nodes = [await farm.given_node(f"node-{n}") for n in range(4)]
    await farm.pass_time(40 * SECOND)  # a server that is started anew would see the same
    assert await types_told(farm, webhook_id) == []

    for _ in range(3):
        await farm.pass_time(LEASE_TIME)
        await farm.run_upkeep()

    assert await types_told(farm, webhook_id) == ["nodes.silent"]
    assert (await told(farm, webhook_id))[0].data["nodes"]["silent"] == 4

    await farm.pass_time(2 * LEASE_TIME, *nodes)
    await farm.pass_time(2 * LEASE_TIME + timedelta(seconds=40))
    assert await types_told(farm, webhook_id) == ["nodes.silent", "nodes.silent"]


async def test_deleting_a_webhook_forgets_its_secret_and_deliveries(farm: Farm) -> None:
    body: dict[str, Any] = {"name": "x", "kind": "json", "url": "https://x", "events": ALL, "is_enabled": True}
    webhook = await farm.engine.webhooks.create_webhook(body, secret="whsec_x")
    await farm.engine.webhooks.ping_webhook(webhook.webhook_id)

    await farm.engine.webhooks.delete_webhook(webhook.webhook_id, actor="ann")

    for table in ("webhooks", "webhook_secrets", "deliveries"):
        assert await farm.value(f"select count(*) from corral.{table}") == 0, table
