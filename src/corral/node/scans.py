"""Scans: what an operator asks a node to look for, once each, and how that went."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence

from corral.drivers.protocol import Driver
from corral.model.errors import CorralError
from corral.model.records import Json
from corral.model.states import Connection
from corral.node.devices import Devices
from corral.node.events import scan_event
from corral.node.spool.spool import Spool
from corral.telemetry import logger

_SHOWN = 20
_log = logger(__name__)


class DoScans:
    """Heartbeats name a scan until its end was acknowledged; it is done once."""

    def __init__(self, drivers: Sequence[Driver], devices: Devices, spool: Spool) -> None:
        self._drivers = drivers
        self._devices = devices
        self._spool = spool
        self._known: set[str] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    def take(self, scans: Iterable[Json]) -> None:
        """Start those that are new."""
        asked = {str(scan["scan_id"]): [str(each) for each in scan.get("addresses") or []] for scan in scans}
        for scan_id in asked.keys() - self._known:
            task = asyncio.create_task(self._scan(scan_id, asked[scan_id]))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        self._known = set(asked)

    async def _scan(self, scan_id: str, addresses: list[str]) -> None:
        self._spool.put(
            scan_event("scan_progress", scan_id, found=self._count(), progress={"addresses": len(addresses)})
        )
        failed: list[str] = []
        told: str | None = None
        try:
            for driver in self._drivers:
                failed += await driver.discover(addresses)
        except CorralError as error:
            told = error.message
        except Exception:  # noqa: BLE001 - a driver of somebody else's: its defect costs this scan alone
            _log.exception("a scan broke")
            told = "the scan broke; the node's log says why"
        progress = {"addresses": len(addresses), "failed": len(failed), "problems": failed[:_SHOWN]}
        finished = scan_event("scan_finished", scan_id, found=self._count(), progress=progress, error_message=told)
        self._spool.put(finished)

    def _count(self) -> int:
        return sum(device.connection is not Connection.GONE for device in self._devices.list_all())
