"""Latency with Corral as a library: a worker that waits for the engine's notifications, and a sender of one step at a time.

Run by tests.bench.others.latency; the worker prints how long each step took to start, in nanoseconds.
Usage: python -m tests.bench.others.corral_library_latency DSN steps|runs work|send WARM_UP SAMPLES. `steps` adds each to an open
job, as one adds a job to a queue; `runs` asks for a run of one step each time.
"""

import asyncio
import contextlib
import random
import sys
import time
from collections.abc import Collection
from uuid import uuid4

import msgspec
import uvloop

from corral.engine import Engine
from corral.engine.announce import EVERYBODY, STEPS
from corral.engine.listen import Listener
from corral.model.records import NewStep, StepGrant, StepResult
from corral.model.states import StepStatus

NODE = "worker"
POLL_S = 1.0
"""As the server polls where an announcement did not arrive."""


async def work(dsn: str, samples: int) -> None:
    """Claim at every announcement, take the time, complete; print the waits in the end."""
    heard = asyncio.Event()

    def hear(names: Collection[str]) -> None:
        if STEPS in names or EVERYBODY in names:
            heard.set()

    async with Engine.connect(dsn, max_connections=2) as engine:
        await engine.jobs.create("latency", is_open=True)
        await engine.workflows.create_workflow("latency", {"name": "latency", "steps": []}, mode="distributed")
        epoch = (await engine.nodes.register_node(NODE, state_id=NODE, lookahead=0)).epoch
        listener = Listener(dsn, sender=engine.announcements.sender, hear=hear)
        listening = asyncio.create_task(listener.run())
        await listener.is_listening.wait()
        print("ready", flush=True)
        waits: list[int] = []
        while len(waits) < samples:
            heard.clear()
            grants = await engine.steps.claim_ready_steps(NODE, epoch=epoch, want=1, request_id=uuid4())
            started_at = time.monotonic_ns()
            if grants:
                waits += [started_at - grant.input for grant in grants if grant.input]
                await engine.steps.complete_steps(NODE, [_succeeded(grant) for grant in grants])
            else:
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(POLL_S):
                        await heard.wait()
        listening.cancel()
    print(msgspec.json.encode(waits).decode(), flush=True)


async def send(dsn: str, way: str, warm_up: int, samples: int) -> None:
    """One at a time, with a pause before each."""
    async with Engine.connect(dsn, max_connections=2) as engine:
        (job,) = await engine.jobs.list(limit=1)
        workflow = await engine.workflows.find("latency")
        for number in range(warm_up + samples):
            await asyncio.sleep(random.uniform(0.02, 0.08))
            at = time.monotonic_ns() if number >= warm_up else 0
            step = NewStep(f"step-{number}", input=at)
            if way == "steps":
                await engine.steps.create_steps(job.job_id, [step])
            else:
                await engine.runs.create_run(workflow.workflow_id, {"steps": [msgspec.to_builtins(step)]})


def _succeeded(grant: StepGrant) -> StepResult:
    return StepResult(grant.job_id, grant.name, grant.lease_token, StepStatus.SUCCEEDED)


if __name__ == "__main__":
    dsn, way, role = sys.argv[1:4]
    warm_up, samples = int(sys.argv[4]), int(sys.argv[5])
    uvloop.run(work(dsn, samples) if role == "work" else send(dsn, way, warm_up, samples))
