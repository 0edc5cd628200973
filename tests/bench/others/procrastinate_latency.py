"""Latency with Procrastinate: a worker that waits for its notifications, and a sender of one job at a time.

Run by tests.bench.others.latency with a Python that has it; the worker prints how long each job took to start, in nanoseconds.
Usage: procrastinate_latency.py work|send WARM_UP SAMPLES, with PostgreSQL in PGHOST and so on.
"""

# It is not installed where types are checked.
# mypy: disable-error-code="import-not-found,untyped-decorator"

import asyncio
import json
import random
import sys
import time

import procrastinate
import uvloop

app = procrastinate.App(connector=procrastinate.PsycopgConnector(min_size=4, max_size=4))
_waits: list[int] = []
_role, _warm_up, _samples = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])


@app.task(name="noop")
async def noop(at: int) -> None:
    started_at = time.monotonic_ns()
    if at:
        _waits.append(started_at - at)
    if len(_waits) == _samples:
        print(json.dumps(_waits), flush=True)


async def work() -> None:
    async with app.open_async():
        await app.schema_manager.apply_schema_async()
        print("ready", flush=True)
        await app.run_worker_async(concurrency=4, install_signal_handlers=False)


async def send() -> None:
    async with app.open_async():
        for number in range(_warm_up + _samples):
            await asyncio.sleep(random.uniform(0.02, 0.08))
            await noop.defer_async(at=time.monotonic_ns() if number >= _warm_up else 0)


with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
    runner.run(work() if _role == "work" else send())
