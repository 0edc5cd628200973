"""Upkeep: one leader, whose loops go on whatever happens."""

import asyncio
import hashlib
from datetime import timedelta
from pathlib import Path
from typing import Any

from corral.config import ServerConfig
from corral.engine import Engine
from corral.engine.leadership import Leadership
from corral.storage import file_key, in_one_piece, open_storage
from corral.upkeep.lead import Upkeep, list_loops
from corral.upkeep.loop import Loop
from corral.upkeep.purge_agents import purge_agents
from corral.upkeep.purge_artifacts import purge_artifacts
from corral.upkeep.purge_events import purge_events
from corral.upkeep.report_disks import report_disks
from corral.upkeep.sweep_storage import sweep_storage
from corral.upkeep.trim_stream import trim_stream
from tests.engine.farm import Farm, artifact_key
from tests.postgres import Server, execute


async def test_only_one_leads_and_the_next_takes_over(farm_dsn: str) -> None:
    async with Leadership(farm_dsn) as first, Leadership(farm_dsn) as second:
        assert await first.try_to_lead()
        assert not await second.try_to_lead()

        first.resign()

        while not await second.try_to_lead():  # noqa: ASYNC110 - PostgreSQL notices in its own time
            await asyncio.sleep(0.01)


async def test_a_leader_whose_connection_is_cut_knows_it(farm_dsn: str, cluster: Server) -> None:
    async with Leadership(farm_dsn) as leadership:
        assert await leadership.try_to_lead()
        lost = asyncio.create_task(leadership.lost())

        await execute(
            cluster.dsn,
            "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'corral upkeep'",
        )

        await lost


async def test_a_failing_act_is_done_again(farm: Farm) -> None:
    done = asyncio.Event()
    calls = 0

    async def fail_once(_engine: Engine) -> None:
        nonlocal calls
        calls += 1
        if calls == 1:
            raise RuntimeError
        done.set()

    looping = asyncio.create_task(Loop(act=fail_once, every=timedelta()).run(farm.engine))
    await done.wait()
    looping.cancel()


def given_config(tmp_path: Path, **settings: Any) -> ServerConfig:  # noqa: ANN401 - whatever can be set
    return ServerConfig(data_dir=str(tmp_path / "data"), **settings)


async def test_the_leader_does_everything_that_upkeep_is(farm: Farm, tmp_path: Path) -> None:
    config = given_config(tmp_path, artifact_retention_days=1, run_retention_days=1)
    loops = list_loops(config, open_storage(config))
    acts = {loop.name for loop in loops}
    done = {act: asyncio.Event() for act in acts}

    def spying(loop: Loop) -> Loop:
        async def spy(engine: Engine) -> None:
            await loop.act(engine)
            done[loop.name].set()

        return Loop(act=spy, every=loop.every)

    upkeep = Upkeep(farm.engine, loops=[spying(loop) for loop in loops])

    running = asyncio.create_task(upkeep.run())
    await asyncio.gather(*(event.wait() for event in done.values()))

    assert upkeep.is_leading.is_set()
    assert acts == {
        "tick_upkeep",
        "expire_leases",
        "expire_sessions",
        "forget_silent_servers",
        "expire_agents",
        "resolve_contested",
        "skip_unavailable",
        "time_out_pools",
        "resume_unfinished_work",
        "finish_open_runs",
        "expire_scans",
        "expire_steps",
        "fail_unclaimable_steps",
        "purge_agents",
        "purge_events",
        "purge_task_claims",
        "purge_logs",
        "purge_samples",
        "purge_pictures",
        "purge_artifacts",
        "close_idle_chains",
        "purge_runs",
        "sweep_storage",
        "report_disks",
        "time_out_jobs",
        "trim_stream",
        "sync_content_channels",
        "start_content_runs",
        "fetch_thumbnails",
        "fire_schedules",
        "notify_returned_nodes",
        "deliver_notifications",
        "purge_firings",
        "purge_notifications",
    }
    running.cancel()
    await asyncio.wait({running})


