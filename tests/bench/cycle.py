"""The engine's path from end to end, as a busy node walks it: pull a batch; report that it started and that the one
before it finished, in one callback, because a slot that ends a job starts the next; again."""

import asyncio
import time
from uuid import uuid4

from corral.engine import Engine
from corral.model.records import Grant, Json

BATCH = 20


async def measure_cycles(engine: Engine, node_ids: list[str], *, seconds: float) -> float:
    """Jobs finished per second by these nodes, each one client. Raises when a queue runs dry."""
    started_at = time.perf_counter()
    counts = await asyncio.gather(*(_work(engine, node_id, until=started_at + seconds) for node_id in node_ids))
    return sum(counts) / (time.perf_counter() - started_at)


async def _work(engine: Engine, node_id: str, *, until: float) -> int:
    finished = 0
    before: list[Grant] = []
    while time.perf_counter() < until:
        grants = await engine.nodes.pull_job(node_id, epoch=1, want=BATCH, request_id=uuid4())
        if len(grants) < BATCH:
            message = f"{node_id} got {len(grants)} jobs of {BATCH}: give it a deeper queue"
            raise RuntimeError(message)
        started = [_event(grant, 1, "job_started") for grant in grants]
        await _report(engine, node_id, started + _endings(before))
        finished += len(before)
        before = grants
    await _report(engine, node_id, _endings(before))
    return finished + len(before)


def _endings(grants: list[Grant]) -> list[Json]:
    return [_event(grant, 2, "job_finished", outcome="succeeded") for grant in grants]


async def _report(engine: Engine, node_id: str, events: list[Json]) -> None:
    results = await engine.events.apply_node_events(node_id, events)
    if any(result.outcome != "applied" for result in results):
        message = f"not every event was applied: {results}"
        raise RuntimeError(message)


def _event(grant: Grant, seq: int, kind: str, **fields: object) -> Json:
    return {
        "event_id": str(uuid4()),
        "job_id": str(grant.job_id),
        "lease_token": str(grant.lease_token),
        "seq": seq,
        "type": kind,
        **fields,
    }
