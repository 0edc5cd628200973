"""Pulling: who gets what, in which order, and how much."""

from uuid import uuid4

import pytest

from corral.model.errors import UnknownNodeError
from corral.model.records import Grant
from tests.engine.farm import Farm, SimulatedNode


async def test_a_pull_takes_one_job_per_device_and_only_of_its_own_node(farm: Farm) -> None:
    mine, other = await farm.given_node("mine", devices=3), await farm.given_node("other", devices=3)
    await farm.given_run()
    await farm.given_run()

    grants = await mine.pull(100)

    assert sorted(grant.serial for grant in grants) == ["mine-001", "mine-002", "mine-003"]
    assert len({grant.lease_token for grant in grants}) == 3
    assert await mine.pull(100) == []
    assert len(await other.pull(2)) == 2


async def test_a_grant_tells_what_recipes_may_know_of_the_device(farm: Farm) -> None:
    node = await farm.given_node(devices=["a"])
    (device,) = await farm.engine.devices.list()
    await farm.engine.devices.update_device(device.device_id, label="shelf 3", tags=["tablet"])
    await farm.engine.nodes.report_devices(
        node.node_id, epoch=node.epoch, devices=[{"serial": "a", "model": "Pixel 9", "os_version": "16"}]
    )
    run = await farm.given_run()
    request_id = uuid4()

    (grant,) = await node.pull(request_id=request_id)

    known = (grant.index_no, grant.label, grant.model, grant.os_version, grant.tags)
    assert known == (device.index_no, "shelf 3", "Pixel 9", "16", ["tablet"])
    assert await node.pull(request_id=request_id) == [grant]
    (spec,) = await farm.engine.runs.list_run_specs([run.run_id])
    assert spec.name == run.name


async def test_jobs_of_one_device_come_in_the_order_in_which_they_were_asked_for(farm: Farm) -> None:
    node = await farm.given_node(devices=1)
    runs = [await farm.given_run() for _ in range(3)]

    order = []
    while grants := await node.pull():
        order.append(grants[0].run_id)
        await node.finish(*grants)

    assert order == [run.run_id for run in runs]


async def test_a_higher_priority_goes_first_on_its_device_and_on_its_node(farm: Farm) -> None:
    node = await farm.given_node(devices=["a", "b"])
    await farm.given_run()
    urgent = await farm.given_run({"serials": ["b"]}, policy={"priority": 5})

    first, second = await node.pull()

    assert (first.serial, first.run_id) == ("b", urgent.run_id)
    assert second.serial == "a"


async def test_a_leased_job_is_not_displaced_by_a_more_urgent_one(farm: Farm) -> None:
    node, grant = await farm.given_leased_job()
    urgent = await farm.given_run(policy={"priority": 5})

    assert await node.pull() == []
    await node.finish(grant)

    assert [g.run_id for g in await node.pull()] == [urgent.run_id]


async def test_devices_take_turns(farm: Farm) -> None:
    node = await farm.given_node(devices=["a", "b", "c"], max_concurrency=1, lookahead=0)
    for _ in range(2):
        await farm.given_run()

    order = []
    while grants := await node.pull():
        order.append(grants[0].serial)
        await node.finish(*grants)

    assert order == ["a", "b", "c", "a", "b", "c"]


async def test_a_node_never_gets_more_than_its_slots_and_its_lookahead(farm: Farm) -> None:
    node = await farm.given_node(devices=10, max_concurrency=3, lookahead=2)
    await farm.given_run()

    grants = await node.pull(100)

    assert len(grants) == 5
    await node.finish(*grants[:2])
    assert len(await node.pull(100)) == 2


async def test_a_capped_run_never_has_more_in_flight_over_all_nodes(farm: Farm) -> None:
    nodes = [await farm.given_node(f"node-{n}", devices=4) for n in range(3)]
    run = await farm.given_run(policy={"concurrency": 5})

    grants = [(node, grant) for node in nodes for grant in await node.pull()]
    assert len(grants) == 5
    node, grant = grants[0]
    await node.finish(grant)
    assert [len(await node.pull()) for node in reversed(nodes)] == [1, 0, 0]

    assert (await farm.run(run.run_id)).leased == 5


async def test_a_sequential_run_goes_one_device_at_a_time_to_its_end(farm: Farm) -> None:
    node = await farm.given_node(devices=5)
    run = await farm.given_run(policy={"concurrency": 1})

    for _ in range(5):
        (grant,) = await node.pull()
        await node.start(grant)
        await node.finish(grant)

    assert (await farm.run(run.run_id)).status == "succeeded"


async def test_a_full_gate_does_not_hold_up_other_runs(farm: Farm) -> None:
    node = await farm.given_node(devices=6)
    capped = await farm.given_run({"indexes": [[1, 4]]}, policy={"concurrency": 1})
    free = await farm.given_run({"indexes": [[5, 6]]})

    grants = await node.pull(3)

    assert sorted(g.run_id for g in grants) == sorted([capped.run_id, free.run_id, free.run_id])


async def test_jobs_of_a_capped_run_are_not_taken_ahead_of_a_free_slot(farm: Farm) -> None:
    node = await farm.given_node(devices=10, max_concurrency=2, lookahead=5)
    await farm.given_run(policy={"concurrency": 8})

    assert len(await node.pull(100)) == 2


async def test_a_capped_head_that_comes_in_during_a_pull_does_not_pass_its_gate_by(farm: Farm) -> None:
    await farm.given_node(devices=2)
    await farm.given_run(policy={"concurrency": 1})

    picked_when_no_gate_was_seen = await farm.value("select corral.fn_pick_lanes('node-1', 10, null)")

    assert picked_when_no_gate_was_seen is None


