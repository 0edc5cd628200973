"""The floor of latency: a bare table, a row and a NOTIFY in one statement, and a worker that LISTENs and claims with SKIP LOCKED.

Run by tests.bench.others.latency; the worker prints how long each row took to be claimed, in nanoseconds.
Usage: python -m tests.bench.others.floor_latency DSN work|send WARM_UP SAMPLES.
"""

import asyncio
import random
import sys
import time

import asyncpg
import msgspec
import uvloop

_TABLE = """
create table floor_jobs (
    id      bigint generated always as identity primary key,
    status  text not null default 'queued',
    at      bigint not null
);
create index floor_jobs_queued on floor_jobs (id) where status = 'queued';
"""
_ENQUEUE = "with made as (insert into floor_jobs (at) values ($1)) select pg_notify('floor', '')"
_CLAIM = """
update floor_jobs set status = 'running'
 where id = (select id from floor_jobs where status = 'queued' order by id limit 1 for update skip locked)
returning id, at
"""
_COMPLETE = "update floor_jobs set status = 'done' where id = $1"


async def work(dsn: str, samples: int) -> None:
    """Claim at every notification, take the time, complete; print the waits in the end."""
    heard = asyncio.Event()
    connection = await asyncpg.connect(dsn)
    listener = await asyncpg.connect(dsn)
    await connection.execute(_TABLE)
    await listener.add_listener("floor", lambda *_: heard.set())
    print("ready", flush=True)
    waits: list[int] = []
    while len(waits) < samples:
        heard.clear()
        row = await connection.fetchrow(_CLAIM)
        started_at = time.monotonic_ns()
        if row is None:
            await heard.wait()
            continue
        waits += [started_at - row["at"]] if row["at"] else []
        await connection.execute(_COMPLETE, row["id"])
    print(msgspec.json.encode(waits).decode(), flush=True)


async def send(dsn: str, warm_up: int, samples: int) -> None:
    """One at a time, with a pause before each."""
    connection = await asyncpg.connect(dsn)
    for number in range(warm_up + samples):
        await asyncio.sleep(random.uniform(0.02, 0.08))
        await connection.execute(_ENQUEUE, time.monotonic_ns() if number >= warm_up else 0)
    await connection.close()


if __name__ == "__main__":
    dsn, role = sys.argv[1:3]
    warm_up, samples = int(sys.argv[3]), int(sys.argv[4])
    uvloop.run(work(dsn, samples) if role == "work" else send(dsn, warm_up, samples))
