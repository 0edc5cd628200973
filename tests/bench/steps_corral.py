"""A worker that does nothing, through the library: it claims steps, says that they succeeded, and claims the next.

One process, two connections: while the next steps are claimed on one, whatever was done by then is reported on the other. That is
faster than exchanging done steps for the next in one call, which takes fewer commits but only one processor at a time.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from itertools import chain
from uuid import uuid4

from corral.engine import Engine
from corral.model.records import Json, NewStep, StepGrant, StepResult
from corral.model.states import EventOutcome, StepStatus
from tests.bench.databases import made_engine
from tests.engine.load import analyze

STEPS = 20_000
SINGLE_STEP_JOBS = 2_000
BATCH = 20
TUNED_BATCH = 1_000
NODE = "worker"
CONNECTIONS = 2
MOST_HELD = 10_000  # by one node
MOST_AHEAD = 2_000  # claimed, and waiting to be reported: whatever is held is counted by every claim

Work = Callable[[Engine, int, int], Awaitable[int]]


async def drain_corral(dsn: str, *, tuned: bool, steps: int = STEPS) -> float:
    """Steps per second of one job, reported as results."""
    return await _drain(dsn, _overlap_results, tuned=tuned, jobs=1, steps=steps)


async def drain_events(dsn: str, *, tuned: bool, steps: int = STEPS) -> float:
    """Steps per second of one job, reported as events."""
    return await _drain(dsn, _overlap_events, tuned=tuned, jobs=1, steps=steps)


async def drain_jobs(dsn: str, *, tuned: bool, jobs: int = SINGLE_STEP_JOBS) -> float:
    """Steps per second where each is a job of its own; no more than 2,000, because each is made by a call of its own."""
    return await _drain(dsn, _overlap_results, tuned=tuned, jobs=min(jobs, SINGLE_STEP_JOBS), steps=1)


async def _drain(dsn: str, work: Work, *, tuned: bool, jobs: int, steps: int) -> float:
    batch = TUNED_BATCH if tuned else BATCH
    async with made_engine(dsn, "steps", max_connections=CONNECTIONS) as engine:
        epoch = await _load(engine, jobs=jobs, steps=steps, slots=min(20 * batch, MOST_HELD))
        await asyncio.gather(*(engine.database.fetch_value("select pg_sleep(0.1)") for _ in range(CONNECTIONS)))
        started_at = time.perf_counter()
        done = await work(engine, epoch, batch)
        took_s = time.perf_counter() - started_at
        unfinished = await engine.database.fetch_value("select count(*) from corral.runs where status <> 'succeeded'")
        if done != jobs * steps or unfinished or await engine.upkeep.check_invariants():
            raise RuntimeError(f"{done} steps of {jobs * steps} were done, {unfinished} runs did not succeed")
    return done / took_s


async def _load(engine: Engine, *, jobs: int, steps: int, slots: int) -> int:
    for _ in range(jobs):
        job = await engine.jobs.create("drain")
        await engine.steps.create_steps(job.job_id, [NewStep(f"step-{n}") for n in range(steps)])
    registration = await engine.nodes.register_node(NODE, state_id=NODE, max_concurrency=slots, lookahead=0)
    await analyze(engine)
    await engine.database.fetch("checkpoint")
    return registration.epoch


async def _overlap_results(engine: Engine, epoch: int, batch: int) -> int:
    async def report(grants: list[StepGrant]) -> None:
        _check([told.outcome for told in await engine.steps.complete_steps(NODE, _results(grants))])

    return await _overlap(engine, epoch, batch, report)


async def _overlap_events(engine: Engine, epoch: int, batch: int) -> int:
    async def report(grants: list[StepGrant]) -> None:
        events = [_event(grant) for grant in grants]
        _check([told.outcome for told in await engine.events.apply_node_events(NODE, events)])

    return await _overlap(engine, epoch, batch, report)


async def _overlap(engine: Engine, epoch: int, batch: int, report: Callable[[list[StepGrant]], Awaitable[None]]) -> int:
    done: asyncio.Queue[list[StepGrant]] = asyncio.Queue(maxsize=min(4, MOST_AHEAD // batch))

    async def claim_all() -> None:
        while grants := await _claim(engine, epoch, batch):
            await done.put(grants)
        await done.put([])

    claiming = asyncio.create_task(claim_all())
    count, is_over = 0, False
    while not is_over:
        batches = [await done.get()]
        batches += [done.get_nowait() for _ in range(done.qsize())]
        grants = list(chain.from_iterable(batches))
        await report(grants)
        count += len(grants)
        is_over = batches[-1] == []
    await claiming
    return count


async def _claim(engine: Engine, epoch: int, batch: int) -> list[StepGrant]:
    return await engine.steps.claim_ready_steps(NODE, epoch=epoch, want=batch, request_id=uuid4())


def _results(grants: list[StepGrant]) -> list[StepResult]:
    return [StepResult(grant.job_id, grant.name, grant.lease_token, StepStatus.SUCCEEDED) for grant in grants]


def _event(grant: StepGrant) -> Json:
    return {
        "event_id": str(uuid4()),
        "job_id": str(grant.job_id),
        "lease_token": str(grant.lease_token),
        "step": grant.name,
        "seq": 1,
        "type": "step_finished",
        "status": "succeeded",
    }


def _check(outcomes: list[EventOutcome]) -> None:
    if any(outcome is not EventOutcome.APPLIED for outcome in outcomes):
        raise RuntimeError(f"not every report was applied: {outcomes}")