async def test_a_place_in_a_gate_is_given_back_when_a_lease_is_lost(farm: Farm) -> None:
    node = await farm.given_node(devices=2)
    await farm.given_run(policy={"concurrency": 1})
    await node.pull()

    node = await node.reboot()

    assert len(await node.pull()) == 1


async def test_a_pool_takes_any_idle_matching_devices_the_least_used_first(farm: Farm) -> None:
    node = await farm.given_node(devices=["a", "b", "c", "d"])
    for device in (await farm.engine.devices.list())[:3]:
        await farm.engine.devices.update_device(device.device_id, tags=["pixel"])
    await node.finish(*await _pull_run_on(farm, node, "a"))

    run = await farm.given_run({"any": 2, "tags": ["pixel"]})
    grants = await node.pull()

    assert {grant.serial for grant in grants} == {"b", "c"}
    await node.finish(*grants)
    assert (await farm.run(run.run_id)).status == "succeeded"


async def test_a_pool_leaves_devices_that_have_work_of_their_own(farm: Farm) -> None:
    node = await farm.given_node(devices=["a", "b"], max_concurrency=1, lookahead=0)
    own = await farm.given_run({"serials": ["a"]})
    pool = await farm.given_run({"any": 2})

    (first,) = await node.pull()
    await node.finish(first)
    (second,) = await node.pull()

    assert (first.run_id, second.run_id) == (own.run_id, pool.run_id)


async def test_a_pool_that_nothing_matches_does_not_stand_in_the_way_of_another(farm: Farm) -> None:
    node = await farm.given_node(devices=3)
    await farm.given_run({"any": 300, "tags": ["tablet"]})
    matching = await farm.given_run({"any": 2})

    assert [grant.run_id for grant in await node.pull()] == [matching.run_id] * 2


async def test_a_pool_uses_each_device_once_per_run(farm: Farm) -> None:
    node = await farm.given_node(devices=["a"])
    await farm.given_run({"any": 2})
    await node.finish(*await node.pull())

    assert await node.pull() == []


async def test_a_lost_job_of_a_pool_finishes_on_another_device(farm: Farm) -> None:
    first, second = (
        await farm.given_node("first", devices=["a"]),
        await farm.given_node("second", devices=["b"]),
    )
    await farm.given_run({"any": 1})
    (grant,) = await first.pull()
    await first.start(grant)

    await first.reboot()

    (regrant,) = await second.pull()
    assert (regrant.job_id, regrant.serial, regrant.attempt) == (grant.job_id, "b", 2)


async def test_a_capped_pool_respects_its_cap(farm: Farm) -> None:
    node = await farm.given_node(devices=5)
    await farm.given_run({"any": 4}, policy={"concurrency": 2})

    assert len(await node.pull()) == 2
    assert await node.pull() == []


async def test_a_single_device_is_not_starved_by_a_pool_that_asks_for_a_thousand(farm: Farm) -> None:
    node = await farm.given_node(devices=6)
    many = await farm.given_run({"any": 1000})
    first = await node.pull(4)
    one = await farm.given_run({"any": 1})

    assert {grant.run_id for grant in first} == {many.run_id}
    assert [grant.run_id for grant in await node.pull()] == [one.run_id, many.run_id]


async def test_pools_of_one_priority_share_what_is_idle_evenly_and_a_higher_one_goes_first(farm: Farm) -> None:
    node = await farm.given_node(devices=9)
    first, second = [await farm.given_run({"any": 50}) for _ in range(2)]
    urgent = await farm.given_run({"any": 3}, policy={"priority": 1})

    granted = [grant.run_id for grant in await node.pull()]

    assert granted == [urgent.run_id] * 3 + [first.run_id, second.run_id] * 3


async def test_what_a_pool_has_on_other_nodes_counts_in_its_turn(farm: Farm) -> None:
    left, right = await farm.given_node("left", devices=2), await farm.given_node("right", devices=3)
    older = await farm.given_run({"any": 50})
    await left.pull()
    newer = await farm.given_run({"any": 50})

    assert [grant.run_id for grant in await right.pull()] == [newer.run_id, newer.run_id, older.run_id]


async def test_a_draining_node_gets_nothing_new_but_may_ask_again(farm: Farm) -> None:
    node = await farm.given_node(devices=2)
    await farm.given_run()
    request_id = uuid4()
    (grant,) = await node.pull(1, request_id=request_id)
    await farm.engine.nodes.drain_node(node.node_id)

    assert await node.pull() == []
    assert [g.lease_token for g in await node.pull(1, request_id=request_id)] == [grant.lease_token]
    assert (await node.beat()).draining
    await farm.engine.nodes.drain_node(node.node_id, draining=False)
    assert len(await node.pull()) == 1


async def test_a_pull_that_wants_nothing_renews_the_lease(farm: Farm) -> None:
    node, _ = await farm.given_leased_job()
    before = (await farm.engine.nodes.get(node.node_id)).lease_until

    assert await node.pull(0) == []

    assert (await farm.engine.nodes.get(node.node_id)).lease_until > before


async def test_a_node_that_never_registered_is_told_so(farm: Farm) -> None:
    with pytest.raises(UnknownNodeError) as caught:
        await farm.engine.nodes.pull_job("nobody", epoch=1, want=1)
    assert caught.value.code == "unknown_node"


async def _pull_run_on(farm: Farm, node: SimulatedNode, serial: str) -> list[Grant]:
    await farm.given_run({"serials": [serial]})
    return await node.pull()
