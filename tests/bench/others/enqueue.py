"""Enqueuing in bulk: how fast a system takes in many jobs from one process, by the fastest way that it offers."""

import time

import asyncpg
import msgspec

from corral.model.records import NewStep
from tests.bench.databases import made_engine, make_database
from tests.engine.load import analyze, load_farm
from tests.postgres import execute

BATCHES = (1_000, 5_000, 20_000)
"""The sizes that are tried for everybody."""

_TABLE = """
create table floor_jobs (
    id           bigint generated always as identity primary key,
    status       text not null default 'queued',
    payload      jsonb not null,
    created_at   timestamptz not null default now()
);
create index floor_jobs_queued on floor_jobs (id) where status = 'queued';
"""


async def enqueue_corral(dsn: str, *, jobs: int, batch: int) -> float:
    """Steps per second, added to one job."""
    async with made_engine(dsn, "enqueue", max_connections=2) as engine:
        job = await engine.jobs.create("enqueue", is_open=True)
        await engine.database.fetch("checkpoint")
        started_at = time.perf_counter()
        for start in range(0, jobs, batch):
            numbers = range(start, min(jobs, start + batch))
            await engine.steps.create_steps(job.job_id, [NewStep(f"step-{n}", input={"n": n}) for n in numbers])
        took_s = time.perf_counter() - started_at
        made = len(await engine.steps.get_ready_steps(job.job_id))
        if made != jobs or await engine.upkeep.check_invariants():
            raise RuntimeError(f"{made} steps of {jobs} were made")
    return jobs / took_s


async def enqueue_phones(dsn: str, *, jobs: int, batch: int) -> float:
    """Jobs per second of one run on as many phones, each in the queue of its phone."""
    async with made_engine(dsn, "enqueue", max_connections=2) as engine:
        await load_farm(engine, nodes=max(1, jobs // 100), devices_per_node=min(100, jobs))
        await analyze(engine)
        workflow = await engine.workflows.create_workflow("enqueue", {"name": "enqueue", "steps": []})
        await engine.database.fetch("checkpoint")
        started_at = time.perf_counter()
        run_id = await engine.database.fetch_value(
            "select (corral.fn_create_run($1, $2, null)).run_id", workflow.workflow_id, {"target": {"all": True}}
        )
        made = await engine.runs.fan_out_run(run_id, chunk=batch)
        took_s = time.perf_counter() - started_at
        if made != jobs:
            raise RuntimeError(f"{made} jobs of {jobs} were made")
    return jobs / took_s


async def enqueue_floor(dsn: str, *, jobs: int, batch: int, copies: bool) -> float:
    """Rows per second into a plain table: by COPY, or by INSERT of many rows at once."""
    url = await make_database(dsn, "enqueue_floor")
    connection = await asyncpg.connect(url)
    try:
        await connection.execute(_TABLE)
        await connection.execute("checkpoint")
        payloads = [msgspec.json.encode({"n": n}).decode() for n in range(jobs)]
        started_at = time.perf_counter()
        for start in range(0, jobs, batch):
            part = payloads[start : start + batch]
            if copies:
                rows = [(payload,) for payload in part]
                await connection.copy_records_to_table("floor_jobs", records=rows, columns=["payload"])
            else:
                await connection.execute("insert into floor_jobs (payload) select unnest($1::jsonb[])", part)
        return jobs / (time.perf_counter() - started_at)
    finally:
        await connection.close()
        await execute(dsn, "drop database enqueue_floor with (force)")
