"""Devices: numbers, identity, health, scans."""

from datetime import timedelta
from uuid import uuid4

import pytest

from corral.model.errors import InvalidRequestError, UnknownNodeError
from corral.model.states import Health
from tests.engine.farm import LEASE_TIME, SECOND, Farm


async def test_numbers_are_given_at_first_sight_and_stay_through_unplugging(farm: Farm) -> None:
    node = await farm.given_node(devices=["a", "b"])
    await farm.engine.nodes.report_devices("node-1", epoch=node.epoch, devices=[{"serial": "b"}], is_complete=True)
    await node.beat(devices=[{"serial": "c"}, {"serial": "a", "model": "Pixel 8"}])

    devices = await farm.engine.devices.list()

    assert [(d.index_no, d.serial, d.connection) for d in devices] == [
        (1, "a", "gone"),
        (2, "b", "connected"),
        (3, "c", "connected"),
    ]
    await node.beat(devices=[{"serial": "a", "connection": "connected"}])
    first = (await farm.engine.devices.list())[0]
    assert (first.index_no, first.model, first.online) == (1, "Pixel 8", True)


async def test_emulators_of_two_nodes_with_one_serial_are_two_devices(farm: Farm) -> None:
    for name in ("one", "two"):
        node = await farm.given_node(name)
        await node.beat(devices=[{"serial": "emulator-5554", "is_node_scoped": True}])

    assert [(d.index_no, d.node_id) for d in await farm.engine.devices.list()] == [(1, "one"), (2, "two")]


async def test_a_silent_node_takes_its_devices_offline_without_a_write(farm: Farm) -> None:
    await farm.given_node(devices=1)
    (before,) = await farm.engine.devices.list()

    await farm.clock.advance(LEASE_TIME + SECOND)

    (after,) = await farm.engine.devices.list()
    assert (before.online, after.online, after.changed_at) == (True, False, before.changed_at)


async def test_a_device_without_a_proper_serial_is_refused_and_nothing_is_half_written(farm: Farm) -> None:
    node = await farm.given_node()

    with pytest.raises(InvalidRequestError) as caught:
        await farm.engine.nodes.report_devices(
            "node-1", epoch=node.epoch, devices=[{"serial": "good"}, {"serial": "../../etc"}]
        )

    assert caught.value.path == "devices[1]"
    assert await farm.engine.devices.list() == []


async def test_a_device_that_makes_no_sense_costs_a_heartbeat_neither_its_lease_nor_the_others(farm: Farm) -> None:
    node = await farm.given_node()
    odd = {"battery": 101, "temperature": "hot", "tags": None, "meta": None}

    beat = await node.beat(
        devices=[{"serial": "????????????"}, {"serial": "good", **odd}, {}, {"serial": "x", "health": "?"}]
    )

    assert beat.refused == ["devices[0]", "devices[2]", "devices[3]"]
    (device,) = await farm.engine.devices.list()
    assert (device.serial, device.battery, device.temperature, device.tags) == ("good", 100, None, [])


async def test_a_node_that_loses_sight_of_a_device_does_not_take_it_back_from_where_it_went(farm: Farm) -> None:
    old = await farm.given_node("old", devices=["a"])
    await farm.given_node("new", devices=["a"])

    await old.beat(devices=[{"serial": "a", "connection": "gone"}])

    (device,) = await farm.engine.devices.list()
    assert (device.node_id, device.connection) == ("new", "connected")


async def test_a_claim_on_a_contested_device_ends_when_its_claimant_loses_sight_of_it(farm: Farm) -> None:
    old = await farm.given_node("old", devices=["a"])
    await farm.given_run()
    (grant,) = await old.pull()
    new = await farm.given_node("new", devices=["a"])

    await new.beat(devices=[{"serial": "a", "connection": "offline"}])
    await old.finish(grant)
    await farm.run_upkeep()

    device = await farm.engine.devices.get(grant.device_id)
    assert (device.node_id, device.contested_node_id, device.online) == ("old", None, True)


