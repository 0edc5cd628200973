"""The floor: what the same server does with a plain queue in plain SQL, driven by pgbench, with no engine at all."""

import asyncio
import re
import tempfile
from pathlib import Path

import asyncpg

from tests.bench.databases import make_database
from tests.postgres import execute

BATCH = 20
_MOST_PER_S = {20: 60_000, 1_000: 200_000}
"""Rows to have for each second, by the size of a batch: more than could be done."""

_DRAIN_S = 2

_TABLE = """
drop table if exists floor_jobs;
create table floor_jobs (
    id           bigint primary key,
    status       text not null default 'queued',
    payload      jsonb not null default '{}',
    claimed_at   timestamptz,
    finished_at  timestamptz
) with (fillfactor = 70);
create index floor_jobs_queued on floor_jobs (id) where status = 'queued';
"""

# Two transactions, as a queue has: what was claimed is worked on in between. The ids travel as one parameter.
_SCRIPT = """
with claimed as (
    update floor_jobs set status = 'running', claimed_at = now()
     where id in (select id from floor_jobs where status = 'queued' order by id limit {batch} for update skip locked)
    returning id
)
select array_agg(id) as ids from claimed \\gset
update floor_jobs set status = 'done', finished_at = now() where id = any (:ids::bigint[]);
"""


async def drain_by_pgbench(dsn: str, bin_dir: Path, *, batch: int, clients: int) -> float:
    """Rows claimed and completed per second, in a database of its own."""
    url = await make_database(dsn, "pgbench_floor")
    try:
        return await measure_floor(url, bin_dir, clients=clients, seconds=_DRAIN_S, batch=batch)
    finally:
        await execute(dsn, "drop database pgbench_floor with (force)")


async def measure_floor(dsn: str, bin_dir: Path, *, clients: int, seconds: int, batch: int = BATCH) -> float:
    """Jobs claimed and completed per second. Raises when the queue runs dry, because then it measured nothing."""
    connection = await asyncpg.connect(dsn)
    try:
        await connection.execute(_TABLE)
        await connection.execute(
            f"insert into floor_jobs (id) select generate_series(1, {seconds * _MOST_PER_S[batch]})", timeout=120
        )
        await connection.execute("vacuum analyze floor_jobs")
        await connection.execute("checkpoint")
        tps = await _run_pgbench(dsn, bin_dir, clients=clients, seconds=seconds, batch=batch)
        left = await connection.fetchval("select count(*) from floor_jobs where status = 'queued'")
        if not left:
            message = "the floor's queue ran dry: give it more rows"
            raise RuntimeError(message)
        return tps * batch
    finally:
        await connection.close()


async def _run_pgbench(dsn: str, bin_dir: Path, *, clients: int, seconds: int, batch: int) -> float:
    with tempfile.NamedTemporaryFile("w", suffix=".sql") as script:
        script.write(_SCRIPT.format(batch=batch))
        script.flush()
        options = ("--no-vacuum", "--protocol=prepared", f"--client={clients}", "--jobs=2", f"--time={seconds}")
        process = await asyncio.create_subprocess_exec(
            bin_dir / "pgbench", *options, f"--file={script.name}", dsn,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
        )  # fmt: skip
        output = (await process.communicate())[0].decode()
    found = re.search(r"^tps = ([\d.]+)", output, re.MULTILINE)
    if process.returncode or found is None or "aborted" in output:
        message = f"pgbench failed:\n{output}"
        raise RuntimeError(message)
    return float(found[1])
