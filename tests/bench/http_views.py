"""Promise: the monitor view of ten thousand devices is there in a blink, and costs next to nothing while nothing changes."""

import time
from statistics import median

from corral.engine import Engine
from tests.api.client import AS_OPERATOR
from tests.bench.report import Check
from tests.bench.wire import Wire

MOST_MS = 80.0
MOST_MS_UNCHANGED = 3.0
_VIEWS = 20
_GLANCES = 200


async def check_views(engine: Engine, url: str, *, devices: int) -> list[Check]:
    """As a client sees it, the bytes on their way included."""
    workflow = await engine.workflows.create_workflow("view", {"name": "view", "steps": []})
    run = await engine.runs.create_run(workflow.workflow_id, {"target": {"all": True}})
    if run.total_jobs != devices:
        raise RuntimeError(f"the run has {run.total_jobs} jobs, not {devices}")
    wire, path = await Wire.open(url), f"/api/runs/{run.run_id}"
    request = wire.request("GET", path, AS_OPERATOR)
    reply = await wire.ask(request)
    views = [await _time(wire, request, expected=200) for _ in range(_VIEWS)]
    glances: list[float] = []
    while len(glances) < _GLANCES:
        etag = (await wire.ask(request)).etag  # every thirty seconds it is another, and then a glance is a view
        known = wire.request("GET", path, {**AS_OPERATOR, "if-none-match": etag})
        glances += [await _time(wire, known, expected=304) for _ in range(_GLANCES // 10)]
    wire.close()
    view_ms, glance_ms = median(views) * 1000, median(each for each in glances if each) * 1000
    print(f"  {len(reply.body):,} bytes in {view_ms:.1f} ms, 304 in {glance_ms:.2f} ms", flush=True)
    return [
        Check(
            name=f"GET /api/runs/:id of {devices:,} devices",
            found=f"{view_ms:.1f} ms",
            target=f"< {MOST_MS:.0f} ms",
            is_kept=view_ms < MOST_MS,
        ),
        Check(
            name="the same, unchanged",
            found=f"{glance_ms:.2f} ms",
            target=f"< {MOST_MS_UNCHANGED:.0f} ms",
            is_kept=glance_ms < MOST_MS_UNCHANGED,
        ),
    ]


async def _time(wire: Wire, request: bytes, *, expected: int) -> float:
    """How long an answer took; 0 for one of another kind, which does not count."""
    started_at = time.perf_counter()
    reply = await wire.ask(request)
    return time.perf_counter() - started_at if reply.status == expected else 0.0
