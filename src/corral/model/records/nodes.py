"""Nodes: what registering, beating and asking for work tell them, and what is known of them."""

from datetime import datetime
from uuid import UUID

from msgspec import Struct

from corral.model.records.values import Json
from corral.model.states import ScanStatus


class Registration(Struct, frozen=True):
    """A node's registration: the epoch that its calls must carry from now on."""

    epoch: int
    lease_s: float
    requeued: int


class Heartbeat(Struct, frozen=True):
    """What a heartbeat tells the node: how long it may go on, what it must stop, cancel or scan, what it got wrong."""

    lease_s: float
    lost: list[UUID]
    cancel: list[UUID]
    scans: list[Json]
    draining: bool
    refused: list[str]


class News(Struct, frozen=True):
    """Why a node's waiting pull should be answered: work to be granted, tokens whose work should stop, screens to show.

    `inputs` says how far what holders did to their phones goes, by lease token; `tunnels` are those that wait for it.
    """

    node_id: str
    has_work: bool
    cancel: list[UUID]
    watch: list[UUID] = []
    inputs: dict[UUID, int] = {}
    tunnels: list[UUID] = []


class Node(Struct, frozen=True):
    """A machine that runs work."""

    node_id: str
    name: str
    capabilities: list[str]
    labels: Json
    max_concurrency: int
    lookahead: int
    epoch: int
    lease_until: datetime
    version: str | None
    meta: Json
    draining: bool
    registered_at: datetime
    last_heartbeat_at: datetime
    online: bool


class Scan(Struct, frozen=True):
    """A request to a node to rediscover its devices."""

    scan_id: UUID
    node_id: str
    status: ScanStatus
    addresses: list[str]
    found: int
    progress: Json
    error_message: str | None
    requested_by: str | None
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
