"""Enqueue in bulk with PgQueuer. Run by tests.bench.others with a Python that has it; prints the seconds that it took.

Usage: pgqueuer_enqueue.py JOBS BATCH, with PostgreSQL in PGHOST and so on.
"""

# It is not installed where types are checked.
# mypy: disable-error-code="import-not-found"

import sys
import time

import asyncpg
import uvloop
from pgqueuer.db import AsyncpgPoolDriver
from pgqueuer.queries import Queries


async def main(jobs: int, batch: int) -> None:
    payloads = [b'{"n":%d}' % number for number in range(jobs)]
    async with asyncpg.create_pool(min_size=2, max_size=4) as pool:
        queries = Queries(AsyncpgPoolDriver(pool))
        await queries.install()
        await pool.execute("checkpoint")
        started_at = time.perf_counter()
        for start in range(0, jobs, batch):
            part = payloads[start : start + batch]
            await queries.enqueue(["noop"] * len(part), part, [0] * len(part))
        took_s = time.perf_counter() - started_at
        made = await pool.fetchval("select count(*) from pgqueuer")
    if made != jobs:
        raise RuntimeError(f"{made} jobs of {jobs} were made")
    print(took_s)


uvloop.run(main(int(sys.argv[1]), int(sys.argv[2])))
