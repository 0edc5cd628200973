"""Devices, as operators see and change them."""

from typing import Annotated, Any, Final
from uuid import UUID

from litestar import Request, get, patch
from litestar.di import NamedDependency
from litestar.params import FromPath, FromQuery, JSONBody, QueryParameter

from corral.api.auth import caller_of
from corral.api.server import Server
from corral.api.window import WINDOW, read_window
from corral.model.records import Device
from corral.model.states import Health, JobStatus
from corral.wire.devices import DeviceChange, DeviceHealth, DeviceJobPage, DevicePage


@get("/api/devices")
async def list_devices(
    server: NamedDependency[Server],
    *,
    node_id: FromQuery[str | None] = None,
    tag: FromQuery[str | None] = None,
    health: FromQuery[Health | None] = None,
    after: Annotated[int, QueryParameter(ge=0, le=2**31 - 1)] = 0,
    limit: Annotated[int, QueryParameter(ge=1, le=5000)] = 1000,
) -> DevicePage:
    """Devices by number: those of a node, with a tag, in a state of health, or all."""
    devices = await server.engine.devices.list(node_id=node_id, tag=tag, health=health, after=after, limit=limit)
    return DevicePage(devices=devices, next=devices[-1].index_no if len(devices) == limit else None)


@get("/api/devices/{device_id:uuid}")
async def get_device(device_id: FromPath[UUID], server: NamedDependency[Server]) -> Device:
    """One device."""
    return await server.engine.devices.get(device_id)


@get("/api/devices/{device_id:uuid}/jobs")
async def list_device_jobs(
    device_id: FromPath[UUID],
    server: NamedDependency[Server],
    *,
    status: Annotated[list[JobStatus] | None, QueryParameter(name="status")] = None,
    before: Annotated[int | None, QueryParameter(ge=0, le=2**63 - 1)] = None,
    limit: Annotated[int, QueryParameter(ge=1, le=200)] = 20,
) -> DeviceJobPage:
    """A device's history: its jobs over all runs, newest first, in these states or in any."""
    await server.engine.devices.get(device_id)
    jobs = await server.engine.device_history.list_jobs(device_id, statuses=status or (), before=before, limit=limit)
    return DeviceJobPage(jobs=jobs, next=jobs[-1].position if len(jobs) == limit else None)


@get("/api/devices/{device_id:uuid}/health")
async def get_device_health(
    device_id: FromPath[UUID],
    server: NamedDependency[Server],
    window: Annotated[str, QueryParameter(pattern=WINDOW)] = "24h",
) -> DeviceHealth:
    """How a device was over the last hours (24h) or days (7d), and what became of its health."""
    history, span = server.engine.device_history, read_window(window)
    await server.engine.devices.get(device_id)
    return DeviceHealth(
        samples=await history.list_samples(device_id, window=span),
        changes=await history.list_health_changes(device_id),
    )


@patch("/api/devices/{device_id:uuid}")
async def update_device(
    device_id: FromPath[UUID],
    data: JSONBody[DeviceChange],
    server: NamedDependency[Server],
    request: Request[Any, Any, Any],
) -> Device:
    """Label, tag, renumber, quarantine or release a device."""
    device = await server.engine.devices.update_device(
        device_id,
        label=data.label,
        tags=data.tags,
        index_no=data.index_no,
        health=data.health,
        health_reason=data.health_reason,
        actor=caller_of(request).actor,
    )
    server.engine.announcements.announce([device.node_id])  # a device released from quarantine may have work waiting
    return device


HANDLERS: Final = [list_devices, get_device, list_device_jobs, get_device_health, update_device]
