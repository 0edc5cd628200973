"""The history of a step's leases: what did not succeed, and that under which something is kept, each exactly once."""

import asyncio
from uuid import UUID, uuid4

from corral.model.records import NewStep, StepGrant
from tests.engine.farm import LEASE_TIME, SECOND, Farm
from tests.engine.test_steps import claim, event, finish, given_job, statuses


async def leases(farm: Farm, job_id: UUID) -> list[tuple[str, int, str | None]]:
    """Step, attempt and ending of each lease that is written down."""
    rows = await farm.engine.database.fetch(
        "select step, attempt, ending from corral.leases where job_id = $1 order by granted_at, step, attempt", job_id
    )
    return [tuple(row) for row in rows]


async def log(farm: Farm, grant: StepGrant, *, seq: int = 1) -> str:
    told = event(grant, "log", seq, lines=[{"message": "hello", "level": "info"}])
    (result,) = await farm.engine.events.apply_node_events("node-1", [told])
    return str(result.outcome)


async def until_somebody_waits(farm: Farm) -> None:
    waiting = "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
    while not await farm.engine.database.fetch_value(waiting):  # noqa: ASYNC110 - PostgreSQL's to say
        await asyncio.sleep(0.01)


async def test_a_lease_that_did_not_succeed_is_written_down_when_it_ends(farm: Farm) -> None:
    node = await farm.given_node()
    job = await given_job(farm, NewStep("a", max_attempts=2), NewStep("b"))
    grants = await claim(node)
    assert await leases(farm, job.job_id) == []

    await finish(node, *grants, status="failed")
    await finish(node, *await claim(node))

    assert await leases(farm, job.job_id) == [("a", 1, "finished"), ("b", 1, "finished")]


async def test_what_is_logged_after_a_success_writes_its_lease_down(farm: Farm) -> None:
    node = await farm.given_node()
    job = await given_job(farm, NewStep("a"), NewStep("b"))
    a, b = await claim(node)
    assert await finish(node, a, b) == ["applied", "applied"]
    assert await leases(farm, job.job_id) == []

    assert [await log(farm, b), await log(farm, b, seq=2)] == ["applied", "applied"]

    assert await leases(farm, job.job_id) == [("b", 1, "finished")]
    assert await farm.engine.upkeep.check_invariants() == []


async def test_evidence_of_a_success_comes_too_late_by_when_the_step_ended(farm: Farm) -> None:
    node = await farm.given_node()
    await given_job(farm, NewStep("a"))
    (grant,) = await claim(node)
    await finish(node, grant)
    late = await farm.engine.database.fetch_value("select late_evidence from corral.settings")

    await farm.clock.advance(late + SECOND)

    assert await log(farm, grant) == "stale"


async def test_the_lease_of_a_success_is_nobody_elses(farm: Farm) -> None:
    node, other = await farm.given_node(), await farm.given_node("other")
    job = await given_job(farm, NewStep("a"))
    elsewhere = await given_job(farm, NewStep("a"))
    (grant, _) = await claim(node)
    await finish(node, grant)
    told = event(grant, "log", 1, lines=[{"message": "x"}])

    by_another = await farm.engine.events.apply_node_events(other.node_id, [told])
    of_another = await farm.engine.events.apply_node_events(
        node.node_id, [{**told, "job_id": str(elsewhere.job_id), "event_id": str(uuid4())}]
    )

    assert [result.outcome for result in (*by_another, *of_another)] == ["stale", "stale"]
    assert await leases(farm, job.job_id) == await leases(farm, elsewhere.job_id) == []


async def test_what_is_logged_under_a_running_step_writes_its_lease_down(farm: Farm) -> None:
    node = await farm.given_node()
    job = await given_job(farm, NewStep("a"), NewStep("b"))
    a, b = await claim(node)

    assert [await log(farm, a), await log(farm, a, seq=2)] == ["applied", "applied"]
    assert await leases(farm, job.job_id) == [("a", 1, None)]

    assert await finish(node, a, b) == ["applied", "applied"]
    assert await leases(farm, job.job_id) == [("a", 1, "finished")]


async def test_a_token_that_was_never_given_keeps_nothing(farm: Farm) -> None:
    node = await farm.given_node()
    await farm.given_node("other")
    job = await given_job(farm, NewStep("a"))
    (grant,) = await claim(node)

    (told,) = await farm.engine.events.apply_node_events("other", [event(grant, "log", 1, lines=[{"message": "x"}])])

    assert told.outcome == "stale"
    assert await leases(farm, job.job_id) == []


