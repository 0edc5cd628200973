"""Exchanging what was done for what is next, and the short way that successes take."""

import asyncio
from uuid import uuid4

import pytest

from corral.model.errors import InvalidRequestError, StaleEpochError, UnknownNodeError
from corral.model.records import Job, NewStep, StepExchange, StepGrant, StepResult
from corral.model.states import StepStatus
from tests.engine.farm import LEASE_TIME, SECOND, Farm, SimulatedNode
from tests.engine.test_steps import claim, given_job, reload, statuses, the_step


def result(grant: StepGrant, status: str = "succeeded", **fields: object) -> StepResult:
    return StepResult(grant.job_id, grant.name, grant.lease_token, StepStatus(status), **fields)  # type: ignore[arg-type]


async def exchange(node: SimulatedNode, *results: StepResult, want: int = 20, **fields: object) -> StepExchange:
    return await node.engine.steps.exchange_steps(node.node_id, results, epoch=node.epoch, want=want, **fields)  # type: ignore[arg-type]


def names(exchanged: StepExchange) -> list[str]:
    return [grant.name for grant in exchanged.grants]


def outcomes(exchanged: StepExchange) -> list[str]:
    return [outcome.outcome.value for outcome in exchanged.outcomes]


async def test_what_a_report_readies_is_claimed_by_the_same_call(farm: Farm) -> None:
    node = await farm.given_node()
    job = await given_job(farm, NewStep("a"), NewStep("b", needs=["a"]), NewStep("c", needs=["b"]))

    first = await exchange(node)
    second = await exchange(node, result(first.grants[0], output={"n": 1}))

    assert (names(first), outcomes(first)) == (["a"], [])
    assert (names(second), outcomes(second)) == (["b"], ["applied"])
    assert await statuses(farm, job) == {"a": "succeeded", "b": "running", "c": "pending"}
    assert (await the_step(farm, job, "a")).output == {"n": 1}


async def test_a_report_frees_the_slots_that_the_same_call_fills(farm: Farm) -> None:
    node = await farm.given_node(max_concurrency=2, lookahead=0)
    await given_job(farm, *(NewStep(f"s{n}") for n in range(5)))

    first = await exchange(node)
    second = await exchange(node, result(first.grants[0]))

    assert (names(first), names(second)) == (["s0", "s1"], ["s2"])


async def test_the_last_exchange_ends_the_job_and_its_run(farm: Farm) -> None:
    node = await farm.given_node()
    job = await given_job(farm, NewStep("a"), NewStep("b"))

    last = await exchange(node, *(result(grant) for grant in (await exchange(node)).grants))

    assert (names(last), outcomes(last)) == ([], ["applied", "applied"])
    assert (await reload(farm, job)).status == "succeeded"
    assert (await farm.run(job.run_id)).status == "succeeded"


async def test_an_exchange_whose_answer_was_lost_is_repeated(farm: Farm) -> None:
    node = await farm.given_node()
    await given_job(farm, *(NewStep(f"s{n}") for n in range(4)))
    (grant,) = await claim(node, 1)
    request_id = uuid4()

    answered = await exchange(node, result(grant), want=2, request_id=request_id)
    again = await exchange(node, result(grant), want=2, request_id=request_id)

    assert again.grants == answered.grants
    assert (outcomes(answered), outcomes(again)) == (["applied"], ["duplicate"])


async def test_an_exchange_of_an_old_epoch_reports_nothing(farm: Farm) -> None:
    node = await farm.given_node()
    job = await given_job(farm, NewStep("a"), NewStep("b"))
    (grant,) = await claim(node, 1)
    await node.reboot(keeps_state=False)

    with pytest.raises(StaleEpochError):
        await exchange(node, result(grant))
    assert (await statuses(farm, job))["a"] == "running"

    (told,) = await farm.engine.steps.complete_steps(node.node_id, [result(grant)])
    assert told.outcome == "applied"


async def test_an_unknown_node_exchanges_nothing(farm: Farm) -> None:
    with pytest.raises(UnknownNodeError):
        await farm.engine.steps.exchange_steps("nobody", [], epoch=1, want=1)


async def test_a_draining_node_reports_and_gets_nothing(farm: Farm) -> None:
    node = await farm.given_node()
    await given_job(farm, NewStep("a"), NewStep("b"))
    (grant,) = await claim(node, 1)
    await farm.engine.nodes.drain_node(node.node_id)

    exchanged = await exchange(node, result(grant))

    assert (names(exchanged), outcomes(exchanged)) == ([], ["applied"])


async def test_every_result_of_a_mixed_report_gets_its_own_answer(farm: Farm) -> None:
    node, other = await farm.given_node(), await farm.given_node("other")
    job = await given_job(farm, NewStep("again", max_attempts=2), *(NewStep(name) for name in "abcdef"))
    again, a, b, c, d, e = await claim(node, 6)
    (f,) = await claim(other)
    await farm.engine.steps.complete_steps(node.node_id, [result(e)])

    told = await farm.engine.steps.complete_steps(
        node.node_id,
        [
            result(a),
            result(again, "failed", error_message="no"),
            result(f),
            result(b, "skipped", skip_cause="when"),
            result(e),
            result(c, "cancelled"),
            result(d, "running"),
        ],
    )

    assert [(outcome.step, outcome.outcome.value) for outcome in told] == [
        ("a", "applied"),
        ("again", "applied"),
        ("f", "stale"),
        ("b", "applied"),
        ("e", "duplicate"),
        ("c", "applied"),
        ("d", "applied"),
    ]
    assert await statuses(farm, job) == {
        "again": "ready",
        "a": "succeeded",
        "b": "skipped",
        "c": "ready",
        "d": "running",
        "e": "succeeded",
        "f": "running",
    }


