"""`make bench-scale`: farms of up to a thousand nodes without phones, and a database that has seen many jobs."""

import argparse
import asyncio
import sys
import time
from pathlib import Path

import msgspec
import uvloop

from corral.config import ServerConfig
from corral.engine.embedded import EmbeddedPostgres, find_binaries
from tests.bench.machine import describe_machine, today
from tests.bench.report import Check, print_checks
from tests.bench.scale.document import DOCUMENT, MEASUREMENTS, read, write
from tests.bench.scale.farms import Sizes, check_farms, measure_farms
from tests.bench.scale.history import check_history, measure_history
from tests.bench.scale.node import EVENTS_PER_JOB, STEPS
from tests.bench.scale.records import Farm, Scale, Setup
from tests.postgres import execute


async def measure(options: argparse.Namespace) -> Scale:
    """Everything, on a new and durable PostgreSQL."""
    farms: list[Farm] = []
    knee = history = None
    async with EmbeddedPostgres.ephemeral(bin_dir=find_binaries(options.postgres), durable=True) as server:
        await execute(server.dsn, "alter system set track_wal_io_timing = on")
        if options.profile:
            await execute(server.dsn, "alter system set track_functions = 'all'")
        await execute(server.dsn, "select pg_reload_conf()")
        machine = await describe_machine(server.dsn)
        if "farms" in options.parts:
            print("farms", flush=True)
            sizes = Sizes(
                nodes=sorted(options.nodes),
                devices_per_node=options.devices,
                jobs_per_s=options.jobs_per_s,
                idle_s=options.seconds,
                work_s=options.seconds * 2,
                stage_s=0 if options.profile else options.seconds / 2,
                is_profiled=options.profile,
            )
            farms, knee = await measure_farms(server.dsn, sizes)
        if "history" in options.parts:
            print("history", flush=True)
            history = await measure_history(
                server.dsn, jobs=options.jobs, retention_jobs=options.jobs // 20, most_s=options.minutes * 60
            )
    servers = ServerConfig()
    return Scale(
        measured_on=today(),
        machine=Setup(
            **msgspec.structs.asdict(machine),
            server_processes=servers.workers,
            database_connections=servers.database_connections,
        ),
        steps_per_job=STEPS,
        events_per_job=EVENTS_PER_JOB,
        farms=farms,
        knee=knee,
        history=history,
    )


def check(scale: Scale) -> list[Check]:
    checks = check_farms(scale.farms) if scale.farms else []
    return checks + (check_history(scale.history) if scale.history else [])


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.scale", description=__doc__)
    parser.add_argument("parts", nargs="*", default=["farms", "history"], help="farms, history; both, unless named")
    parser.add_argument("--postgres", type=int, help="the major version of PostgreSQL to measure on")
    parser.add_argument("--nodes", type=int, nargs="+", default=[10, 100, 1000], help="the sizes of the farms")
    parser.add_argument("--devices", type=int, default=100, help="of each node")
    parser.add_argument("--jobs-per-s", type=float, default=60.0, help="of each farm, at work")
    parser.add_argument(
        "--seconds", type=float, default=20.0, help="how long a farm is watched while idle; twice that at work"
    )
    parser.add_argument("--jobs", type=int, default=1_000_000, help="of the history")
    parser.add_argument("--minutes", type=float, default=15.0, help="after which the history gets no more jobs")
    parser.add_argument("--output", type=Path, help="where to write the measurements; those of both parts")
    parser.add_argument(
        "--write", action="store_true", help=f"write them to {MEASUREMENTS}, and the tables into {DOCUMENT}"
    )
    parser.add_argument("--render", action="store_true", help="measure nothing: write the tables of what is written")
    parser.add_argument(
        "--profile", action="store_true", help="print which SQL functions take the time; nothing is written"
    )
    options = parser.parse_args()
    if options.profile and (options.write or options.output):
        parser.error("--profile: what it measures is slower than what it would be without")
    if options.render:
        write(read(MEASUREMENTS))
        return 0

    started_at = time.perf_counter()
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        scale = runner.run(measure(options))
    print(f"took {(time.perf_counter() - started_at) / 60:.0f} minutes")
    output = MEASUREMENTS if options.write else options.output
    if output is not None:
        scale = _complete(scale, output)
        output.write_bytes(msgspec.json.format(msgspec.json.encode(scale), indent=1) + b"\n")
    if options.write:
        write(scale)
    checks = check(scale)
    print_checks(checks)
    return 0 if all(each.is_kept for each in checks) else 1


def _complete(scale: Scale, path: Path) -> Scale:
    """What was not measured this time stays as it was, if it is there."""
    if not path.is_file() or (scale.farms and scale.history):
        return scale
    former = read(path)
    return msgspec.structs.replace(
        scale,
        farms=scale.farms or former.farms,
        knee=scale.knee or former.knee,
        history=scale.history or former.history,
    )


if __name__ == "__main__":
    sys.exit(main())
