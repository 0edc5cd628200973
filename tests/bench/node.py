"""What a node promises, with a hundred simulated phones: full slots, no gaps between jobs, little of the computer."""

import asyncio
import heapq
import statistics
import time
from collections.abc import Sequence

from corral.simulator.control import Control
from corral.simulator.record import Entry
from tests.api.process import running
from tests.bench.databases import made_engine
from tests.bench.processes import memory_mb, processor_s
from tests.bench.rack import rack
from tests.bench.report import Check
from tests.node.rig import Desk

PHONES = 100
SLOTS = 20
RUNS = 5
IDLE_S = 60
LEAST_BUSY = 0.95
MOST_GAP_MS = 20
MOST_MB = 120
MOST_IDLE = 0.10
MOST_CANCEL_S = 1.0
LEAST_ASKED = 0.9
"""Of the phones in an idle minute, or it was not the idleness that is meant: each is asked about once."""

SLEEP = {"id": "sleep", "uses": "flow.sleep", "with": {"duration_s": 1}}
FOR_EVER = {"id": "wait", "uses": "device.shell", "with": {"command": "sleep 3000"}, "timeout_s": 3000}

Span = tuple[float, float]


async def check_node(dsn: str) -> list[Check]:
    """One server, one node, a hundred phones: idle, then at work, then cancelled."""
    async with made_engine(dsn, "node") as engine, rack(PHONES) as (simulator, adb_port, _, folder):
        url = engine.database.dsn
        async with running("--database-url", url, is_warm=False) as server:
            desk = Desk(server, simulator.addresses, dsn=url, adb_port=adb_port, state=folder / "state", env={})
            async with desk.http, desk.node() as node, await Control.connect(simulator.control_port) as control:
                idle = await _measure_idle(node.process.pid, control)
                spans = await _measure_work(desk)
                cancel = await _measure_cancel(desk, control)
                megabytes = memory_mb(node.process.pid)
    return [*_check_slots(spans), cancel, idle, _check_memory(megabytes)]


async def _measure_idle(pid: int, control: Control) -> Check:
    await asyncio.sleep(5)  # what belongs to the start
    (*_, last) = await control.record()
    before, began_at = processor_s(pid), time.monotonic()
    await asyncio.sleep(IDLE_S)
    share = (processor_s(pid) - before) / (time.monotonic() - began_at)
    asked = {entry.phone for entry in await control.record(after=last.number)}
    if len(asked) < LEAST_ASKED * PHONES:
        raise RuntimeError(f"only {len(asked)} of {PHONES} phones were asked for their health meanwhile")
    return Check(
        name=f"an idle node with {PHONES} phones, over {IDLE_S} s",
        found=f"{100 * share:.1f} % of a core",
        target=f"< {100 * MOST_IDLE:.0f} %",
        is_kept=share < MOST_IDLE,
    )


async def _measure_work(desk: Desk) -> list[Span]:
    """When each job ran, by the node's clock."""
    runs = [await desk.given_run([SLEEP]) for _ in range(RUNS)]
    for run in runs:
        await desk.until_ended(run)
    rows = await desk.query("select started_at, finished_at from corral.jobs where status = 'succeeded'")
    if len(rows) != RUNS * PHONES:
        raise RuntimeError(f"{len(rows)} of {RUNS * PHONES} jobs succeeded")
    return [(row["started_at"].timestamp(), row["finished_at"].timestamp()) for row in rows]


def _check_slots(spans: Sequence[Span]) -> list[Check]:
    makespan = max(end for _, end in spans) - min(start for start, _ in spans)
    busy = sum(end - start for start, end in spans) / (SLOTS * makespan)
    gap_ms = 1000 * statistics.median(_gaps(spans))
    return [
        Check(
            name=f"slots busy over {len(spans)} jobs of a second",
            found=f"{100 * busy:.1f} %",
            target=f">= {100 * LEAST_BUSY:.0f} %",
            is_kept=busy >= LEAST_BUSY,
        ),
        Check(
            name="from a job's end to the next start on its slot, median",
            found=f"{gap_ms:.1f} ms",
            target=f"< {MOST_GAP_MS} ms",
            is_kept=gap_ms < MOST_GAP_MS,
        ),
    ]


def _gaps(spans: Sequence[Span]) -> list[float]:
    """Each start takes the slot that was the first to become free."""
    free: list[float] = []
    gaps: list[float] = []
    for start, end in sorted(spans):
        if len(free) == SLOTS:
            gaps.append(start - heapq.heappop(free))
        heapq.heappush(free, end)
    return gaps


async def _measure_cancel(desk: Desk, control: Control) -> Check:
    """From the server's word that a run is cancelled until no phone executes anything of it."""
    (*_, last) = await control.record()
    run = await desk.given_run([FOR_EVER])

    async def unfinished() -> list[Entry]:
        since = await control.record(after=last.number)
        return [entry for entry in since if entry.line == "sleep 3000" and entry.ended_s is None]

    while len(await unfinished()) < SLOTS:  # noqa: ASYNC110 - another process's
        await asyncio.sleep(0.1)
    (await desk.http.post(f"/api/runs/{run}/cancel", json={})).raise_for_status()
    accepted_at = time.monotonic()
    while await unfinished():  # noqa: ASYNC110 - as above
        await asyncio.sleep(0.01)
    took_s = time.monotonic() - accepted_at
    await desk.until_ended(run)
    return Check(
        name=f"from a cancel's acceptance until {SLOTS} phones are at rest",
        found=f"{1000 * took_s:.0f} ms",
        target=f"< {1000 * MOST_CANCEL_S:.0f} ms",
        is_kept=took_s < MOST_CANCEL_S,
    )


def _check_memory(megabytes: float) -> Check:
    return Check(
        name=f"memory of the node after that, with {PHONES} phones",
        found=f"{megabytes:.0f} MB",
        target=f"< {MOST_MB} MB",
        is_kept=megabytes < MOST_MB,
    )
