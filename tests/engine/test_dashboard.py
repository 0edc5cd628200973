"""The dashboard: what it counts, what it asks for, and that it reads no jobs but those of its tiles."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

import msgspec
import pytest

from corral.model.errors import ConflictError, InvalidRequestError, NotFoundError
from tests.engine.farm import LEASE_TIME, SECOND, Farm
from tests.engine.snapshot import assert_matches_snapshot

HOUR = timedelta(hours=1)


async def dashboard(farm: Farm, window: timedelta = timedelta(days=1)) -> Any:  # noqa: ANN401
    return msgspec.json.decode(await farm.engine.dashboard.get_dashboard(window))


async def to_do(farm: Farm) -> dict[str, int]:
    return {item["kind"]: item["count"] for item in (await dashboard(farm))["to_do"]}


async def given_jobs(farm: Farm, *took: float, outcome: str = "succeeded") -> None:
    """A run on as many devices, each job taking so many seconds."""
    node = await farm.given_node(devices=len(took), max_concurrency=100)
    await farm.given_run()
    grants = await node.pull(len(took))
    await node.start(*grants)
    passed = 0.0
    for grant, seconds in zip(grants, sorted(took), strict=True):
        await farm.clock.advance(timedelta(seconds=seconds - passed))
        await node.finish(grant, outcome=outcome, failure_reason="action_failed", error_message="it broke")
        passed = seconds


async def test_the_dashboard_of_an_empty_farm_counts_nothing(farm: Farm) -> None:
    assert_matches_snapshot(await farm.engine.dashboard.get_dashboard(HOUR * 2), "dashboard_empty")


async def test_the_dashboard_has_the_shape_that_is_promised(farm: Farm) -> None:
    await given_jobs(farm, 10, outcome="failed")
    await farm.given_node("node-2", devices=2)
    await farm.engine.nodes.drain_node("node-2")

    view = await farm.engine.dashboard.get_dashboard(HOUR)

    decoded = msgspec.json.decode(view)
    decoded["hours"] = decoded["hours"][-1:]
    decoded["hours"][0]["failed"] = 1  # the hour may turn in the middle of the test
    decoded["hours"][0]["runs_started"] = 1
    assert_matches_snapshot(msgspec.json.encode(decoded), "dashboard_some")


async def test_durations_come_from_the_buckets(farm: Farm) -> None:
    await given_jobs(farm, *[60.0] * 18, 600.0, 601.0)

    kpis = (await dashboard(farm))["kpis"]

    assert (kpis["runs"], kpis["runs_succeeded"], kpis["device_jobs"], kpis["success_rate"]) == (1, 1, 20, 1.0)
    assert kpis["median_duration_s"] == pytest.approx(60, rel=0.1)
    assert kpis["p95_duration_s"] == pytest.approx(600, rel=0.1)


async def test_the_success_rate_is_that_of_jobs_that_were_executed(farm: Farm) -> None:
    node = await farm.given_node(devices=4)
    run = await farm.given_run()
    good, better, bad, stopped = grants = await node.pull()
    await node.start(*grants)
    await node.finish(good, better)
    await node.finish(bad, outcome="failed", failure_reason="action_failed")
    await farm.engine.runs.cancel_run(run.run_id)
    await node.finish(stopped, outcome="cancelled")

    kpis = (await dashboard(farm))["kpis"]

    assert (kpis["device_jobs"], kpis["success_rate"]) == (4, 0.6667)


async def test_every_hour_of_the_window_has_an_entry(farm: Farm) -> None:
    await given_jobs(farm, 5)
    await farm.clock.advance(3 * HOUR)
    await given_jobs(farm, 5, outcome="failed")

    hours = (await dashboard(farm, 6 * HOUR))["hours"]

    assert len(hours) == 7
    assert sum(hour["succeeded"] for hour in hours) == 1
    assert sum(hour["failed"] for hour in hours) == 1
    assert sum(hour["runs_started"] for hour in hours) == 2
    assert [hour["hour"] for hour in hours] == sorted(hour["hour"] for hour in hours)


async def test_what_lies_before_the_window_is_not_counted(farm: Farm) -> None:
    await given_jobs(farm, 5)
    await farm.clock.advance(3 * HOUR)

    kpis = (await dashboard(farm, HOUR))["kpis"]

    assert (kpis["runs"], kpis["device_jobs"], kpis["success_rate"], kpis["median_duration_s"]) == (0, 0, None, None)


@pytest.mark.parametrize("window", [timedelta(minutes=59), timedelta(days=32)])
async def test_a_window_out_of_bounds_is_refused(farm: Farm, window: timedelta) -> None:
    with pytest.raises(InvalidRequestError) as refused:
        await farm.engine.dashboard.get_dashboard(window)

    assert refused.value.path == "window"


async def test_a_failed_run_is_a_to_do_until_somebody_looked_at_it(farm: Farm) -> None:
    await given_jobs(farm, 5, outcome="failed")
    (run,) = await farm.engine.runs.list()
    before = await to_do(farm)

    reviewed = await farm.engine.runs.review_run(run.run_id, actor="ann")
    again = await farm.engine.runs.review_run(run.run_id, actor="bob")

    assert before == {"runs_failed": 1}
    assert await to_do(farm) == {}
    assert reviewed.reviewed_at == again.reviewed_at is not None
    assert await farm.value("select actor from corral.audit where action = 'run.review'") == "ann"


async def test_only_a_run_that_ended_is_reviewed(farm: Farm) -> None:
    await farm.given_node(devices=1)
    run = await farm.given_run()

    with pytest.raises(ConflictError):
        await farm.engine.runs.review_run(run.run_id)
    with pytest.raises(NotFoundError):
        await farm.engine.runs.review_run(uuid4())


async def test_an_offline_node_and_its_devices_are_counted(farm: Farm) -> None:
    await farm.given_node("gone", devices=3)
    await farm.pass_time(LEASE_TIME + SECOND)
    await farm.given_node("here", devices=2)

    view = await dashboard(farm)

    assert {item["kind"] for item in view["to_do"]} == {"nodes_offline"}
    kpis = view["kpis"]
    assert (kpis["nodes_online"], kpis["nodes_offline"]) == (1, 1)
    assert (kpis["devices_online"], kpis["devices_offline"], kpis["needs_attention"]) == (2, 3, 1)
    assert [(node["node_id"], node["counts"]["offline"]) for node in view["heatmap"]] == [("gone", 3), ("here", 0)]


async def test_quarantined_and_contested_devices_are_to_dos(farm: Farm) -> None:
    node = await farm.given_node("old", devices=["a", "b"])
    await farm.given_run({"serials": ["a"]})
    (grant,) = await node.pull()
    await farm.given_node("new", devices=["a"])
    await node.beat(devices=[{"serial": "b", "health": "quarantined", "health_reason": "hot"}])

    assert await to_do(farm) == {"devices_quarantined": 1, "devices_contested": 1}
    await node.finish(grant)


async def test_mass_silence_is_a_to_do(farm: Farm) -> None:
    for name in ("node-1", "node-2"):
        await farm.given_node(name)
    await farm.pass_time(LEASE_TIME + 10 * SECOND)

    assert await to_do(farm) == {"verdicts_suspended": 1, "nodes_offline": 2}


async def test_a_device_that_keeps_losing_its_leases_is_a_to_do(farm: Farm) -> None:
    node = await farm.given_node(devices=1)
    await farm.given_run(policy={"max_attempts": 9})

    for losses in range(3):
        assert "leases_expiring" not in await to_do(farm), losses
        await node.pull()
        node = await node.reboot()

    assert (await to_do(farm))["leases_expiring"] == 1


async def test_leases_that_expire_count_as_lost(farm: Farm) -> None:
    _, grant = await farm.given_leased_job()
    other = await farm.given_node("other")

    await farm.pass_time(LEASE_TIME + 10 * SECOND, other)
    await farm.run_upkeep()

    rows = await farm.engine.database.fetch("select device_id, ending from corral.lost_leases")
    assert [(row["device_id"], row["ending"]) for row in rows] == [(grant.device_id, "expired")]


async def test_the_tiles_tell_what_each_device_does(farm: Farm) -> None:
    node = await farm.given_node(devices=["a", "b", "c", "d", "e"])
    await farm.given_run({"serials": ["a", "b"]})
    await node.start(*await node.pull(1))
    await node.beat(
        devices=[
            {"serial": "d", "connection": "offline"},
            {"serial": "e", "health": "quarantined", "health_reason": "hot"},
        ]
    )

    (tile,) = (await dashboard(farm))["heatmap"]

    assert [item["activity"] for item in tile["items"]] == ["running", "waiting", "idle", "offline", "quarantined"]
    assert tile["counts"] == {"total": 5, "running": 1, "waiting": 1, "idle": 1, "offline": 1, "quarantined": 1}


@pytest.mark.parametrize("name", ["fn_get_dashboard", "fn_sum_durations", "fn_list_hours", "fn_list_to_do"])
async def test_the_dashboard_never_reads_jobs(farm: Farm, name: str) -> None:
    body = await farm.value("select prosrc from pg_proc where proname = $1", name)

    assert "from jobs" not in body
    assert "join jobs" not in body


async def test_full_disks_of_servers_and_nodes_are_to_do(farm: Farm) -> None:
    await farm.given_node(meta={"disk": {"total_bytes": 1000, "free_bytes": 99}})
    await farm.given_node("node-2", meta={"disk": {"total_bytes": 1000, "free_bytes": 500}})
    await farm.given_node("node-3", meta={"disk": {"total_bytes": "much", "free_bytes": None}})
    await farm.engine.upkeep.report_disks("a", [{"path": "/50%", "total_bytes": 1000, "free_bytes": 50}])
    await farm.engine.upkeep.report_disks("b", [{"path": "/data", "total_bytes": 1000, "free_bytes": 100}])

    (item,) = (await dashboard(farm))["to_do"]
    assert (item["kind"], item["count"]) == ("disks_full", 2)
    assert item["message"] == "2 disks are more than 90 % full, such as /50% on a"

    await farm.engine.upkeep.report_disks("a", [{"path": "/50%", "total_bytes": 1000, "free_bytes": 500}])
    (item,) = (await dashboard(farm))["to_do"]
    assert item["message"] == "1 disk is more than 90 % full: node node-1"


async def test_a_disk_that_no_leader_looks_at_any_more_is_no_to_do(farm: Farm) -> None:
    await farm.engine.upkeep.report_disks("a", [{"path": "/", "total_bytes": 1000, "free_bytes": 0}])
    assert [item["kind"] for item in (await dashboard(farm))["to_do"]] == ["disks_full"]

    await farm.clock.advance(timedelta(minutes=11))

    assert (await dashboard(farm))["to_do"] == []
