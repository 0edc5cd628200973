"""Latency with Corral over HTTP: a worker whose request waits at the server, and an operator who asks for one run at a time.

Run by tests.bench.others.latency; the worker prints how long each took to start, in nanoseconds.
Usage: python -m tests.bench.others.corral_http_latency URL claim|pull work|send WARM_UP SAMPLES. `claim` is the way of workers:
each run has one step. `pull` is the way of nodes with phones: each run is a job on one phone.
"""

import asyncio
import random
import sys
import time
from typing import Any
from uuid import uuid4

import msgspec
import uvloop

from tests.api.client import AS_NODE, AS_OPERATOR
from tests.bench.wire import Wire

NODE = "worker"
_RECIPE = {
    "params": {"at": {"type": "string", "default": "0"}},
    "steps": [{"id": "tell", "uses": "report", "with": {"message": "{{ params.at }}"}}],
}
_WORKFLOWS = {"claim": {"name": "latency", "mode": "distributed", **_RECIPE}, "pull": {"name": "latency", **_RECIPE}}


class Worker:
    """A node on one connection."""

    def __init__(self, wire: Wire, way: str) -> None:
        self._wire = wire
        self._way = way
        self._epoch = 0

    async def register(self) -> None:
        """Be known, with one phone for those who need one, and have the workflow made."""
        request = self._wire.request("POST", "/api/workflows", AS_OPERATOR, _WORKFLOWS[self._way])
        (await self._wire.ask(request)).json()
        told = await self._say("register", {"capabilities": ["report"], "state_id": NODE, "lookahead": 0})
        self._epoch = told["epoch"]
        if self._way == "pull":
            await self._say("heartbeat", {"epoch": self._epoch, "devices": [{"serial": "PHONE-1"}]})

    async def take(self) -> tuple[dict[str, Any], int]:
        """The next event to tell when it is done, and when it was enqueued."""
        while True:
            reply = await self._say(self._way, {"epoch": self._epoch, "request_id": str(uuid4()), "want": 1})
            if self._way == "claim" and reply["steps"]:
                (step,) = reply["steps"]
                ended = {"type": "step_finished", "step": step["step"], "status": "succeeded"}
                return {**_token(step), **ended}, int(step["with"]["message"])
            if self._way == "pull" and reply["jobs"]:
                (job,) = reply["jobs"]
                return {**_token(job), "type": "job_finished", "outcome": "succeeded"}, int(
                    reply["runs"][0]["params"]["at"]
                )

    async def tell(self, event: dict[str, Any]) -> None:
        """Call back."""
        told = await self._say("callback", {"events": [{"event_id": str(uuid4()), "seq": 1, **event}]})
        if told["results"][0]["outcome"] != "applied":
            raise RuntimeError(f"not applied: {told}")

    async def _say(self, what: str, body: dict[str, Any]) -> dict[str, Any]:
        request = self._wire.request("POST", f"/api/nodes/{what}", AS_NODE, {"node_id": NODE, **body})
        return (await self._wire.ask(request)).json()


async def work(url: str, way: str, samples: int) -> None:
    """Wait, take the time, report; print the waits in the end."""
    wire = await Wire.open(url)
    worker = Worker(wire, way)
    await worker.register()
    print("ready", flush=True)
    waits: list[int] = []
    while len(waits) < samples:
        event, at = await worker.take()
        if at:
            waits.append(time.monotonic_ns() - at)
        await worker.tell(event)
    wire.close()
    print(msgspec.json.encode(waits).decode(), flush=True)


async def send(url: str, way: str, warm_up: int, samples: int) -> None:
    """One run at a time, with a pause before each."""
    wire = await Wire.open(url)
    target = {"target": {"nodes": [NODE]}} if way == "pull" else {}
    for number in range(warm_up + samples):
        await asyncio.sleep(random.uniform(0.02, 0.08))
        at = time.monotonic_ns() if number >= warm_up else 0
        body = {"workflow": "latency", "params": {"at": str(at)}, **target}
        (await wire.ask(wire.request("POST", "/api/runs", AS_OPERATOR, body))).json()
    wire.close()


def _token(granted: dict[str, Any]) -> dict[str, Any]:
    return {"job_id": granted["job_id"], "lease_token": granted["lease_token"]}


if __name__ == "__main__":
    url, way, role = sys.argv[1:4]
    warm_up, samples = int(sys.argv[4]), int(sys.argv[5])
    uvloop.run(work(url, way, samples) if role == "work" else send(url, way, warm_up, samples))