async def test_an_artifact_may_be_kept_under_a_running_step(farm: Farm) -> None:
    node = await farm.given_node()
    job = await given_job(farm, NewStep("a"))
    (grant,) = await claim(node)
    key = f"_/node-1/any/{job.run_id}/20260101T000000000Z-00000000.png"

    await farm.engine.artifacts.begin_artifact(
        key, node_id="node-1", job_id=grant.job_id, lease_token=grant.lease_token
    )

    assert await leases(farm, job.job_id) == [("a", 1, None)]


async def test_a_late_success_leaves_the_lost_lease_as_it_ended(farm: Farm) -> None:
    node, other = await farm.given_node(), await farm.given_node("other")
    job = await given_job(farm, NewStep("a"))
    (grant,) = await claim(node)
    await farm.pass_time(LEASE_TIME + SECOND, other)
    await farm.run_upkeep()
    assert await leases(farm, job.job_id) == [("a", 1, "expired")]

    assert await finish(node, grant) == ["applied"]

    assert await leases(farm, job.job_id) == [("a", 1, "expired")]


async def test_ending_a_job_ends_the_leases_of_its_running_steps(farm: Farm) -> None:
    node = await farm.given_node()
    job = await given_job(farm, NewStep("a"), NewStep("b"))
    (a,) = await claim(node, 1)

    await farm.engine.jobs.mark_failed(job.job_id, error="enough")

    assert await leases(farm, job.job_id) == [("a", 1, "released")]
    assert await finish(node, a) == ["stale"]
    assert await statuses(farm, job) == {"a": "cancelled", "b": "cancelled"}


async def test_a_success_that_waited_for_a_log_line_closes_what_that_wrote_down(farm: Farm) -> None:
    node = await farm.given_node()
    job = await given_job(farm, NewStep("a"))
    (grant,) = await claim(node)

    async with farm.engine.database.own_connection() as teller:
        async with teller.transaction():
            await teller.execute(
                "select corral.fn_record_step_leases($1, $2, $3)", [grant.job_id], ["node-1"], [grant.lease_token]
            )
            finishing = asyncio.create_task(finish(node, grant))
            await until_somebody_waits(farm)
        assert await finishing == ["applied"]

    assert await leases(farm, job.job_id) == [("a", 1, "finished")]


async def test_a_log_line_that_waited_for_a_success_is_kept_under_its_lease(farm: Farm) -> None:
    node = await farm.given_node()
    job = await given_job(farm, NewStep("a"), NewStep("b"))
    (grant,) = await claim(node, 1)

    async with farm.engine.database.own_connection() as teller:
        async with teller.transaction():
            await teller.execute(
                "select corral.fn_complete_steps($1, $2, $3, $4, $5, null)",
                "node-1", [grant.job_id], [grant.name], [grant.lease_token], ["succeeded"],
            )  # fmt: skip
            logging = asyncio.create_task(log(farm, grant))
            await until_somebody_waits(farm)
        assert await logging == "applied"

    assert await leases(farm, job.job_id) == [("a", 1, "finished")]


async def test_every_token_is_another_one(farm: Farm) -> None:
    node = await farm.given_node(max_concurrency=200)
    for _ in range(3):
        await given_job(farm, *(NewStep(f"s{n}") for n in range(50)))

    grants = [*await claim(node, 100), *await claim(node, 100)]

    assert len(grants) == len({grant.lease_token for grant in grants}) == 150


async def test_many_steps_are_granted_in_the_order_of_the_queue_with_their_runs(farm: Farm) -> None:
    """They are written where they stand, so that nothing sorts them afterwards."""
    node = await farm.given_node(max_concurrency=200)
    jobs = [await given_job(farm, *(NewStep(f"{n:03}", priority=n % 3) for n in range(60))) for _ in range(2)]
    await finish(node, *await claim(node, want=30))

    grants = await claim(node, want=90)

    expected = [(job.job_id, f"{n:03}") for priority in (2, 1, 0) for job in jobs for n in range(priority, 60, 3)]
    assert [(grant.job_id, grant.name) for grant in grants] == expected[30:]
    assert {grant.job_id: grant.run_id for grant in grants} == {job.job_id: job.run_id for job in jobs}
    assert len({grant.lease_token for grant in grants}) == 90


async def test_a_step_of_another_run_than_its_jobs_is_noticed(farm: Farm) -> None:
    job = await given_job(farm, NewStep("a"))
    await farm.engine.database.fetch("update corral.job_steps set run_id = gen_random_uuid()")

    (broken,) = await farm.engine.upkeep.check_invariants()

    assert broken.invariant == "a step is of its job's run"
    await farm.engine.database.fetch("update corral.job_steps set run_id = $1", job.run_id)
