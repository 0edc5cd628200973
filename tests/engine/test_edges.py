"""Corners of the rules of trouble that the engine once got wrong."""

from datetime import timedelta

from tests.engine.farm import BEAT, SECOND, Farm


async def test_text_that_spells_out_a_nul_is_kept(farm: Farm) -> None:
    node, grant = await farm.given_leased_job()
    said = 'C:\\u0000", "outcome": "x'

    (result,) = await node.send(node.event(grant, "log", lines=[{"message": said}, {"message": "a\x00b"}]))

    assert result.outcome == "applied"
    rows = await farm.engine.database.fetch("select message from corral.log_lines order by line_no")
    assert [row["message"] for row in rows] == [said, "ab"]


async def test_a_proof_of_death_proves_nothing_of_an_earlier_agent(farm: Farm) -> None:
    node, grant = await farm.given_leased_job()
    stranger = await node.reboot(keeps_state=False)

    await stranger.reboot(keeps_state=True)

    assert (await farm.job(grant)).status == "leased"


async def test_a_leased_device_that_is_gone_and_seen_elsewhere_moves_after_its_lease(farm: Farm) -> None:
    node, grant = await farm.given_leased_job()
    other = await farm.given_node("node-2")
    await node.beat(devices=[{"serial": grant.serial, "connection": "gone"}])

    await other.beat(devices=[{"serial": grant.serial, "connection": "connected"}])

    assert await farm.engine.upkeep.check_invariants() == []
    assert (await farm.engine.devices.get(grant.device_id)).node_id == "node-1"
    await farm.run_upkeep()
    assert (await node.beat()).lost == [grant.lease_token]
    await node.finish(grant, outcome="interrupted")
    await farm.run_upkeep()
    assert (await farm.engine.devices.get(grant.device_id)).node_id == "node-2"
    assert [again.job_id for again in await other.pull()] == [grant.job_id]


async def test_a_step_overtaken_by_an_interruption_is_stale(farm: Farm) -> None:
    node, grant = await farm.given_leased_job()
    await node.start(grant)
    overtaken = node.event(grant, "step_started", step="look")
    await node.finish(grant, outcome="interrupted")

    (result,) = await node.send(overtaken)

    assert result.outcome == "stale"


async def test_a_device_that_blinks_on_a_draining_node_is_not_skipped_at_once(farm: Farm) -> None:
    node = await farm.given_node(devices=1)
    run = await farm.given_run()
    await farm.engine.nodes.drain_node(node.node_id)
    await farm.pass_time(timedelta(minutes=2), node)

    await node.beat(devices=[{"serial": "node-1-001", "connection": "offline"}])
    await farm.clock.advance(SECOND)
    await farm.run_upkeep()

    assert (await farm.run(run.run_id)).status == "queued"
    await farm.pass_time(4 * BEAT, node)
    await farm.run_upkeep()
    assert (await farm.run(run.run_id)).status == "skipped"