async def test_a_contested_device_arrives_as_its_new_node_saw_it(farm: Farm) -> None:
    old = await farm.given_node("old", devices=["a"])
    await farm.given_run()
    (grant,) = await old.pull()
    new = await farm.given_node("new")
    await new.beat(devices=[{"serial": "a", "connection": "unauthorized"}])

    await old.finish(grant)
    await farm.run_upkeep()

    device = await farm.engine.devices.get(grant.device_id)
    assert (device.node_id, device.connection, device.online) == ("new", "unauthorized", False)


async def test_a_quarantine_by_a_person_is_not_lifted_by_the_node(farm: Farm) -> None:
    node = await farm.given_node(devices=["a"])
    (device,) = await farm.engine.devices.list()
    await farm.engine.devices.update_device(
        device.device_id, health=Health.QUARANTINED, health_reason="swollen battery", actor="kim"
    )
    await farm.given_run(policy={"offline": "wait"})

    await node.beat(devices=[{"serial": "a", "health": "ok"}])

    assert await node.pull() == []
    (device,) = await farm.engine.devices.list()
    assert (device.health, device.health_reason) == ("quarantined", "swollen battery")
    await farm.engine.devices.update_device(device.device_id, health=Health.OK)
    assert len(await node.pull()) == 1


async def test_a_quarantine_needs_a_reason(farm: Farm) -> None:
    await farm.given_node(devices=1)
    (device,) = await farm.engine.devices.list()

    with pytest.raises(InvalidRequestError) as caught:
        await farm.engine.devices.update_device(device.device_id, health=Health.QUARANTINED)
    assert caught.value.path == "health_reason"


async def test_taking_another_devices_number_swaps_the_two(farm: Farm) -> None:
    await farm.given_node(devices=["a", "b"])
    first, _ = await farm.engine.devices.list()

    await farm.engine.devices.update_device(first.device_id, index_no=2, label="rack 1")

    assert [(d.serial, d.label) for d in await farm.engine.devices.list()] == [("b", None), ("a", "rack 1")]


async def test_a_scan_reaches_its_node_and_ends_by_its_word(farm: Farm) -> None:
    node = await farm.given_node()
    (scan,) = await farm.engine.scans.request_scan(["node-1"], addresses=["10.0.0.1-9"], actor="kim")
    (joined,) = await farm.engine.scans.request_scan()
    assert joined.scan_id == scan.scan_id
    assert (await node.beat()).scans == [{"scan_id": str(scan.scan_id), "addresses": ["10.0.0.1-9"]}]

    def event(kind: str, **fields: object) -> dict[str, object]:
        return {"event_id": str(uuid4()), "type": kind, "scan_id": str(scan.scan_id), **fields}

    await node.send(event("scan_progress", progress={"tried": 3}))
    assert (await farm.engine.scans.get(scan.scan_id)).status == "running"
    other = await farm.given_node("other")
    assert [r.outcome for r in await other.send(event("scan_finished", found=9))] == ["stale"]
    await node.send(event("scan_finished", found=2))

    done = await farm.engine.scans.get(scan.scan_id)
    assert (done.status, done.found, (await node.beat()).scans) == ("succeeded", 2, [])


async def test_a_scan_that_nobody_answers_fails_in_the_end(farm: Farm) -> None:
    await farm.given_node()
    (scan,) = await farm.engine.scans.request_scan()

    await farm.clock.advance(timedelta(minutes=6))
    await farm.engine.upkeep.expire_scans()

    assert (await farm.engine.scans.get(scan.scan_id)).status == "failed"


async def test_a_scan_of_an_unknown_node_is_refused(farm: Farm) -> None:
    with pytest.raises(UnknownNodeError):
        await farm.engine.scans.request_scan(["nowhere"])
