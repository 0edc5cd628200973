"""`make bench`: measure what engine, server, node and simulator promise, on this machine, and fail where a promise is broken.

`make bench` then goes on with tests.bench.others: Corral beside other queues.
"""

import argparse
import asyncio
import sys
from pathlib import Path

import uvloop

from corral.engine.embedded import EmbeddedPostgres, find_binaries
from tests.bench.fan_out import check_fan_out
from tests.bench.fleet import check_fleet
from tests.bench.http import check_http
from tests.bench.node import check_node
from tests.bench.pull_cost import check_pull_cost
from tests.bench.report import Check, print_checks
from tests.bench.sse import check_sse
from tests.bench.steps import check_steps
from tests.bench.throughput import check_throughput

CHECKS = ("throughput", "steps", "pull_cost", "fan_out", "http", "sse", "node", "fleet")


async def measure(bin_dir: Path, *, only: list[str], rounds: int, seconds: int) -> list[Check]:
    """Run the measurements on a new, durable server."""
    checks: list[Check] = []
    async with EmbeddedPostgres.ephemeral(bin_dir=bin_dir, durable=True) as server:
        for name in only:
            print(name, flush=True)
            if name == "throughput":
                checks.append(await check_throughput(server.dsn, bin_dir, rounds=rounds, seconds=seconds))
            elif name == "steps":
                checks.extend(await check_steps(server.dsn, rounds=rounds))
            elif name == "pull_cost":
                checks.extend(await check_pull_cost(server.dsn, samples=400))
            elif name == "fan_out":
                checks.append(await check_fan_out(server.dsn, rounds=rounds))
            elif name == "http":
                checks.extend(await check_http(server.dsn, rounds=rounds, seconds=seconds))
            elif name == "sse":
                checks.extend(await check_sse(server.dsn, seconds=seconds))
            elif name == "node":
                checks.extend(await check_node(server.dsn))
            elif name == "fleet":
                checks.append(await check_fleet())
    return checks


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("checks", nargs="*", help=f"which of {', '.join(CHECKS)}; all, unless named")
    parser.add_argument("--postgres", type=int, help="the major version of PostgreSQL to measure on")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=int, default=10, help="how long each side of a round takes")
    options = parser.parse_args()
    if unknown := set(options.checks) - set(CHECKS):
        parser.error(f"unknown: {', '.join(sorted(unknown))}")

    bin_dir = find_binaries(options.postgres)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        checks = runner.run(
            measure(
                bin_dir,
                only=options.checks or list(CHECKS),
                rounds=options.rounds,
                seconds=options.seconds,
            )
        )
    print_checks(checks)
    return 0 if all(check.is_kept for check in checks) else 1


if __name__ == "__main__":
    sys.exit(main())