async def test_old_events_are_purged_unless_retention_is_off(farm: Farm, tmp_path: Path) -> None:
    node, grant = await farm.given_leased_job()
    await node.start(grant)
    await farm.clock.advance(timedelta(days=31))

    await purge_events(timedelta(days=30))(farm.engine)

    assert await farm.value("select count(*) from corral.node_events") == 0
    config = given_config(tmp_path, event_retention_days=0, log_retention_days=0, sample_retention_days=0)
    assert [loop.name for loop in list_loops(config, open_storage(config)) if "purge" in loop.name] == [
        "purge_pictures"
    ]


async def test_the_bytes_of_purged_artifacts_and_of_forgotten_uploads_are_swept(farm: Farm, tmp_path: Path) -> None:
    config = given_config(tmp_path)
    storage = open_storage(config)
    node = await farm.given_node(devices=3)
    await farm.given_run()
    grants = await node.pull()
    kept, purged, forgotten = (artifact_key(grant) for grant in grants)
    for grant, key in zip(grants, (kept, purged, forgotten), strict=True):
        await farm.engine.artifacts.begin_artifact(
            key, node_id="node-1", job_id=grant.job_id, lease_token=grant.lease_token
        )
        await storage.store.put(key, in_one_piece(b"x"), limit_bytes=1)
    await node.send(node.event(grants[1], "artifact_created", key=purged))
    await node.finish(*grants)
    await farm.clock.advance(timedelta(hours=23))
    await node.send(node.event(grants[0], "artifact_created", key=kept))
    await farm.clock.advance(timedelta(hours=23))

    await purge_artifacts(timedelta(days=1))(farm.engine)
    await sweep_storage(storage)(farm.engine)

    assert [found.key async for found in storage.store.list()] == [kept]
    assert [artifact.key for artifact in await farm.engine.artifacts.list()] == [kept]
    assert await farm.value("select array_agg(key) from corral.artifact_uploads") == [kept]


async def test_unfinished_deletions_and_uploads_of_files_are_swept(farm: Farm, tmp_path: Path) -> None:
    storage = open_storage(given_config(tmp_path))
    shas = [hashlib.sha256(text).hexdigest() for text in (b"kept", b"deleted", b"never named")]
    for text, sha256 in zip((b"kept", b"deleted", b"never named"), shas, strict=True):
        file_id = await farm.engine.files.reserve_file(sha256, size_bytes=len(text), content_type="text/plain")
        await storage.store.put(file_key(sha256), in_one_piece(text), limit_bytes=100)
        if text != b"never named":
            await farm.engine.files.save_file(text.decode(), sha256, file_id=file_id)
    await farm.engine.files.delete_file(shas[1])  # and the server died

    await sweep_storage(storage)(farm.engine)
    assert len([found async for found in storage.store.list()]) == 3
    await farm.clock.advance(timedelta(days=2))
    await sweep_storage(storage)(farm.engine)

    assert [found.key async for found in storage.store.list()] == [file_key(shas[0])]
    assert await farm.value("select array_agg(sha256) from corral.files") == [shas[0]]


async def test_the_leader_writes_down_how_full_its_disks_are(farm: Farm, tmp_path: Path) -> None:
    storage = open_storage(given_config(tmp_path))

    await report_disks(storage)(farm.engine)

    (disk,) = await storage.measure_disks()  # the store is on the same one
    total = await farm.value("select total_bytes from corral.disks where path = $1", disk.path)
    assert total == disk.total_bytes > disk.free_bytes


async def test_what_agents_told_is_purged_and_streams_are_trimmed(farm: Farm) -> None:
    await farm.engine.agents.heartbeat_agent("ann")
    await farm.engine.agents.record_agent_event("log", agent_id="ann")
    await farm.clock.advance(timedelta(days=31))

    await purge_agents(timedelta(days=30))(farm.engine)
    await trim_stream(farm.engine)

    assert await farm.engine.agents.list() == []
    assert await farm.engine.agents.list_events() == []
    assert await farm.value("select array_agg(topic || is_gone::text) from corral.changes") == ["agentstrue"]
