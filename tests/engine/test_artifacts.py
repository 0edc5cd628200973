"""Artifacts: whose keys are whose, what was uploaded, what is left over."""

from datetime import timedelta
from uuid import uuid4

import pytest

from corral.model.errors import LeaseLostError, NotFoundError
from corral.model.records import Grant
from tests.engine.farm import Farm, SimulatedNode, artifact_key

DAY = timedelta(days=1)
SHA = "ab" * 32


async def begin(farm: Farm, grant: Grant, key: str, *, node_id: str = "node-1") -> None:
    await farm.engine.artifacts.begin_artifact(key, node_id=node_id, job_id=grant.job_id, lease_token=grant.lease_token)


async def given_stored(farm: Farm, grant: Grant, number: int = 0) -> str:
    key = artifact_key(grant, number=number)
    await begin(farm, grant, key)
    await farm.engine.artifacts.store_artifact(key, size_bytes=3, sha256=SHA, content_type="image/png")
    return key


async def report(node: SimulatedNode, grant: Grant, key: str) -> str:
    (result,) = await node.send(node.event(grant, "artifact_created", key=key, kind="screenshot"))
    return str(result.outcome)


def foreign_keys(grant: Grant) -> dict[str, str]:
    own = artifact_key(grant)
    return {
        "another node": own.replace("node-1/", "node-2/", 1),
        "another device": own.replace(grant.serial, "R58M9"),
        "another run": own.replace(str(grant.run_id), str(uuid4())),
        "a video": own.replace("_/", "dQw4w9WgXcQ/", 1),
        "no key at all": "whatever.png",
        "a way out": own.replace("_/", "../", 1),
        "one part more": own.replace("/2026", "/x/2026"),
        "a name of its own": own.rsplit("/", 1)[0] + "/latest.png",
        "a line more": own + "\n",
    }


async def test_a_key_of_something_else_is_refused_when_it_is_reported_and_when_it_is_uploaded(farm: Farm) -> None:
    node, grant = await farm.given_leased_job()

    for whose, key in foreign_keys(grant).items():
        assert await report(node, grant, key) == "stale", whose
        with pytest.raises(LeaseLostError) as caught:
            await begin(farm, grant, key)
        assert caught.value.path == "key", whose

    assert await farm.engine.artifacts.list() == []
    assert await report(node, grant, artifact_key(grant)) == "applied"


async def test_the_key_of_a_run_with_a_video_names_it(farm: Farm) -> None:
    node = await farm.given_node(devices=1)
    await farm.given_run(youtube_video_id="dQw4w9WgXcQ")
    (grant,) = await node.pull()

    assert await report(node, grant, artifact_key(grant)) == "stale"
    assert await report(node, grant, artifact_key(grant, video="dQw4w9WgXcQ")) == "applied"


async def test_bytes_are_taken_for_any_token_of_that_node_and_job_until_a_day_after_its_lease(farm: Farm) -> None:
    node, grant = await farm.given_leased_job()
    await farm.given_node("node-2")
    await node.finish(grant)

    await farm.clock.advance(timedelta(hours=23))
    await begin(farm, grant, artifact_key(grant))
    with pytest.raises(LeaseLostError, match="never given to node node-2"):
        await begin(farm, grant, artifact_key(grant, node_id="node-2"), node_id="node-2")
    await farm.clock.advance(timedelta(hours=2))

    with pytest.raises(LeaseLostError, match="too long ago"):
        await begin(farm, grant, artifact_key(grant, number=1))


async def test_what_was_measured_counts_and_not_what_the_node_said(farm: Farm) -> None:
    node, grant = await farm.given_leased_job()
    key = await given_stored(farm, grant)
    await node.send(
        node.event(grant, "artifact_created", key=key, content_type="text/html", size_bytes=9, sha256="0" * 64)
    )

    (artifact,) = await farm.engine.artifacts.list(run_id=grant.run_id)

    assert (artifact.content_type, artifact.size_bytes, artifact.sha256) == ("image/png", 3, SHA)
    assert (artifact.serial, artifact.is_stored) == (grant.serial, True)
    assert artifact.url == f"/api/artifacts/{artifact.artifact_id}/content"
    assert await farm.engine.artifacts.get(artifact.artifact_id) == artifact


