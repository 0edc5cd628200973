"""Sessions: a phone held for somebody is leased like any other, and let go when it should be."""

from datetime import timedelta
from uuid import uuid4

import msgspec
import pytest

from corral.model.errors import ConflictError, ForbiddenError, InvalidRequestError, NotFoundError
from corral.model.records import Grant
from corral.model.sessions import DeviceSession
from tests.engine.farm import LEASE_TIME, SECOND, Farm, SimulatedNode

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
    with pytest.raises(ConflictError, match="the farm has no device yet"):
        await farm.engine.reservations.open_session("ann")
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


async def test_it_expires_unless_it_is_renewed_and_counts_anew_from_the_phone(farm: Farm) -> None:
    node = await farm.given_node(devices=1)
    reservations = farm.engine.reservations
    session = await reservations.open_session("ann", ttl=MINUTE)
    await farm.clock.advance(50 * SECOND)
    (grant,) = await node.pull()
    await node.start(grant)
    await farm.clock.advance(50 * SECOND)
    await node.beat()
    await farm.run_upkeep()
    assert (await reservations.get(session.session_id)).state == "active"

    await reservations.renew_session(session.session_id, actor="ann")
    await farm.clock.advance(50 * SECOND)
    await node.beat()
    await farm.run_upkeep()
    assert (await reservations.get(session.session_id)).state == "active"

    await farm.clock.advance(11 * SECOND)
    await farm.run_upkeep()
    ended = await reservations.get(session.session_id)
    assert (ended.state, ended.end_reason, ended.end_message) == ("ended", "expired", "nobody renewed it for 60 s")
    assert await farm.engine.nodes.list_cancels("node-1") == [grant.lease_token]
    await node.finish(grant, outcome="cancelled")
    assert (await farm.run(session.run_id)).status == "cancelled"


async def test_a_renewal_may_change_for_how_long(farm: Farm) -> None:
    node = await farm.given_node(devices=1)
    session, _ = await given_session(farm, node, ttl=MINUTE)

    renewed = await farm.engine.reservations.renew_session(session.session_id, actor="ann", ttl=10 * MINUTE)

    assert renewed.ttl_s == 600
    assert renewed.expires_at - session.expires_at > 8 * MINUTE


async def test_a_waiting_session_of_somebody_who_died_is_never_given_a_phone(farm: Farm) -> None:
    node = await farm.given_node(devices=1)
    busy, grant = await given_session(farm, node)
    forgotten = await farm.engine.reservations.open_session("bob", ttl=MINUTE)
    await farm.clock.advance(MINUTE)

    await farm.run_upkeep()
    await node.finish(grant, outcome="failed", failure_reason="device_offline")

    ended = await farm.engine.reservations.get(forgotten.session_id)
    assert (ended.end_reason, ended.device) == ("expired", None)
    assert await node.pull() == []
    assert (await farm.engine.reservations.get(busy.session_id)).end_reason == "device_lost"


async def test_nobody_but_the_holder_renews_it_and_nobody_once_it_is_over(farm: Farm) -> None:
    node = await farm.given_node(devices=1)
    session, _ = await given_session(farm, node, ttl=MINUTE)
    reservations = farm.engine.reservations

    with pytest.raises(ForbiddenError, match="is held by ann"):
        await reservations.renew_session(session.session_id, actor="bob")
    await farm.clock.advance(MINUTE)
    with pytest.raises(ConflictError, match="has expired"):  # although upkeep has not looked yet
        await reservations.renew_session(session.session_id, actor="ann")
    await farm.run_upkeep()
    with pytest.raises(ConflictError, match="has ended: expired"):
        await reservations.renew_session(session.session_id, actor="ann")
    with pytest.raises(NotFoundError):
        await reservations.renew_session(uuid4(), actor="ann")


async def test_releasing_anothers_session_needs_a_reason_and_is_audited(farm: Farm) -> None:
    node = await farm.given_node(devices=1)
    session, _ = await given_session(farm, node)
    reservations = farm.engine.reservations

    with pytest.raises(InvalidRequestError, match="is held by ann: releasing it needs a reason") as refused:
        await reservations.release_session(session.session_id, actor="bob", reason=" ")
    assert refused.value.path == "reason"
    forced = await reservations.release_session(session.session_id, actor="bob", reason="the release build needs it")
    again = await reservations.release_session(session.session_id, actor="ann")

    assert (forced.end_reason, forced.ended_by) == ("forced", "bob")
    assert forced.end_message == "the release build needs it"
    assert again == forced
    (entry, *_) = await farm.engine.audit.list(subject=str(session.session_id))
    assert (entry.actor, entry.action, entry.detail["reason"]) == ("bob", "session.force", "the release build needs it")


