"""Devices and nodes, as operators see and change them."""

from typing import Annotated

from msgspec import Meta, Struct

from corral.model.records import Device, DeviceJob, DeviceSample, HealthChange, Node
from corral.model.states import Health


class DevicePage(Struct, frozen=True, kw_only=True):
    """Devices by number; `next` is the `after` of the following page, null on the last."""

    devices: list[Device]
    next: int | None


class DeviceJobPage(Struct, frozen=True, kw_only=True):
    """A device's jobs, newest first; `next` is the `before` of the following page, null on the last."""

    jobs: list[DeviceJob]
    next: int | None


class DeviceHealth(Struct, frozen=True, kw_only=True):
    """How a device was, oldest first, and what became of its health, newest first."""

    samples: list[DeviceSample]
    changes: list[HealthChange]


class DeviceChange(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What to change; what is left out stays. A quarantine needs a reason; another device's number swaps the two."""

    label: Annotated[str, Meta(max_length=200)] | None = None
    tags: Annotated[list[Annotated[str, Meta(min_length=1, max_length=100)]], Meta(max_length=100)] | None = None
    index_no: Annotated[int, Meta(ge=1, le=2**31 - 1)] | None = None
    health: Health | None = None
    health_reason: Annotated[str, Meta(max_length=2000)] | None = None


class DeviceStatus(Struct, frozen=True, kw_only=True):
    """One tile of the heatmap."""

    index: int
    status: str
    device_id: str
    node_id: str
    serial: str
    health: str


class FarmStatus(Struct, frozen=True, kw_only=True):
    """All nodes, and every device's number with online or offline."""

    nodes: list[Node]
    devices: list[DeviceStatus]
