"""The node contract, and nodes as operators see them."""

import asyncio
from collections import Counter
from typing import Any, Final

import msgspec
from litestar import Request, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody

from corral.api.auth import caller_of, check_speaks_for
from corral.api.long_poll import first_of, until_gone
from corral.api.server import Server
from corral.engine.announce import STEPS, WORK
from corral.model.records import Device, Heartbeat, Node, Registration
from corral.model.states import EventOutcome
from corral.telemetry import bound
from corral.wire.devices import DeviceStatus, FarmStatus
from corral.wire.nodes import Beat, Callback, CallbackReply, Drain, NodeId, Pull, Pulled, Register


@post("/api/nodes/register", status_code=200)
async def register_node(
    data: JSONBody[Register], server: NamedDependency[Server], request: Request[Any, Any, Any]
) -> Registration:
    """Start a new epoch of a node; its calls must carry it from now on."""
    check_speaks_for(request, data.node_id)
    with bound(node_id=data.node_id):
        return await server.engine.nodes.register_node(
            data.node_id,
            name=data.name,
            capabilities=data.capabilities,
            labels=data.labels,
            max_concurrency=data.max_concurrency,
            lookahead=data.lookahead,
            version=data.version,
            meta=data.meta,
            state_id=data.state_id,
        )


@post("/api/nodes/heartbeat", status_code=200)
async def heartbeat(
    data: JSONBody[Beat], server: NamedDependency[Server], request: Request[Any, Any, Any]
) -> Heartbeat:
    """Renew everything that a node holds; report what changed of its devices."""
    check_speaks_for(request, data.node_id)
    devices = [msgspec.to_builtins(device) for device in data.devices]
    nodes = server.engine.nodes
    with bound(node_id=data.node_id):
        if data.draining is not None:
            actor = f"node:{data.node_id}"
            await nodes.drain_node(data.node_id, draining=data.draining, actor=actor, epoch=data.epoch)
        if data.is_complete:
            await nodes.report_devices(data.node_id, epoch=data.epoch, devices=devices, is_complete=True)
            devices = []
        reply = await nodes.heartbeat(data.node_id, epoch=data.epoch, held=data.held, devices=devices)
    if data.devices:  # a device that came back may have work waiting
        server.engine.announcements.announce([data.node_id])
    return reply


@post("/api/nodes/pull", status_code=200)
async def pull_job(data: JSONBody[Pull], server: NamedDependency[Server], request: Request[Any, Any, Any]) -> Pulled:
    """Lease jobs to a node; waits up to `wait_s` for work or a cancel, and then answers empty."""
    check_speaks_for(request, data.node_id)
    loop = asyncio.get_running_loop()
    deadline = loop.time() + data.wait_s
    gone = asyncio.create_task(until_gone(request))
    wait = server.waiting.wait(
        data.node_id,
        wants_work=data.want > 0,
        cancelling=frozenset(data.cancelling),
        watching=None if data.watching is None else frozenset(data.watching),
        inputs_taken=data.inputs_taken,
        tunnelling=None if data.tunnelling is None else frozenset(data.tunnelling),
    )
    try:
        with bound(node_id=data.node_id), wait as waiter:
            while True:
                waiter.news.clear()
                pulled = await _pull_now(data, server)
                left_s = deadline - loop.time()
                is_news = pulled.jobs or pulled.cancel or pulled.watch or pulled.inputs or pulled.tunnels
                if is_news or server.waiting.is_over(waiter) or left_s <= 0 or gone.done():
                    return pulled
                await first_of(waiter.news, gone, timeout_s=left_s)
                if gone.done() or server.waiting.is_over(waiter):  # looking again would grant jobs to nobody
                    return pulled
                await server.doorkeeper.check_still_good(caller_of(request))
    finally:
        gone.cancel()


@post("/api/nodes/callback", status_code=200)
async def apply_node_events(
    data: JSONBody[Callback], server: NamedDependency[Server], request: Request[Any, Any, Any]
) -> CallbackReply:
    """Take in what happened. Each event is answered; those answered are committed, and may be sent again safely."""
    check_speaks_for(request, data.node_id)
    events = [event if isinstance(event, dict) else {} for event in data.events]
    with bound(node_id=data.node_id):
        results = await server.committer.apply(data.node_id, events)
    server.metrics.count_events(Counter(str(result.outcome) for result in results))
    if any(
        result.outcome is EventOutcome.APPLIED and event.get("type") == "job_finished"
        for event, result in zip(events, results, strict=True)
    ):  # the device's next job may start, and this node's pull may wait at another process
        server.engine.announcements.announce([WORK + data.node_id])
    # A step of a device is told with its position, and readies no other.
    if any(event.get("type") == "step_finished" and "position" not in event for event in events):
        server.engine.announcements.announce([STEPS])
    return CallbackReply(results=results)


@post("/api/nodes/{node_id:str}/drain", status_code=200)
async def drain_node(
    node_id: FromPath[NodeId], data: JSONBody[Drain], server: NamedDependency[Server], request: Request[Any, Any, Any]
) -> Node:
    """Let a node finish what it holds and get nothing new, or take that back."""
    with bound(node_id=node_id):
        await server.engine.nodes.drain_node(node_id, draining=data.draining, actor=caller_of(request).actor)
    server.engine.announcements.announce([node_id])
    return await server.engine.nodes.get(node_id)


@get("/api/nodes/status")
async def get_nodes_status(server: NamedDependency[Server]) -> FarmStatus:
    """Which nodes and devices are online, by the devices' numbers."""
    devices: list[DeviceStatus] = []
    after = 0
    while page := await server.engine.devices.list(after=after, limit=_PAGE):
        devices.extend(_status(device) for device in page)
        after = page[-1].index_no
        if len(page) < _PAGE:
            break
    return FarmStatus(nodes=await server.engine.nodes.list(), devices=devices)


HANDLERS: Final = [register_node, heartbeat, pull_job, apply_node_events, drain_node, get_nodes_status]
_PAGE: Final = 5000


async def _pull_now(data: Pull, server: Server) -> Pulled:
    engine = server.engine
    jobs = await engine.nodes.pull_job(data.node_id, epoch=data.epoch, want=data.want, request_id=data.request_id)
    cancel = set(await engine.nodes.list_cancels(data.node_id)).difference(data.cancelling)
    unknown = {job.run_id for job in jobs}.difference(data.known_runs)
    runs = await engine.runs.list_run_specs(sorted(unknown)) if unknown else []
    watches = [] if data.watching is None else await engine.pictures.list_watches(data.node_id)
    watch = [each for each in watches if each.device_id not in set(data.watching or ())]
    taken = data.inputs_taken
    inputs = [] if taken is None else await engine.reservations.list_inputs(data.node_id, taken=taken)
    waiting = [] if data.tunnelling is None else await engine.tunnels.list_tunnels(data.node_id)
    tunnels = [each for each in waiting if each.tunnel_id not in set(data.tunnelling or ())]
    return Pulled(jobs=jobs, runs=runs, cancel=sorted(cancel), watch=watch, inputs=inputs, tunnels=tunnels)


def _status(device: Device) -> DeviceStatus:
    return DeviceStatus(
        index=device.index_no,
        status="online" if device.online else "offline",
        device_id=str(device.device_id),
        node_id=device.node_id,
        serial=device.serial,
        health=device.health,
    )