async def test_a_silent_node_loses_the_session_and_the_phone_is_free_again(farm: Farm) -> None:
    node = await farm.given_node(devices=1)
    others = [await farm.given_node(f"other-{n}") for n in range(2)]
    session, _ = await given_session(farm, node)

    await farm.pass_time(LEASE_TIME + 2 * SECOND, *others)
    await farm.engine.reservations.renew_session(session.session_id, actor="ann")
    await farm.run_upkeep()

    ended = await farm.engine.reservations.get(session.session_id)
    assert (ended.end_reason, ended.end_message) == ("node_lost", "attempt 1 was lost: expired")
    assert (await farm.engine.devices.list())[0].held_by is None


async def test_a_phone_that_fails_ends_the_session_in_the_phones_words(farm: Farm) -> None:
    node = await farm.given_node(devices=1)
    session, grant = await given_session(farm, node)

    await node.finish(grant, outcome="failed", failure_reason="device_offline", error_message="R58M1 is offline")

    ended = await farm.engine.reservations.get(session.session_id)
    assert (ended.end_reason, ended.end_message, ended.ended_by) == ("device_lost", "R58M1 is offline", None)
    assert ended.device is not None


async def test_a_device_that_stays_away_refuses_the_session(farm: Farm) -> None:
    node = await farm.given_node(devices=["a"])
    await node.beat(devices=[{"serial": "a", "connection": "offline"}])
    session = await farm.engine.reservations.open_session("ann", device="a")

    await farm.pass_time(31 * SECOND, node)
    await farm.run_upkeep()

    ended = await farm.engine.reservations.get(session.session_id)
    assert (ended.end_reason, ended.end_message) == ("refused", "device is offline")


async def test_expiry_judges_nobodys_node_and_is_not_suspended_with_verdicts(farm: Farm) -> None:
    node = await farm.given_node(devices=1)
    session, _ = await given_session(farm, node, ttl=MINUTE)
    await farm.clock.advance(MINUTE)  # an outage: upkeep has not ticked for so long
    await node.beat()

    await farm.run_upkeep()

    assert not await farm.value("select corral.fn_verdicts_are_open()")
    assert (await farm.engine.reservations.get(session.session_id)).end_reason == "expired"


async def test_a_session_whose_run_is_cancelled_was_forced(farm: Farm) -> None:
    node = await farm.given_node(devices=1)
    session, grant = await given_session(farm, node)

    await farm.engine.runs.cancel_run(session.run_id, actor="bob")
    await node.finish(grant, outcome="cancelled")

    ended = await farm.engine.reservations.get(session.session_id)
    assert (ended.end_reason, ended.ended_by, ended.end_message) == ("forced", "bob", "its run was cancelled")


async def test_sessions_are_no_work_in_lists_statistics_and_notifications(farm: Farm) -> None:
    node = await farm.given_node(devices=2)
    failures = {"name": "x", "url": "https://h.example", "kind": "json", "events": ["run.failed"], "is_enabled": True}
    webhook = await farm.engine.webhooks.create_webhook(failures, secret=None)
    session, grant = await given_session(farm, node)
    await node.finish(grant, outcome="failed", failure_reason="driver_error")
    run = await farm.given_run({"any": 1})

    runs = await farm.engine.runs.list()
    dashboard = msgspec.json.decode(await farm.engine.dashboard.get_dashboard())

    assert [each.run_id for each in runs] == [run.run_id]
    assert [each.run_id for each in await farm.engine.runs.list(source_type="session")] == [session.run_id]
    assert [each.name for each in await farm.engine.workflows.list()] == ["smoke"]
    assert (dashboard["kpis"]["runs"], dashboard["kpis"]["device_jobs"], dashboard["to_do"]) == (1, 0, [])
    assert sum(hour["runs_started"] for hour in dashboard["hours"]) == 1
    assert await farm.engine.webhooks.list_deliveries(webhook.webhook_id) == []


async def test_live_sessions_are_listed_newest_first_and_ended_ones_on_demand(farm: Farm) -> None:
    await farm.given_node(devices=3)
    reservations = farm.engine.reservations
    opened = [(await reservations.open_session(who)).session_id for who in ("ann", "bob", "eve")]
    await reservations.release_session(opened[1], actor="bob")

    assert [each.session_id for each in await reservations.list()] == [opened[2], opened[0]]
    assert [each.holder for each in await reservations.list(is_live=False)] == ["eve", "bob", "ann"]
    assert [each.holder for each in await reservations.list(is_live=False, before=opened[2], limit=1)] == ["bob"]


