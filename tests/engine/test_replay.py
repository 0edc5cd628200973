"""Replays: the same run once more, draw by draw."""

from datetime import timedelta

import pytest

from corral.model.errors import ConflictError, NotFoundError
from corral.workflow import draw
from tests.engine.farm import Farm


async def test_a_replay_repeats_every_draw_on_the_very_devices(farm: Farm) -> None:
    node = await farm.given_node(devices=4)
    old = await farm.given_run(
        {"indexes": [1, 3]},
        params={"package": "a", "nothing": None},
        secret_params={"password": "hunter22"},
        overrides={"open": {"timeout_s": 5}},
        policy={"priority": 7, "concurrency": 2},
        timeout_s=77,
        youtube_video_id="dQw4w9WgXcQ",
    )
    before = await node.pull()
    await node.finish(*before)
    await farm.given_node("node-2", devices=1)  # which the replay must not know

    replay = await farm.engine.runs.replay_run(old.run_id, actor="ada")

    after = await node.pull()
    assert (replay.replay_of, replay.retry_of, replay.created_by) == (old.run_id, None, "ada")
    assert [grant.serial for grant in after] == [grant.serial for grant in before]
    assert [grant.timeout_s for grant in after] == [77, 77]
    first, second = await farm.engine.runs.list_run_specs([old.run_id, replay.run_id])
    for name in ("workflow_id", "params", "secret_params", "overrides", "policy", "seed", "youtube_video_id"):
        assert getattr(first, name) == getattr(second, name), name
    assert first.secret_params == {"password": "hunter22"}
    assert [draw(first.seed, grant.serial, "look") for grant in before] == [
        draw(second.seed, grant.serial, "look") for grant in after
    ]
    assert "hunter22" not in repr(replay)


async def test_a_pools_replay_is_for_the_devices_that_it_found(farm: Farm) -> None:
    node = await farm.given_node(devices=3)
    old = await farm.given_run({"any": 1})
    (grant,) = await node.pull()
    await node.finish(grant)

    replay = await farm.engine.runs.replay_run(old.run_id)

    assert replay.total_jobs == 1
    assert [again.serial for again in await node.pull()] == [grant.serial]


async def test_a_device_that_succeeded_or_was_offline_is_replayed_like_any_other(farm: Farm) -> None:
    node = await farm.given_node(devices=2)
    await node.beat(devices=[{"serial": "node-1-002", "connection": "offline"}])
    old = await farm.given_run()
    await node.finish(*await node.pull())
    await farm.pass_time(timedelta(seconds=40), node)
    await farm.run_upkeep()

    assert (await farm.engine.runs.replay_run(old.run_id)).total_jobs == 2


async def test_a_run_that_is_going_or_unknown_is_not_replayed(farm: Farm) -> None:
    node, grant = await farm.given_leased_job()

    with pytest.raises(ConflictError):
        await farm.engine.runs.replay_run(grant.run_id)
    with pytest.raises(NotFoundError):
        await farm.engine.runs.replay_run(grant.job_id)
    await node.finish(grant)
    assert (await farm.engine.runs.replay_run(grant.run_id)).status == "queued"
