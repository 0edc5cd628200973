"""Promise: a pull's cost follows the size of its node, not the number of jobs that wait in the farm."""

import time
from statistics import median
from uuid import uuid4

from corral.engine import Engine
from tests.bench.databases import made_engine
from tests.bench.report import Check
from tests.engine.load import analyze, load_farm, load_runs
from tests.engine.reads import reads_of_a_cycle

NODES = 100
DEVICES_PER_NODE = 100
FEW_RUNS, MANY_RUNS = 1, 100  # times 10,000 devices
MOST_TIMES = 1.5
MOST_ROWS = 1_500  # of a table, read by one call that deals with 20 jobs on a node of 100 devices


async def check_pull_cost(dsn: str, *, samples: int) -> list[Check]:
    """Pulls of both farms in turn. Each is rolled back, so that all meet the same queue and none measures the disk."""
    async with made_engine(dsn, "few_jobs") as few, made_engine(dsn, "many_jobs") as many:
        for engine, runs in ((few, FEW_RUNS), (many, MANY_RUNS)):
            await load_farm(engine, nodes=NODES, devices_per_node=DEVICES_PER_NODE)
            await load_runs(engine, runs)
            await analyze(engine)
        await _pull(few)
        await _pull(many)
        costs: dict[Engine, list[float]] = {few: [], many: []}
        for number in range(samples):
            for engine, taken in costs.items():
                taken.append(await _pull(engine, number))
        few_ms, many_ms = (median(taken) * 1000 for taken in costs.values())
        reads = await _check_reads(many)
    jobs = [f"{NODES * DEVICES_PER_NODE * runs:,} jobs" for runs in (FEW_RUNS, MANY_RUNS)]
    print(f"  pull of 20: {few_ms:.2f} ms with {jobs[0]}, {many_ms:.2f} ms with {jobs[1]}", flush=True)
    cost = Check(
        name=f"a pull's cost, {jobs[1]} against {jobs[0]}",
        found=f"{many_ms / few_ms:.2f} x",
        target=f"<= {MOST_TIMES} x",
        is_kept=many_ms <= few_ms * MOST_TIMES,
    )
    return [cost, reads]


async def _check_reads(engine: Engine) -> Check:
    """The plans at size: no hot call scans a table, or reads more of an index than its node and its batch ask for."""
    async with engine.database.own_connection() as session:
        cycle = await reads_of_a_cycle(session, "node-1")
    scans = sum(count for reads in cycle.values() for count in reads.seq_scans.values())
    most = max(count for reads in cycle.values() for count in reads.rows_read.values())
    return Check(
        name="sequential scans of hot calls; most rows that one reads of a table",
        found=f"{scans}; {most:,}",
        target=f"0; <= {MOST_ROWS:,}",
        is_kept=scans == 0 and most <= MOST_ROWS,
    )


async def _pull(engine: Engine, number: int = 0) -> float:
    async with engine.database.own_connection() as connection:
        transaction = connection.transaction()
        await transaction.start()
        started_at = time.perf_counter()
        rows = await connection.fetch(
            "select * from corral.fn_pull_job($1, 1, 20, $2)", f"node-{number % NODES + 1}", uuid4()
        )
        took = time.perf_counter() - started_at
        await transaction.rollback()
    if len(rows) != 20:
        message = f"a pull got {len(rows)} jobs of 20"
        raise RuntimeError(message)
    return took
