"""A device's story: its jobs over all runs, how it was, and what became of its health."""

from datetime import timedelta
from uuid import UUID

from corral.engine import Engine
from corral.model.states import Health, JobStatus
from tests.engine.farm import SECOND, Farm
from tests.engine.load import load_farm, load_runs
from tests.engine.reads import reads_of

DAY = timedelta(days=1)
SAMPLE_EVERY = timedelta(minutes=10)


async def only_device(farm: Farm) -> UUID:
    (device,) = await farm.engine.devices.list()
    return device.device_id


async def batteries(farm: Farm, window: timedelta = DAY) -> list[int | None]:
    samples = await farm.engine.device_history.list_samples(await only_device(farm), window=window)
    return [sample.battery for sample in samples]


async def changes(farm: Farm) -> list[tuple[Health, str | None, str]]:
    found = await farm.engine.device_history.list_health_changes(await only_device(farm))
    return [(each.health, each.reason, each.changed_by) for each in found]


async def test_a_devices_jobs_are_listed_over_runs_newest_first_and_page_by_page(farm: Farm) -> None:
    node = await farm.given_node(devices=["a", "b"])
    for number in range(3):
        await farm.given_run(name=f"run {number}")
    (first, _) = await node.pull()
    await node.start(first)
    await node.finish(first, outcome="failed", failure_reason="action_failed", error_message="no such button")
    history = farm.engine.device_history

    newest, middle = await history.list_jobs(first.device_id, limit=2)
    (oldest,) = await history.list_jobs(first.device_id, before=middle.position)

    assert [each.run_name for each in (newest, middle, oldest)] == ["run 2", "run 1", "run 0"]
    assert (oldest.status, oldest.failure_reason, oldest.error_message) == ("failed", "action_failed", "no such button")
    assert (oldest.job_id, oldest.workflow, newest.status) == (first.job_id, "smoke", "queued")
    assert await history.list_jobs(first.device_id, statuses=[JobStatus.FAILED]) == [oldest]


async def test_the_history_of_one_device_reads_its_own_jobs_alone(new_dsn: str) -> None:
    async with Engine.connect(new_dsn, max_connections=1) as engine:
        await load_farm(engine, nodes=20, devices_per_node=50)
        await load_runs(engine, 20)
        (device,) = await engine.devices.list(after=76, limit=1)
        query = "select * from corral.device_jobs where device_id = $1 order by position desc limit 10"

        async with engine.database.own_connection() as session:
            reads = await reads_of(session, query, device.device_id)

    assert (len(reads.rows), reads.seq_scans.get("jobs"), reads.rows_read["jobs"]) == (10, None, 10)


async def test_a_device_is_running_only_once_its_job_has_started(farm: Farm) -> None:
    node = await farm.given_node(devices=["a", "b", "c"], max_concurrency=1, lookahead=1)
    await farm.given_run({"serials": ["a", "b"]})
    (begun, _) = await node.pull()
    await node.start(begun)

    devices = await farm.engine.devices.list()

    assert [device.activity for device in devices] == ["running", "waiting", "idle"]


async def test_samples_are_written_when_a_value_changed_and_not_too_often(farm: Farm) -> None:
    node = await farm.given_node()

    for battery, later in [(80, SECOND), (79, SAMPLE_EVERY), (78, SAMPLE_EVERY), (78, SAMPLE_EVERY), (77, SECOND)]:
        await node.beat(devices=[{"serial": "a", "battery": battery}])
        await farm.clock.advance(later)
    await node.beat(devices=[{"serial": "a", "model": "Pixel 8"}])

    assert await batteries(farm) == [80, 78, 77]


async def test_a_heartbeat_that_tells_of_no_device_writes_no_sample(farm: Farm) -> None:
    node = await farm.given_node(devices=["a"])
    await farm.clock.advance(SAMPLE_EVERY)

    await node.beat()

    assert await batteries(farm) == []


async def test_a_window_begins_with_what_the_device_was_then(farm: Farm) -> None:
    node = await farm.given_node()
    for battery in (90, 80, 70):
        await node.beat(devices=[{"serial": "a", "battery": battery}])
        await farm.clock.advance(timedelta(hours=2))

    assert await batteries(farm, timedelta(hours=3)) == [80, 70]
    assert await batteries(farm, timedelta(minutes=1)) == [70]


async def test_changes_of_health_say_why_and_by_whom(farm: Farm) -> None:
    node = await farm.given_node(devices=["a"])
    device_id = await only_device(farm)
    hot = {"serial": "a", "health": "quarantined", "health_reason": "46 °C"}
    await node.beat(devices=[hot])
    await farm.clock.advance(SECOND)
    await node.beat(devices=[{**hot, "health_reason": "47 °C"}])
    await farm.clock.advance(SECOND)
    await farm.engine.devices.update_device(
        device_id, health=Health.QUARANTINED, health_reason="swollen battery", actor="ann"
    )
    await farm.clock.advance(SECOND)
    await farm.engine.devices.update_device(device_id, health=Health.OK, actor="bob")

    assert await changes(farm) == [
        (Health.OK, None, "bob"),
        (Health.QUARANTINED, "swollen battery", "ann"),
        (Health.QUARANTINED, "46 °C", "node:node-1"),
    ]


async def test_a_node_does_not_overwrite_why_a_person_quarantined_a_device(farm: Farm) -> None:
    node = await farm.given_node(devices=["a"])
    device_id = await only_device(farm)
    await farm.engine.devices.update_device(device_id, health=Health.QUARANTINED, health_reason="recalled", actor="ann")

    await node.beat(devices=[{"serial": "a", "health": "suspect", "health_reason": "no answer"}])

    device = await farm.engine.devices.get(device_id)
    assert (device.health, device.health_reason) == (Health.QUARANTINED, "recalled")
    assert await changes(farm) == [(Health.QUARANTINED, "recalled", "ann")]


async def test_old_samples_and_changes_go_but_the_last_change_stays(farm: Farm) -> None:
    node = await farm.given_node()
    for health in ("suspect", "ok", "quarantined"):
        await node.beat(devices=[{"serial": "a", "battery": 50, "health": health, "health_reason": "odd"}])
        await farm.clock.advance(SECOND)
    await farm.clock.advance(30 * DAY)

    gone = await farm.engine.upkeep.purge_samples(DAY, chunk=1)
    await node.beat(devices=[{"serial": "a", "health": "quarantined", "health_reason": "odd"}])

    assert gone >= 2
    assert await changes(farm) == [(Health.QUARANTINED, "odd", "node:node-1")]
    assert len(await batteries(farm)) == 1
