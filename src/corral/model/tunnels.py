"""Tunnels to phones that somebody holds, as plain data."""

from uuid import UUID

from msgspec import Struct


class Tunnel(Struct, frozen=True):
    """A tunnel that a node is to open its end of, under the lease that the session's job has."""

    tunnel_id: UUID
    lease_token: UUID


class OpenedTunnel(Struct, frozen=True):
    """A tunnel that waits for its node, for no longer than its session goes on."""

    tunnel_id: UUID
    session_id: UUID
    node_id: str
    left_s: float


class TunnelReview(Struct, frozen=True):
    """Why a tunnel must be cut, if it must, and for how long its session goes on."""

    tunnel_id: UUID
    over: str | None
    left_s: float
