"""`make bench-others`: Corral side by side with other queues on the same PostgreSQL: draining, enqueuing in bulk, latency.

Everybody is measured in turn, round after round, each in a database of its own on one durable server. What was found goes to
docs/measurements/benchmarks.json, and from there into the plots and the tables of docs/benchmarks.md; then verdict.py judges it.
"""

import argparse
import asyncio
import sys
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any, cast

import uvloop

from corral.engine.embedded import EmbeddedPostgres, find_binaries
from tests.bench.machine import describe_machine, today
from tests.bench.others import document
from tests.bench.others.contest import compare_drains, compare_enqueues, compare_latencies
from tests.bench.others.results import FILE, Results, load, save
from tests.bench.others.rivals import installed_rivals
from tests.bench.others.verdict import check_leads, missing_rivals
from tests.bench.others.versions import describe_versions
from tests.bench.report import print_checks

MEASURES = ("enqueue", "drain_20", "drain_tuned", "latency")


async def measure(bin_dir: Path, options: argparse.Namespace) -> Results | None:
    """What is asked for; what is not, stays as the file has it. Nothing where there is nobody to compare with.

    All of it takes a quarter of an hour.
    """
    rounds, jobs, wanted = options.rounds, options.jobs, set(options.measures)
    before = load(options.output) if wanted < set(MEASURES) else None
    async with (
        installed_rivals(options.keep) as rivals,
        EmbeddedPostgres.ephemeral(bin_dir=bin_dir, durable=True) as server,
    ):
        if not rivals:
            return None
        drains = partial(compare_drains, server.dsn, rivals, bin_dir=bin_dir, rounds=rounds, jobs=jobs)
        ways: dict[str, Callable[[], Awaitable[object]]] = {
            "enqueue": partial(compare_enqueues, server.dsn, rivals, rounds=rounds, jobs=jobs),
            "drain_20": partial(drains, tuned=False),
            "drain_tuned": partial(drains, tuned=True),
            "latency": partial(compare_latencies, server.dsn, rivals, rounds=rounds, samples=options.samples),
        }
        found = {name: await way() if name in wanted else getattr(before, name) for name, way in ways.items()}
        machine = await describe_machine(server.dsn)
        return Results(
            measured_on=today(),
            machine={
                "processor": machine.processor,
                "cores": str(machine.cores),
                "memory": f"{machine.memory_gb:.0f} GB",
                "system": machine.system,
            },
            versions=await describe_versions(machine, rivals),
            postgresql=machine.settings,
            jobs=jobs,
            samples=options.samples,
            rounds=rounds,
            **cast("dict[str, Any]", found),
        )


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.others", description=__doc__)
    parser.add_argument("measures", nargs="*", help=f"which of {', '.join(MEASURES)}; all, unless named")
    parser.add_argument("--postgres", type=int, help="the major version of PostgreSQL to measure on")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=20_000, help="how many are drained and enqueued")
    parser.add_argument("--samples", type=int, default=200, help="how many are started one at a time")
    parser.add_argument(
        "--keep", type=Path, metavar="DIR", help="install the others there, and leave them for next time"
    )
    parser.add_argument(
        "--output", type=Path, default=FILE, help="where to write; the documents follow only the default"
    )
    parser.add_argument("--no-write", action="store_true", help="measure and judge: no file is written, no document")
    parser.add_argument("--render", action="store_true", help="measure nothing: make the documents of what is written")
    options = parser.parse_args()
    if unknown := set(options.measures) - set(MEASURES):
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    if options.no_write and options.render:
        parser.error("--render only writes, and --no-write writes nothing")
    options.measures = options.measures or list(MEASURES)
    return options


def main() -> int:
    options = parse()
    if options.render:
        results = load(options.output)
        print(document.summary(results))
        if options.output == FILE:
            document.write(results)
        return 0
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return report(runner.run(measure(find_binaries(options.postgres), options)), options)


def report(results: Results | None, options: argparse.Namespace) -> int:
    """Print, write and judge what was measured.

    Returns 1 where a promise is broken, or where the documents were to be written and cannot: they show everybody.
    """
    missing = missing_rivals(results)
    is_published = options.output == FILE and not options.no_write
    checks = []
    if results is not None:
        print(document.summary(results))
        _write(results, options, is_whole=not missing)
        checks = check_leads(results, options.measures)
        print_checks(checks)
    if missing:
        print(f"\nNOT MEASURED, because they could not be installed (see above): {', '.join(missing)}")
    if missing and is_published:
        print("Nothing was written: the documents show everybody.")
        return 1
    return 0 if all(each.is_kept for each in checks) else 1


def _write(results: Results, options: argparse.Namespace, *, is_whole: bool) -> None:
    if options.no_write:
        return
    if options.output != FILE:
        save(results, options.output)
    elif is_whole:
        save(results, FILE)
        document.write(results)


if __name__ == "__main__":
    sys.exit(main())
