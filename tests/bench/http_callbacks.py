"""Promise: a callback over HTTP keeps half of the throughput of the same call of the gateway.

Both sides send the same events, made beforehand, on behalf of the same number of nodes at once. The gateway is called
in this process; over HTTP, this process only sends, and one server process does what it is asked to.
"""

import asyncio
import time
from collections.abc import Coroutine
from statistics import median
from typing import Any
from uuid import uuid4

from corral.engine import Engine
from corral.model.records import Grant, Json
from tests.api.client import AS_NODE
from tests.bench.report import Check
from tests.bench.wire import Wire

CLIENTS = 4
BATCH = 20
SHARE = 0.5


class BusyNode:
    """A node that holds jobs and tells of their steps, one event for each in every callback."""

    def __init__(self, engine: Engine, node_id: str, grants: list[Grant]) -> None:
        self._engine = engine
        self.node_id = node_id
        self._grants = grants
        self._told = 1

    @classmethod
    async def start(cls, engine: Engine, node_id: str) -> "BusyNode":
        grants = await engine.nodes.pull_job(node_id, epoch=1, want=BATCH, request_id=uuid4())
        node = cls(engine, node_id, grants)
        await engine.events.apply_node_events(node_id, [node._event(grant, "job_started") for grant in grants])
        return node

    async def renew(self) -> None:
        await self._engine.nodes.heartbeat(self.node_id, epoch=1, held=[grant.lease_token for grant in self._grants])

    def make_callbacks(self, count: int) -> list[list[Json]]:
        """The next callbacks: steps that start and succeed, in turn."""
        made = []
        for _ in range(count):
            self._told += 1
            step = {"step": f"step-{self._told // 2}", "position": self._told // 2}
            kind, more = ("step_started", {}) if self._told % 2 == 0 else ("step_finished", {"status": "succeeded"})
            made.append([self._event(grant, kind, **step, **more) for grant in self._grants])
        return made

    def _event(self, grant: Grant, kind: str, **fields: object) -> Json:
        job = {"job_id": str(grant.job_id), "lease_token": str(grant.lease_token)}
        return {"event_id": str(uuid4()), **job, "seq": self._told, "type": kind, **fields}


async def check_callbacks(engine: Engine, url: str, *, rounds: int, seconds: int) -> Check:
    """Gateway and HTTP in turn, so that a noisy neighbour hits both."""
    nodes = [await BusyNode.start(engine, f"node-{n}") for n in range(1, 2 * CLIENTS + 1)]
    wires = [await Wire.open(url) for _ in range(CLIENTS)]
    count = 100 * seconds
    gateway, http = [], []
    for number in range(1, rounds + 1):
        for node in nodes:
            await node.renew()
        gateway.append(
            await _measure([_call_gateway(engine, node, node.make_callbacks(count)) for node in nodes[:CLIENTS]])
        )
        http.append(
            await _measure(
                [
                    _call_server(wire, [_to_request(wire, node, events) for events in node.make_callbacks(count)])
                    for wire, node in zip(wires, nodes[CLIENTS:], strict=True)
                ]
            )
        )
        share = http[-1] / gateway[-1]
        print(f"  round {number}: gateway {gateway[-1]:,.0f} events/s, HTTP {http[-1]:,.0f}, {share:.0%}", flush=True)
    for wire in wires:
        wire.close()
    share = median(http) / median(gateway)
    return Check(
        name=f"callbacks of {BATCH} events over HTTP: {CLIENTS} clients, one server process, share of the gateway's",
        found=f"{share:.0%}",
        target=f">= {SHARE:.0%}",
        is_kept=share >= SHARE,
    )


async def _measure(callers: list[Coroutine[Any, Any, int]]) -> float:
    """Events per second, from the moment that all begin."""
    started_at = time.perf_counter()
    callbacks = await asyncio.gather(*callers)
    return BATCH * sum(callbacks) / (time.perf_counter() - started_at)


async def _call_gateway(engine: Engine, node: BusyNode, callbacks: list[list[Json]]) -> int:
    for events in callbacks:
        results = await engine.events.apply_node_events(node.node_id, events)
        _check(sum(result.outcome == "applied" for result in results))
    return len(callbacks)


async def _call_server(wire: Wire, requests: list[bytes]) -> int:
    for request in requests:
        _check((await wire.ask(request)).body.count(b'"applied"'))
    return len(requests)


def _to_request(wire: Wire, node: BusyNode, events: list[Json]) -> bytes:
    return wire.request("POST", "/api/nodes/callback", AS_NODE, {"node_id": node.node_id, "events": events})


def _check(applied: int) -> None:
    if applied != BATCH:
        raise RuntimeError(f"{applied} of {BATCH} events were applied")
