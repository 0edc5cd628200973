"""Scans: asking nodes to rediscover their devices."""

from typing import Any, Final
from uuid import UUID

from litestar import Request, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody

from corral.api.auth import caller_of
from corral.api.server import Server
from corral.model.records import Scan
from corral.wire.scans import ScanRequest, Scans


@post("/api/nodes/scan", status_code=202)
async def request_scan(
    data: JSONBody[ScanRequest], server: NamedDependency[Server], request: Request[Any, Any, Any]
) -> Scans:
    """Ask nodes to rediscover their devices; they hear of it with their next heartbeat."""
    scans = await server.engine.scans.request_scan(
        data.node_ids, addresses=data.addresses, actor=caller_of(request).actor
    )
    return Scans(scans=scans)


@get("/api/scans/{scan_id:uuid}")
async def get_scan(scan_id: FromPath[UUID], server: NamedDependency[Server]) -> Scan:
    """How far a scan has come."""
    return await server.engine.scans.get(scan_id)


HANDLERS: Final = [request_scan, get_scan]
