"""Sessions: a phone held for somebody is leased like any other, and let go when it should be."""

from datetime import timedelta

import pytest

from corral.model.errors import InvalidRequestError, NotFoundError
from corral.model.records import Grant
from corral.model.sessions import DeviceSession
from tests.engine.farm import Farm, SimulatedNode

MINUTE = timedelta(minutes=1)
TAP = {"kind": "tap", "x": 1, "y": 2}


async def given_session(farm: Farm, node: SimulatedNode, **asked: object) -> tuple[DeviceSession, Grant]:
    """Ann holds a phone of the node."""
    session = await farm.engine.reservations.open_session("ann", **asked)  # type: ignore[arg-type]
    (grant,) = await node.pull()
    await node.start(grant)
    return await farm.engine.reservations.get(session.session_id), grant


async def test_a_session_waits_until_its_job_has_started_on_a_phone(farm: Farm) -> None:
    node = await farm.given_node(devices=2)
    session = await farm.engine.reservations.open_session("ann", purpose="look at the camera")

    assert (session.state, session.device, session.has_adb) == ("waiting", None, False)
    (grant,) = await node.pull()
    assert (await farm.engine.reservations.get(session.session_id)).state == "waiting"
    await node.start(grant)

    session = await farm.engine.reservations.get(session.session_id)
    assert (session.state, session.job_id, session.has_adb) == ("active", grant.job_id, True)
    assert session.device is not None
    assert (session.device.serial, session.device.node_id) == (grant.serial, "node-1")
    device = await farm.engine.devices.get(session.device.device_id)
    assert (device.held_by, device.session_id, device.activity) == ("ann", session.session_id, "running")


async def test_a_session_is_for_tags_or_for_the_one_device_that_is_named(farm: Farm) -> None:
    node = await farm.given_node(devices=["a", "b", "c"])
    _, b, c = await farm.engine.devices.list()
    await farm.engine.devices.update_device(b.device_id, tags=["camera", "small"])

    _, tagged = await given_session(farm, node, tags=["camera"])
    _, numbered = await given_session(farm, node, device=str(c.index_no))
    _, named = await given_session(farm, node, device="a")

    assert [each.serial for each in (tagged, numbered, named)] == ["b", "c", "a"]


async def test_what_no_device_could_ever_fulfil_is_refused_at_once(farm: Farm) -> None:
    await farm.given_node(devices=1)

    with pytest.raises(InvalidRequestError, match="no device has all of the tags camera") as refused:
        await farm.engine.reservations.open_session("ann", tags=["camera"])
    with pytest.raises(NotFoundError, match="number, serial or id 77") as unknown:
        await farm.engine.reservations.open_session("ann", device="77")

    assert (refused.value.path, unknown.value.path) == ("tags", "device")
    assert await farm.engine.reservations.list(is_live=False) == []


async def test_a_held_phone_is_nobody_elses_until_it_is_released(farm: Farm) -> None:
    node = await farm.given_node(devices=1)
    session, grant = await given_session(farm, node)
    run = await farm.given_run()

    assert await node.pull() == []
    session = await farm.engine.reservations.release_session(session.session_id, actor="ann")
    assert (session.state, session.end_reason, session.ended_by) == ("ended", "released", "ann")
    assert await farm.engine.nodes.list_cancels("node-1") == [grant.lease_token]
    assert await node.pull() == []

    await node.finish(grant, outcome="cancelled")
    (next_grant,) = await node.pull()
    assert next_grant.run_id == run.run_id
