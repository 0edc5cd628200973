"""Drain a queue with PgQueuer. Run by tests.bench.others.rivals with a Python that has it; prints the seconds that it took.

Usage: pgqueuer_drain.py JOBS BATCH, with PostgreSQL in PGHOST and so on.
"""

# It is not installed where types are checked.
# mypy: disable-error-code="import-not-found,untyped-decorator"

import sys
import time
from datetime import timedelta

import asyncpg
import uvloop
from pgqueuer import PgQueuer
from pgqueuer.db import AsyncpgPoolDriver
from pgqueuer.models import Job
from pgqueuer.queries import Queries
from pgqueuer.types import QueueExecutionMode


async def main(jobs: int, batch: int) -> None:
    async with asyncpg.create_pool(min_size=2, max_size=4) as pool:
        driver = AsyncpgPoolDriver(pool)
        queries = Queries(driver)
        await queries.install()
        for start in range(0, jobs, 1000):
            size = min(1000, jobs - start)
            await queries.enqueue(["noop"] * size, [None] * size, [0] * size)
        await pool.execute("vacuum analyze")
        await pool.execute("checkpoint")
        queue = PgQueuer(driver)
        done = 0

        @queue.entrypoint("noop")
        async def noop(_job: Job) -> None:
            nonlocal done
            done += 1

        started_at = time.perf_counter()
        await queue.run(
            batch_size=batch, dequeue_timeout=timedelta(seconds=1), mode=QueueExecutionMode.drain,
            log_aggregation_interval=timedelta(0),
        )  # fmt: skip
        took_s = time.perf_counter() - started_at
    if done != jobs:
        raise RuntimeError(f"{done} jobs of {jobs} were done")
    print(took_s)


uvloop.run(main(int(sys.argv[1]), int(sys.argv[2])))