async def test_a_session_is_forgotten_with_its_run(farm: Farm) -> None:
    node = await farm.given_node(devices=1)
    session, grant = await given_session(farm, node)
    await node.finish(grant, outcome="failed", failure_reason="device_offline")
    await farm.clock.advance(timedelta(days=2))

    await farm.engine.upkeep.purge_runs(timedelta(days=1))

    with pytest.raises(NotFoundError):
        await farm.engine.reservations.get(session.session_id)


async def test_a_phone_of_another_driver_has_no_adb(farm: Farm) -> None:
    node = await farm.given_node(devices=["a"])
    await node.beat(devices=[{"serial": "a", "meta": {"driver": "vendor"}}])

    session, _ = await given_session(farm, node)

    assert (session.state, session.has_adb) == ("active", False)


async def test_inputs_reach_the_node_in_order_until_it_has_taken_them(farm: Farm) -> None:
    node = await farm.given_node(devices=2)
    session, grant = await given_session(farm, node)
    await given_session(farm, node)
    reservations = farm.engine.reservations

    for x in range(3):
        await reservations.send_input(session.session_id, {"kind": "tap", "x": x, "y": 0}, actor="ann")

    (news,) = await farm.engine.nodes.list_news(["node-1"])
    assert news.inputs == {grant.lease_token: 3}
    inputs = await reservations.list_inputs("node-1", taken={})
    assert [(each.lease_token, each.seq, each.input["x"]) for each in inputs] == [
        (grant.lease_token, seq, seq - 1) for seq in (1, 2, 3)
    ]
    assert [each.seq for each in await reservations.list_inputs("node-1", taken={grant.lease_token: 2})] == [3]
    assert await reservations.list_inputs("node-2", taken={}) == []


async def test_an_input_that_waited_too_long_is_forgotten_and_its_number_is_not_used_again(farm: Farm) -> None:
    node = await farm.given_node(devices=1)
    session, _ = await given_session(farm, node)
    reservations = farm.engine.reservations
    await reservations.send_input(session.session_id, TAP, actor="ann")

    await farm.clock.advance(11 * SECOND)
    assert await reservations.list_inputs("node-1", taken={}) == []
    await reservations.send_input(session.session_id, TAP, actor="ann")

    assert [each.seq for each in await reservations.list_inputs("node-1", taken={})] == [2]


async def test_input_is_for_the_holder_of_an_active_session(farm: Farm) -> None:
    node = await farm.given_node(devices=2)
    waiting = await farm.engine.reservations.open_session("ann", device="node-1-002")
    with pytest.raises(ConflictError, match="has no phone: it is waiting"):
        await farm.engine.reservations.send_input(waiting.session_id, TAP, actor="ann")
    await node.pull()
    session, _ = await given_session(farm, node, ttl=MINUTE)
    send = farm.engine.reservations.send_input

    with pytest.raises(ForbiddenError):
        await send(session.session_id, TAP, actor="bob")
    await farm.clock.advance(MINUTE)
    with pytest.raises(ConflictError, match="has no phone: it is expired"):
        await send(session.session_id, TAP, actor="ann")
    await farm.run_upkeep()
    with pytest.raises(ConflictError, match="has ended"):
        await send(session.session_id, TAP, actor="ann")


async def test_what_was_not_taken_when_the_session_ended_is_gone(farm: Farm) -> None:
    node = await farm.given_node(devices=1)
    session, _ = await given_session(farm, node)
    await farm.engine.reservations.send_input(session.session_id, TAP, actor="ann")

    await farm.engine.reservations.release_session(session.session_id, actor="ann")

    assert await farm.engine.reservations.list_inputs("node-1", taken={}) == []
    assert await farm.value("select count(*) from corral.session_inputs") == 0


async def test_a_holder_cannot_pile_inputs_up_without_end(farm: Farm) -> None:
    node = await farm.given_node(devices=1)
    session, _ = await given_session(farm, node)
    send = farm.engine.reservations.send_input
    for _ in range(200):
        await send(session.session_id, TAP, actor="ann")

    with pytest.raises(ConflictError, match="200 inputs wait"):
        await send(session.session_id, TAP, actor="ann")


async def test_a_job_behind_a_held_phone_is_told_who_holds_it_and_until_when(farm: Farm) -> None:
    node = await farm.given_node(devices=1)
    session, _ = await given_session(farm, node)
    run = await farm.given_run()

    (waiting,) = await farm.engine.runs.explain_run(run.run_id)

    assert (waiting.reason, waiting.ahead_run_id) == ("behind_others", session.run_id)
    assert waiting.message == "behind 1 job on its device, which ann holds in a session"
    assert waiting.expected_start_at == session.expires_at
