"""Latency with PgQueuer: a worker that waits for its notifications, and a sender of one job at a time.

Run by tests.bench.others.latency with a Python that has it; the worker prints how long each job took to start, in nanoseconds.
Usage: pgqueuer_latency.py work|send WARM_UP SAMPLES, with PostgreSQL in PGHOST and so on.
"""

# It is not installed where types are checked.
# mypy: disable-error-code="import-not-found,untyped-decorator"

import asyncio
import json
import random
import sys
import time

import asyncpg
import uvloop
from pgqueuer import PgQueuer
from pgqueuer.db import AsyncpgPoolDriver
from pgqueuer.models import Job
from pgqueuer.queries import Queries


async def work(samples: int) -> None:
    async with asyncpg.create_pool(min_size=4, max_size=4) as pool:
        driver = AsyncpgPoolDriver(pool)
        await Queries(driver).install()
        queue = PgQueuer(driver)
        waits: list[int] = []

        @queue.entrypoint("noop")
        async def noop(job: Job) -> None:
            started_at = time.monotonic_ns()
            if job.payload != b"0":
                waits.append(started_at - int(job.payload))
            if len(waits) == samples:
                print(json.dumps(waits), flush=True)

        print("ready", flush=True)
        await queue.run()


async def send(warm_up: int, samples: int) -> None:
    async with asyncpg.create_pool(min_size=1, max_size=1) as pool:
        queries = Queries(AsyncpgPoolDriver(pool))
        for number in range(warm_up + samples):
            await asyncio.sleep(random.uniform(0.02, 0.08))
            at = time.monotonic_ns() if number >= warm_up else 0
            await queries.enqueue("noop", str(at).encode())


if __name__ == "__main__":
    role, warm_up, samples = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    uvloop.run(work(samples) if role == "work" else send(warm_up, samples))
