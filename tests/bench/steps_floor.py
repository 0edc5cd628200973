"""The floor of draining: a bare loop of SQL over a plain table, claim a batch, complete it, with no engine at all."""

import time

import asyncpg

from tests.bench.databases import make_database
from tests.postgres import execute

STEPS = 20_000
BATCH = 20
TUNED_BATCH = 1_000

_TABLE = """
create table floor_steps (
    id           bigint primary key,
    status       text not null default 'queued',
    payload      jsonb not null default '{}',
    claimed_at   timestamptz,
    finished_at  timestamptz
) with (fillfactor = 70);
create index floor_steps_queued on floor_steps (id) where status = 'queued';
"""
_CLAIM = """
update floor_steps set status = 'running', claimed_at = now()
 where id = any (array(select id from floor_steps where status = 'queued' order by id limit $1 for update skip locked))
returning id, payload
"""
_COMPLETE = "update floor_steps set status = 'done', finished_at = now() where id = any ($1::bigint[])"


async def drain_floor(dsn: str, *, tuned: bool, steps: int = STEPS) -> float:
    """Rows claimed and completed per second, on one connection."""
    url = await make_database(dsn, "steps_floor")
    connection = await asyncpg.connect(url)
    try:
        await connection.execute(_TABLE)
        await connection.execute(f"insert into floor_steps (id) select generate_series(1, {steps})")
        await connection.execute("vacuum analyze floor_steps")
        await connection.execute("checkpoint")
        started_at = time.perf_counter()
        while rows := await connection.fetch(_CLAIM, TUNED_BATCH if tuned else BATCH):
            await connection.execute(_COMPLETE, [row["id"] for row in rows])
        return steps / (time.perf_counter() - started_at)
    finally:
        await connection.close()
        await execute(dsn, "drop database steps_floor with (force)")
