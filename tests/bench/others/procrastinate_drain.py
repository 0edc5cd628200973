"""Drain a queue with Procrastinate. Run by tests.bench.others.rivals with a Python that has it; prints the seconds that it took.

Usage: procrastinate_drain.py JOBS CONCURRENCY, with PostgreSQL in PGHOST and so on.
"""

# It is not installed where types are checked.
# mypy: disable-error-code="import-not-found,untyped-decorator"

import asyncio
import sys
import time

import procrastinate
import psycopg
import uvloop


async def main(jobs: int, concurrency: int) -> None:
    app = procrastinate.App(connector=procrastinate.PsycopgConnector(min_size=4, max_size=min(concurrency, 20)))
    done = 0

    @app.task(name="noop")
    async def noop() -> None:
        nonlocal done
        done += 1

    async with app.open_async():
        await app.schema_manager.apply_schema_async()
        await noop.batch_defer_async(*({} for _ in range(jobs)))
        async with await psycopg.AsyncConnection.connect(autocommit=True) as connection:
            await connection.execute("vacuum analyze")
            await connection.execute("checkpoint")
        started_at = time.perf_counter()
        await app.run_worker_async(concurrency=concurrency, wait=False, install_signal_handlers=False)
        took_s = time.perf_counter() - started_at
    if done != jobs:
        raise RuntimeError(f"{done} jobs of {jobs} were done")
    print(took_s)


with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
    runner.run(main(int(sys.argv[1]), int(sys.argv[2])))
