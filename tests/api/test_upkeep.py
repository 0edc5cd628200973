"""Upkeep: one leader, whose loops go on whatever happens."""

import asyncio
from datetime import timedelta

import pytest

from corral.config import ServerConfig
from corral.engine import Engine
from corral.engine.leadership import Leadership
from corral.upkeep.lead import Upkeep, list_loops
from corral.upkeep.loop import Loop
from corral.upkeep.purge_events import purge_events
from tests.engine.conftest import execute
from tests.engine.farm import Farm


async def test_only_one_leads_and_the_next_takes_over(farm_dsn: str) -> None:
    async with Leadership(farm_dsn) as first, Leadership(farm_dsn) as second:
        assert await first.try_to_lead()
        assert not await second.try_to_lead()

        first.resign()

        while not await second.try_to_lead():  # noqa: ASYNC110 - PostgreSQL notices in its own time
            await asyncio.sleep(0.01)


async def test_a_leader_whose_connection_is_cut_knows_it(farm_dsn: str, cluster_dsn: str) -> None:
    async with Leadership(farm_dsn) as leadership:
        assert await leadership.try_to_lead()
        lost = asyncio.create_task(leadership.lost())

        await execute(
            cluster_dsn,
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


async def test_the_leader_does_everything_that_upkeep_is(farm: Farm, monkeypatch: pytest.MonkeyPatch) -> None:
    acts = {loop.name for loop in list_loops(ServerConfig())}
    done = {act: asyncio.Event() for act in acts}
    for act in acts:
        original = getattr(farm.engine.upkeep, act)

        async def spy(*args: object, _act: str = act, _original=original) -> object:  # type: ignore[no-untyped-def]  # noqa: ANN001
            result = await _original(*args)
            done[_act].set()
            return result

        monkeypatch.setattr(farm.engine.upkeep, act, spy)
    upkeep = Upkeep(farm.engine, loops=list_loops(ServerConfig()))

    running = asyncio.create_task(upkeep.run())
    await asyncio.gather(*(event.wait() for event in done.values()))

    assert upkeep.is_leading.is_set()
    assert acts == {
        "tick_upkeep",
        "expire_leases",
        "resolve_contested",
        "skip_unavailable",
        "time_out_pools",
        "resume_unfinished_work",
        "finish_open_runs",
        "expire_scans",
        "expire_steps",
        "fail_unclaimable_steps",
        "purge_events",
        "purge_task_claims",
    }
    running.cancel()
    await asyncio.wait({running})


async def test_old_events_are_purged_unless_retention_is_off(farm: Farm) -> None:
    node, grant = await farm.given_leased_job()
    await node.start(grant)
    await farm.clock.advance(timedelta(days=31))

    await purge_events(timedelta(days=30))(farm.engine)

    assert await farm.value("select count(*) from corral.node_events") == 0
    assert "purge_events" not in {loop.name for loop in list_loops(ServerConfig(event_retention_days=0))}
