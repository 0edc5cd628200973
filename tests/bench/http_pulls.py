"""Promise: a pull that waits is answered a few milliseconds after a run was asked for, at another server process."""

import asyncio
import time
from statistics import median
from typing import Any
from uuid import uuid4

from tests.api.client import AS_NODE, AS_OPERATOR, SMOKE
from tests.bench.report import Check
from tests.bench.wire import Wire

MOST_MS = 20.0
_SAMPLES = 50
NODE = {"node_id": "waiter"}


async def check_pulls(url: str, other_url: str) -> Check:
    """From the moment that the run is asked for to the answer of the pull: creating it and waking the node included."""
    node, operator = await Wire.open(url), await Wire.open(other_url)
    epoch = await _say(node, "register", {})
    epoch = {"epoch": epoch["epoch"]}
    await _say(node, "heartbeat", {**epoch, "devices": [{"serial": "WAITER-1"}]})
    (await operator.ask(operator.request("POST", "/api/workflows", AS_OPERATOR, SMOKE))).json()
    run = operator.request("POST", "/api/runs", AS_OPERATOR, {"workflow": "smoke", "target": {"nodes": ["waiter"]}})
    waits = []
    for _ in range(_SAMPLES):
        pulling = asyncio.create_task(_say(node, "pull", {**epoch, "request_id": str(uuid4()), "want": 1}))
        await asyncio.sleep(0.05)  # until it surely waits
        started_at = time.perf_counter()
        creating = asyncio.create_task(operator.ask(run))
        pulled = await pulling
        waits.append(time.perf_counter() - started_at)
        (await creating).json()
        (job,) = pulled["jobs"]
        token = {"job_id": job["job_id"], "lease_token": job["lease_token"]}
        ended = {"event_id": str(uuid4()), "seq": 1, "type": "job_finished", "outcome": "succeeded", **token}
        await _say(node, "callback", {"events": [ended]})
    node.close()
    operator.close()
    waited_ms = median(waits) * 1000
    print(
        f"  a pull is answered {waited_ms:.1f} ms after a run was asked for, {max(waits) * 1000:.1f} ms at worst",
        flush=True,
    )
    return Check(
        name="a waiting pull's answer to a run created at another process, median",
        found=f"{waited_ms:.1f} ms",
        target=f"< {MOST_MS:.0f} ms",
        is_kept=waited_ms < MOST_MS,
    )


async def _say(node: Wire, what: str, body: dict[str, object]) -> dict[str, Any]:
    return (await node.ask(node.request("POST", f"/api/nodes/{what}", AS_NODE, {**NODE, **body}))).json()
