"""The floor: what the same server does with a plain queue in plain SQL, driven by pgbench, with no engine at all."""

import asyncio
import re
import tempfile
from pathlib import Path

import asyncpg

BATCH = 20

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
_SCRIPT = f"""
with claimed as (
    update floor_jobs set status = 'running', claimed_at = now()
     where id in (select id from floor_jobs where status = 'queued' order by id limit {BATCH} for update skip locked)
    returning id
)
select array_agg(id) as ids from claimed \\gset
update floor_jobs set status = 'done', finished_at = now() where id = any (:ids::bigint[]);
"""


async def measure_floor(dsn: str, bin_dir: Path, *, clients: int, seconds: int) -> float:
    """Jobs claimed and completed per second. Raises when the queue runs dry, because then it measured nothing."""
    connection = await asyncpg.connect(dsn)
    try:
        await connection.execute(_TABLE)
        await connection.execute(
            f"insert into floor_jobs (id) select generate_series(1, {seconds * 60_000})", timeout=120
        )
        await connection.execute("vacuum analyze floor_jobs")
        await connection.execute("checkpoint")
        tps = await _run_pgbench(dsn, bin_dir, clients=clients, seconds=seconds)
        left = await connection.fetchval("select count(*) from floor_jobs where status = 'queued'")
        if not left:
            message = "the floor's queue ran dry: give it more rows"
            raise RuntimeError(message)
        return tps * BATCH
    finally:
        await connection.close()


async def _run_pgbench(dsn: str, bin_dir: Path, *, clients: int, seconds: int) -> float:
    with tempfile.NamedTemporaryFile("w", suffix=".sql") as script:
        script.write(_SCRIPT)
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
