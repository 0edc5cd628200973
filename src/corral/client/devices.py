"""Devices: the phones, and what a person may change about them."""

from collections.abc import Iterator, Sequence
from uuid import UUID

from corral.client.paging import each_of
from corral.client.transport import Transport
from corral.model.errors import NotFoundError
from corral.model.records import Device, DeviceJob, Json
from corral.model.states import Health, JobStatus
from corral.wire.devices import DeviceHealth, DeviceJobPage, DevicePage


class Devices:
    """`client.devices`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def get(self, device_id: UUID | str) -> Device:
        """One device by its id. Raises NotFoundError."""
        return self._transport.get(f"/api/devices/{UUID(str(device_id))}", Device)

    def find(self, ref: str | int) -> Device:
        """One device by its number, its serial or its id. Raises NotFoundError."""
        text = str(ref)
        try:
            return self.get(UUID(text))
        except ValueError:
            pass
        if text.isascii() and text.isdecimal() and len(text) < 10:  # noqa: PLR2004 - a number has no more digits
            for device in self.list(after=max(0, int(text) - 1), most=1):
                if device.index_no == int(text):
                    return device
        for device in self.list():
            if device.serial == text:
                return device
        raise NotFoundError(f"no device has the number, serial or id {text}", path="device")

    def list_jobs(
        self, device_id: UUID | str, *, statuses: Sequence[JobStatus] = (), most: int | None = None
    ) -> Iterator[DeviceJob]:
        """Its history: its jobs over all runs, newest first, in these states or in any."""
        query = {"status": [*statuses], "limit": None if most is None else min(most, 200)}

        def ask(place: int | None) -> "tuple[list[DeviceJob], int | None]":
            page = self._transport.get(f"/api/devices/{device_id}/jobs", DeviceJobPage, {**query, "before": place})
            return page.jobs, page.next

        return each_of(ask, most=most)

    def get_health(self, device_id: UUID | str, *, window: str = "24h") -> DeviceHealth:
        """How it was over the last hours (`24h`) or days (`7d`), and what became of its health."""
        return self._transport.get(f"/api/devices/{device_id}/health", DeviceHealth, {"window": window})

    def update(
        self,
        device_id: UUID | str,
        *,
        label: str | None = None,
        tags: Sequence[str] | None = None,
        index_no: int | None = None,
        health: Health | None = None,
        health_reason: str | None = None,
    ) -> Device:
        """Label, tag, renumber, quarantine or release a device; what is left out stays."""
        change: Json = {"label": label, "index_no": index_no, "health": health, "health_reason": health_reason}
        change["tags"] = None if tags is None else [*tags]
        told = {name: value for name, value in change.items() if value is not None}
        return self._transport.send("PATCH", f"/api/devices/{device_id}", Device, told, is_repeatable=True)

    def quarantine(self, device_id: UUID | str, *, reason: str) -> Device:
        """Take a device out of service."""
        return self.update(device_id, health=Health.QUARANTINED, health_reason=reason)

    def release(self, device_id: UUID | str) -> Device:
        """Put a device back into service."""
        return self.update(device_id, health=Health.OK)

    def list(
        self,
        *,
        node_id: str | None = None,
        tag: str | None = None,
        health: Health | None = None,
        after: int = 0,
        most: int | None = None,
    ) -> Iterator[Device]:
        """Devices by number: those of a node, with a tag, in a state of health, or all."""
        query = {"node_id": node_id, "tag": tag, "health": health, "limit": None if most is None else min(most, 5000)}

        def ask(place: int | None) -> "tuple[list[Device], int | None]":
            page = self._transport.get(
                "/api/devices", DevicePage, {**query, "after": after if place is None else place}
            )
            return page.devices, page.next

        return each_of(ask, most=most)
