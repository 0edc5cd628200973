"""Asking nodes to rediscover their devices."""

from typing import Annotated

from msgspec import Meta, Struct, field

from corral.model.records import Scan
from corral.wire.nodes import NodeId

Address = Annotated[str, Meta(min_length=1, max_length=200)]


class ScanRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which nodes to ask (all live ones by default), and which addresses or ranges to connect to besides."""

    node_ids: Annotated[list[NodeId], Meta(min_length=1, max_length=10_000)] | None = None
    addresses: Annotated[list[Address], Meta(max_length=1000)] = field(default_factory=list)


class Scans(Struct, frozen=True, kw_only=True):
    """One scan per node; an open one is joined."""

    scans: list[Scan]
