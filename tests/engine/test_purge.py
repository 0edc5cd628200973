"""Purges: what is old goes, in small batches; what is alive stays."""

from datetime import timedelta

from tests.engine.farm import Farm

MONTH = timedelta(days=30)


async def test_old_events_and_logs_go_and_new_ones_stay(farm: Farm) -> None:
    node = await farm.given_node(devices=5)
    await farm.given_run()
    grants = await node.pull()
    await node.start(*grants)
    await node.send(*(node.event(grant, "log", lines=[{"message": "old"}]) for grant in grants))
    await farm.clock.advance(MONTH)
    await node.send(node.event(grants[0], "log", lines=[{"message": "new"}]))

    assert await farm.engine.upkeep.purge_events(timedelta(days=1), chunk=2) == 10
    assert await farm.engine.upkeep.purge_logs(timedelta(days=1), chunk=2) == 5

    assert await farm.value("select count(*) from corral.node_events") == 1
    assert await farm.value("select array_agg(message) from corral.log_lines") == ["new"]


async def test_old_runs_go_whole_and_open_ones_stay(farm: Farm) -> None:
    node = await farm.given_node(devices=5)
    await farm.given_run(secret_params={"p": "x"}, policy={"concurrency": 5})
    await node.finish(*await node.pull(), steps=[{"step": "one", "status": "succeeded"}])
    open_run = await farm.given_run()
    await farm.clock.advance(MONTH)

    assert await farm.engine.upkeep.purge_runs(timedelta(days=1), chunk=2) == 5
    await farm.engine.upkeep.purge_runs(timedelta(days=1))

    for table in ("runs", "run_versions"):
        assert await farm.value(f"select count(*) from corral.{table}") == 1, table
    for table in ("run_secrets", "run_gates", "job_steps", "leases"):
        assert await farm.value(f"select count(*) from corral.{table}") == 0, table
    assert (await farm.run(open_run.run_id)).waiting == 5