async def test_what_was_stored_first_stays(farm: Farm) -> None:
    _, grant = await farm.given_leased_job()
    key = await given_stored(farm, grant)

    again = await farm.engine.artifacts.store_artifact(key, size_bytes=9, sha256="0" * 64, content_type="text/plain")

    assert (again.size_bytes, again.sha256) == (3, SHA)
    with pytest.raises(NotFoundError):
        await farm.engine.artifacts.store_artifact("none", size_bytes=9, sha256=SHA, content_type="text/plain")


async def test_artifacts_are_listed_newest_first_page_by_page(farm: Farm) -> None:
    node = await farm.given_node(devices=2)
    await farm.given_run()
    first, second = await node.pull()
    # All of one callback have one created_at: the page must not end in the middle of an instant.
    await node.send(
        *(
            node.event(grant, "artifact_created", key=artifact_key(grant, number=n))
            for n in range(3)
            for grant in (first, second)
        )
    )

    seen = []
    page = await farm.engine.artifacts.list(limit=4)
    while page:
        seen += page
        page = await farm.engine.artifacts.list(limit=4, before=(page[-1].created_at, page[-1].artifact_id))

    assert len({artifact.artifact_id for artifact in seen}) == len(seen) == 6
    assert {a.job_id for a in await farm.engine.artifacts.list(job_id=second.job_id)} == {second.job_id}
    assert len(await farm.engine.artifacts.list(device_id=first.device_id, kind="file")) == 3
    assert await farm.engine.artifacts.list(device_id=first.device_id, kind="log") == []


async def test_bytes_that_nobody_reported_are_left_over_once_nobody_can(farm: Farm) -> None:
    node, grant = await farm.given_leased_job()
    reported, forgotten = await given_stored(farm, grant, 1), await given_stored(farm, grant, 2)
    await report(node, grant, reported)

    await farm.clock.advance(DAY * 3)
    assert await farm.engine.artifacts.list_leftover_artifacts() == []  # the lease has not ended
    await node.finish(grant)
    await farm.clock.advance(timedelta(hours=24))
    assert await farm.engine.artifacts.list_leftover_artifacts() == []  # a word may still come
    await farm.clock.advance(timedelta(hours=2))

    assert await farm.engine.artifacts.list_leftover_artifacts() == [forgotten]
    assert await farm.engine.artifacts.list_leftover_artifacts(after=forgotten) == []
    await farm.engine.artifacts.forget_artifacts([forgotten, reported])
    assert await farm.value("select array_agg(key) from corral.artifact_uploads") == [reported]


async def test_purged_artifacts_are_left_over_and_so_are_those_of_purged_runs(farm: Farm) -> None:
    node = await farm.given_node(devices=2)
    await farm.given_run()
    old, young = await node.pull()
    keys = [await given_stored(farm, grant) for grant in (old, young)]
    await report(node, old, keys[0])
    await node.finish(old, young)
    await farm.clock.advance(DAY / 2)
    await report(node, young, keys[1])
    await farm.clock.advance(DAY * 3 / 4)

    assert await farm.engine.upkeep.purge_artifacts(DAY, chunk=1) == 1
    await farm.clock.advance(DAY)

    assert [artifact.key for artifact in await farm.engine.artifacts.list()] == [keys[1]]
    assert await farm.engine.artifacts.list_leftover_artifacts() == [keys[0]]
    await farm.engine.upkeep.purge_runs(DAY)
    assert sorted(await farm.engine.artifacts.list_leftover_artifacts()) == sorted(keys)
