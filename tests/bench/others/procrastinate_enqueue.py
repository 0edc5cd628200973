"""Enqueue in bulk with Procrastinate. Run by tests.bench.others with a Python that has it; prints the seconds that it took.

Usage: procrastinate_enqueue.py JOBS BATCH, with PostgreSQL in PGHOST and so on.
"""

# It is not installed where types are checked.
# mypy: disable-error-code="import-not-found,untyped-decorator"

import asyncio
import sys
import time

import procrastinate
import psycopg
import uvloop


async def main(jobs: int, batch: int) -> None:
    app = procrastinate.App(connector=procrastinate.PsycopgConnector(min_size=2, max_size=4))

    @app.task(name="noop")
    async def noop(n: int) -> None:
        pass

    async with app.open_async():
        await app.schema_manager.apply_schema_async()
        async with await psycopg.AsyncConnection.connect(autocommit=True) as connection:
            await connection.execute("checkpoint")
            arguments = [{"n": number} for number in range(jobs)]
            started_at = time.perf_counter()
            for start in range(0, jobs, batch):
                await noop.batch_defer_async(*arguments[start : start + batch])
            took_s = time.perf_counter() - started_at
            (made,) = await (await connection.execute("select count(*) from procrastinate_jobs")).fetchone() or (0,)
    if made != jobs:
        raise RuntimeError(f"{made} jobs of {jobs} were made")
    print(took_s)


with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
    runner.run(main(int(sys.argv[1]), int(sys.argv[2])))
