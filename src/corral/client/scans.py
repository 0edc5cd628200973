"""Scans: asking nodes to rediscover their devices."""

import time
from collections.abc import Iterable, Sequence
from uuid import UUID

from corral.client.transport import Transport
from corral.model.errors import WaitTimeoutError
from corral.model.records import Json, Scan
from corral.model.states import ScanStatus
from corral.wire.scans import Scans as StartedScans


class Scans:
    """`client.scans`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def start(self, node_ids: Sequence[str] | None = None, *, addresses: Sequence[str] = ()) -> list[Scan]:
        """Ask these nodes, or all live ones, to look for devices, and to connect to addresses or ranges besides."""
        request: Json = {"addresses": [*addresses]}
        if node_ids:
            request["node_ids"] = [*node_ids]
        return self._transport.send("POST", "/api/nodes/scan", StartedScans, request, is_repeatable=True).scans

    def get(self, scan_id: UUID | str) -> Scan:
        """How far a scan has come. Raises NotFoundError."""
        return self._transport.get(f"/api/scans/{scan_id}", Scan)

    def wait(self, scans: Iterable[Scan], *, timeout_s: float = 60.0, every_s: float = 0.5) -> list[Scan]:
        """The scans once they have ended, however they did. Raises WaitTimeoutError."""
        deadline = time.monotonic() + timeout_s
        ended: list[Scan] = []
        for begun in scans:
            scan = begun
            while scan.status not in {ScanStatus.SUCCEEDED, ScanStatus.FAILED}:
                if time.monotonic() > deadline:
                    raise WaitTimeoutError(f"the scan of node {scan.node_id} has not ended within {timeout_s:g} s")
                time.sleep(every_s)
                scan = self.get(scan.scan_id)
            ended.append(scan)
        return ended
