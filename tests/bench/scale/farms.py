"""The same jobs a second on ever larger farms: what they cost, and what the farm costs while it has nothing to do."""

from msgspec import Struct

from tests.bench.report import Check
from tests.bench.scale.farm import ModelFarm, model_farm
from tests.bench.scale.knee import find_knee
from tests.bench.scale.node import EVENTS_PER_JOB
from tests.bench.scale.profile import print_profile
from tests.bench.scale.records import Farm, Knee, Load
from tests.engine.load import analyze

MOST_TIMES = 1.5
_SETTLE_S = 3.0


class Sizes(Struct, frozen=True, kw_only=True):
    """What is measured, and for how long."""

    nodes: list[int]
    devices_per_node: int
    jobs_per_s: float
    idle_s: float
    work_s: float
    stage_s: float
    is_profiled: bool = False


async def measure_farms(dsn: str, sizes: Sizes) -> tuple[list[Farm], Knee | None]:
    """One farm after the other; the largest is then asked for more and more."""
    farms: list[Farm] = []
    knee = None
    for nodes in sizes.nodes:
        async with model_farm(dsn, nodes=nodes, devices_per_node=sizes.devices_per_node) as (farm, register_s):
            farms.append(await _measure(farm, sizes, nodes=nodes, register_s=register_s))
            if nodes == max(sizes.nodes) and sizes.stage_s:
                knee = await find_knee(farm, seconds=sizes.stage_s)
    return farms, knee


async def _measure(farm: ModelFarm, sizes: Sizes, *, nodes: int, register_s: float) -> Farm:
    print(
        f"  {nodes:,} nodes with {nodes * sizes.devices_per_node:,} devices: registered in {register_s:.1f} s",
        flush=True,
    )
    await farm.engine.database.fetch("analyze corral.nodes, corral.devices, corral.lanes")
    farm.start()
    await farm.measure(min(2.0, sizes.idle_s))  # until all of them wait
    idle = await farm.measure(sizes.idle_s)
    print(f"    idle: {_tell(idle)}", flush=True)
    if sizes.is_profiled:
        await print_profile(farm.engine, "idle")
    fan_out_s = await farm.create_run()
    fill_s = await farm.fill()
    await farm.ensure_jobs(sizes.jobs_per_s * (sizes.work_s + _SETTLE_S))
    await analyze(farm.engine)
    print(f"    a run made in {fan_out_s:.1f} s, every slot at work {fill_s:.1f} s later", flush=True)
    farm.set_pace(sizes.jobs_per_s)
    await farm.measure(min(_SETTLE_S, sizes.work_s))  # until that is usual
    work = await farm.measure(sizes.work_s)
    print(f"    work: {_tell(work)}", flush=True)
    if sizes.is_profiled:
        await print_profile(farm.engine, "work")
    return Farm(
        nodes=nodes,
        devices_per_node=sizes.devices_per_node,
        register_s=round(register_s, 1),
        fan_out_s=round(fan_out_s, 2),
        fill_s=round(fill_s, 1),
        idle=idle,
        work=work,
        event_bytes=round(await _event_bytes(farm), 1),
    )


async def _event_bytes(farm: ModelFarm) -> float:
    row = await farm.engine.database.fetch_only(
        "select pg_total_relation_size('corral.node_events') as bytes, count(*) as rows from corral.node_events"
    )
    return int(row["bytes"]) / max(1, int(row["rows"]))


def _tell(load: Load) -> str:
    return (
        f"{load.jobs_per_s:.0f} jobs/s, {load.events / load.seconds:.0f} events/s; callback {load.callback.p50_ms:.1f} ms,"
        f" p99 {load.callback.p99_ms:.1f} ms; processors: server {load.server_s / load.seconds:.2f},"
        f" PostgreSQL {load.postgres_s / load.seconds:.2f} (housekeeping {load.housekeeping_s / load.seconds:.2f}),"
        f" model {load.generator_s / load.seconds:.2f},"
        f" others {load.other_s / load.seconds:.2f}"
    )


def jobs_worth(load: Load) -> float:
    """How many jobs the work amounts to: on a large farm a job takes longer than it is watched, so that few of them end."""
    return max(1, load.events) / EVENTS_PER_JOB


def job_cost_s(farm: Farm) -> float:
    """Processor time of server and PostgreSQL for one more job, beside what the farm takes anyway.

    Without PostgreSQL's housekeeping: that is after the making of a run's jobs, of which few are done while it is measured.
    """
    return server_job_s(farm) + postgres_job_s(farm)


def server_job_s(farm: Farm) -> float:
    return _job_s(farm, farm.work.server_s, farm.idle.server_s)


def postgres_job_s(farm: Farm) -> float:
    idle, work = farm.idle, farm.work
    return _job_s(farm, work.postgres_s - work.housekeeping_s, idle.postgres_s - idle.housekeeping_s)


def housekeeping_job_s(farm: Farm) -> float:
    return _job_s(farm, farm.work.housekeeping_s, farm.idle.housekeeping_s)


def _job_s(farm: Farm, work_s: float, idle_s: float) -> float:
    return (work_s - idle_s / farm.idle.seconds * farm.work.seconds) / jobs_worth(farm.work)


def check_farms(farms: list[Farm]) -> list[Check]:
    """That a job costs the same, however large the farm."""
    smallest, largest = farms[0], farms[-1]
    times = job_cost_s(largest) / job_cost_s(smallest)
    return [
        Check(
            name=f"a job's cost on a farm {largest.nodes / smallest.nodes:.0f} times as large",
            found=f"{times:.2f} x",
            target=f"<= {MOST_TIMES} x",
            is_kept=times <= MOST_TIMES,
        )
    ]
