"""Promise: jobs go through the engine at a fair share of what plain SQL does on the same server."""

from pathlib import Path
from statistics import median

from tests.bench.cycle import measure_cycles
from tests.bench.databases import made_engine, make_database
from tests.bench.floor import measure_floor
from tests.bench.report import Check
from tests.engine.load import analyze, load_farm, load_runs

CLIENTS = 4
DEVICES_PER_NODE = 100
SHARE = 0.35
_MOST_PER_SECOND = 25_000


async def check_throughput(dsn: str, bin_dir: Path, *, rounds: int, seconds: int) -> Check:
    """Floor and engine in turn, so that a noisy neighbour hits both."""
    floor_dsn = await make_database(dsn, "floor")
    floors, engines = [], []
    for number in range(1, rounds + 1):
        floors.append(await measure_floor(floor_dsn, bin_dir, clients=CLIENTS, seconds=seconds))
        engines.append(await _measure_engine(dsn, number, seconds=seconds))
        ratio = engines[-1] / floors[-1]
        print(
            f"  round {number}: floor {floors[-1]:,.0f} jobs/s, engine {engines[-1]:,.0f} jobs/s, {ratio:.1%}",
            flush=True,
        )
    share = median(engines) / median(floors)
    return Check(
        name=f"pull, start, finish: {CLIENTS} clients, share of the floor",
        found=f"{share:.1%}",
        target=f">= {SHARE:.0%}",
        is_kept=share >= SHARE,
    )


async def _measure_engine(dsn: str, number: int, *, seconds: int) -> float:
    async with made_engine(dsn, f"throughput_{number}", max_connections=CLIENTS) as engine:
        await load_farm(engine, nodes=CLIENTS, devices_per_node=DEVICES_PER_NODE)
        await load_runs(engine, runs=seconds * _MOST_PER_SECOND // (CLIENTS * DEVICES_PER_NODE))
        await analyze(engine)
        await engine.database.fetch("checkpoint")
        return await measure_cycles(engine, [f"node-{n}" for n in range(1, CLIENTS + 1)], seconds=seconds)
