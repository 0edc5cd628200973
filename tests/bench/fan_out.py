"""Promise: a run reaches a hundred thousand devices in seconds."""

import time

from tests.bench.databases import made_engine
from tests.bench.report import Check
from tests.engine.load import analyze, load_farm

NODES = 1_000
DEVICES_PER_NODE = 100
MOST_SECONDS = 5.0


async def check_fan_out(dsn: str, *, rounds: int) -> Check:
    """Create a run on every device, through the gateway; the slowest round counts."""
    devices = NODES * DEVICES_PER_NODE
    slowest = 0.0
    async with made_engine(dsn, "fan_out") as engine:
        await load_farm(engine, nodes=NODES, devices_per_node=DEVICES_PER_NODE)
        await analyze(engine)
        workflow = await engine.workflows.create_workflow("fan-out", {"name": "fan-out", "steps": []})
        for number in range(1, rounds + 1):
            started_at = time.perf_counter()
            run = await engine.runs.create_run(workflow.workflow_id, {"target": {"all": True}})
            took = time.perf_counter() - started_at
            if run.waiting != devices:
                message = f"the run has {run.waiting} waiting jobs, not {devices}"
                raise RuntimeError(message)
            print(f"  round {number}: {devices:,} devices in {took:.2f} s", flush=True)
            slowest = max(slowest, took)
    return Check(
        name=f"fan-out of a run to {devices:,} devices",
        found=f"{slowest:.2f} s",
        target=f"<= {MOST_SECONDS:.0f} s",
        is_kept=slowest <= MOST_SECONDS,
    )