async def test_a_report_of_nothing_is_answered_with_nothing(farm: Farm) -> None:
    assert await farm.engine.steps.complete_steps("nobody", []) == []


async def test_a_status_that_no_report_has_is_refused(farm: Farm) -> None:
    node = await farm.given_node()
    await given_job(farm, NewStep("a"))

    with pytest.raises(InvalidRequestError, match="status must be") as refused:
        await farm.engine.steps.complete_steps(node.node_id, [result(grant, "pending") for grant in await claim(node)])
    assert refused.value.path == "status"


async def _ended(farm: Farm, job: Job) -> list[dict[str, object]]:
    """Everything that is kept of a job's steps and leases, but for what differs between any two jobs."""
    steps = await farm.engine.database.fetch(
        "select to_jsonb(s) - '{job_id,run_id,lease_token,request_id,ready_seq}'::text[] as row"
        " from corral.job_steps s where job_id = $1 order by name",
        job.job_id,
    )
    leases = await farm.engine.database.fetch(
        "select to_jsonb(l) - '{job_id,lease_token}'::text[] as row"
        " from corral.leases l where job_id = $1 order by step, granted_at, ended_at",
        job.job_id,
    )
    times = ("created_at", "ready_at", "granted_at", "started_at", "finished_at", "lease_until", "ended_at")
    return [
        {name: value is not None if name in times else value for name, value in row["row"].items()}
        for row in [*steps, *leases]
    ]


@pytest.mark.parametrize("situation", ["fresh", "started", "lost", "retried", "in a cancelled run"])
async def test_a_success_ends_a_step_in_the_same_way_on_the_short_path_and_on_the_long(
    farm: Farm, situation: str
) -> None:
    """A token that stands in a report twice takes the long path, which every other end takes."""
    node = await farm.given_node()
    jobs = []
    for repeated in (1, 2):
        job = await given_job(farm, NewStep("a", max_attempts=3), NewStep("b", needs=["a"]))
        (grant,) = await claim(node)
        if situation == "started":
            await farm.engine.steps.mark_running(node.node_id, grant)
        elif situation == "retried":
            await farm.engine.steps.mark_failed(node.node_id, grant, error="no")
            (grant,) = await claim(node)
        elif situation == "lost":
            await farm.engine.steps.release_step(node.node_id, grant)
        elif situation == "in a cancelled run":
            await farm.engine.runs.cancel_run(job.run_id)
        told = await farm.engine.steps.complete_steps(node.node_id, [result(grant, output={"n": 1})] * repeated)
        assert told[0].outcome == "applied"
        if situation != "in a cancelled run":
            await farm.engine.steps.complete_steps(node.node_id, [result(await only_grant(node))] * repeated)
        jobs.append(job)

    short, long = jobs
    assert await _ended(farm, short) == await _ended(farm, long)
    assert (await reload(farm, short)).status == (await reload(farm, long)).status
    assert (await reload(farm, short)).output == (await reload(farm, long)).output


async def only_grant(node: SimulatedNode) -> StepGrant:
    (grant,) = await claim(node)
    return grant


async def test_a_late_success_counts_until_the_step_is_claimed_again(farm: Farm) -> None:
    slow, quick = await farm.given_node("slow"), await farm.given_node("quick")
    job = await given_job(farm, NewStep("a"), NewStep("b"))
    a, b = await claim(slow)
    await farm.pass_time(LEASE_TIME + SECOND, quick)
    await farm.run_upkeep()
    (taken,) = await claim(quick, 1)

    told = await farm.engine.steps.complete_steps(slow.node_id, [result(a), result(b)])

    assert taken.name == "a"
    assert [outcome.outcome.value for outcome in told] == ["stale", "applied"]
    assert await statuses(farm, job) == {"a": "running", "b": "succeeded"}


async def test_workers_that_exchange_side_by_side_do_every_step_once(farm: Farm) -> None:
    nodes = [await farm.given_node(f"node-{n}") for n in range(6)]
    jobs = [
        await given_job(farm, *(NewStep(f"s{n}", needs=[f"s{n - 3}"] if n > 2 else []) for n in range(30)))
        for _ in range(4)
    ]
    done: list[tuple[object, str]] = []

    async def work(node: SimulatedNode) -> None:
        held: list[StepGrant] = []
        while len(done) < 120:
            exchanged = await exchange(node, *(result(grant) for grant in held), want=3)
            assert set(outcomes(exchanged)) <= {"applied"}
            done.extend((grant.job_id, grant.name) for grant in held)
            held = exchanged.grants

    await asyncio.gather(*(work(node) for node in nodes))

    assert len(done) == len(set(done)) == 120
    assert {(await reload(farm, job)).status for job in jobs} == {"succeeded"}
