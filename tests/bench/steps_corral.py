"""A worker that does nothing, through the library: it claims steps, says that they succeeded, and claims the next.

One process, two connections: while what was done is being reported, the next steps are being claimed.
"""

import asyncio
import time
from uuid import uuid4

from corral.engine import Engine
from corral.model.records import Json, NewStep, StepGrant, StepResult
from corral.model.states import StepStatus
from tests.bench.databases import made_engine
from tests.engine.load import analyze

STEPS = 20_000
SINGLE_STEP_JOBS = 2_000
BATCH = 20
TUNED_BATCH = 1_000
NODE = "worker"


async def drain_corral(dsn: str, *, tuned: bool) -> float:
    """Steps per second of one job, reported as results."""
    return await _drain(dsn, tuned=tuned, jobs=1, steps=STEPS)


async def drain_events(dsn: str, *, tuned: bool) -> float:
    """Steps per second of one job, reported as events."""
    return await _drain(dsn, tuned=tuned, jobs=1, steps=STEPS, by_events=True)


async def drain_jobs(dsn: str, *, tuned: bool) -> float:
    """Steps per second where each is a job of its own."""
    return await _drain(dsn, tuned=tuned, jobs=SINGLE_STEP_JOBS, steps=1)


async def _drain(dsn: str, *, tuned: bool, jobs: int, steps: int, by_events: bool = False) -> float:
    batch = TUNED_BATCH if tuned else BATCH
    async with made_engine(dsn, "steps", max_connections=2) as engine:
        epoch = await _load(engine, jobs=jobs, steps=steps, slots=2 * batch)
        await asyncio.gather(
            *(engine.database.fetch_value("select pg_sleep(0.1)") for _ in range(2))
        )  # both connections
        started_at = time.perf_counter()
        done = await _work(engine, epoch, batch=batch, by_events=by_events)
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


async def _work(engine: Engine, epoch: int, *, batch: int, by_events: bool) -> int:
    done = 0
    report = _report_events if by_events else _report_results
    grants = await _claim(engine, epoch, batch)
    while grants:
        reported = asyncio.create_task(report(engine, grants))
        done += len(grants)
        grants = await _claim(engine, epoch, batch)
        await reported
    return done


async def _claim(engine: Engine, epoch: int, batch: int) -> list[StepGrant]:
    return await engine.steps.claim_ready_steps(NODE, epoch=epoch, want=batch, request_id=uuid4())


async def _report_results(engine: Engine, grants: list[StepGrant]) -> None:
    results = [StepResult(grant.job_id, grant.name, grant.lease_token, StepStatus.SUCCEEDED) for grant in grants]
    outcomes = await engine.steps.complete_steps(NODE, results)
    if any(outcome.outcome != "applied" for outcome in outcomes):
        raise RuntimeError(f"not every result was applied: {outcomes}")


async def _report_events(engine: Engine, grants: list[StepGrant]) -> None:
    outcomes = await engine.events.apply_node_events(NODE, [_event(grant) for grant in grants])
    if any(outcome.outcome != "applied" for outcome in outcomes):
        raise RuntimeError(f"not every event was applied: {outcomes}")


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
