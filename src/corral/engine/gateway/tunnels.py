"""Tunnels: which holders wait for which nodes, and at which server process."""

from collections.abc import Collection
from datetime import timedelta
from uuid import UUID

from msgspec import Struct

from corral.config import Secret
from corral.engine.database import Database, to_record, to_records
from corral.model.tunnels import OpenedTunnel, Tunnel, TunnelReview


class Meeting(Struct, frozen=True):
    """Where the other end of a tunnel is, and what proves there that this one belongs to it."""

    server_id: UUID
    peer_address: str
    secret: Secret


class Tunnels:
    """The ways to phones that are held, and the server processes that carry them."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def hear_server(self, server_id: UUID, peer_address: str) -> None:
        """A server process runs, and others reach it there."""
        await self._database.fetch_value("select corral.fn_hear_server($1, $2)", server_id, peer_address)

    async def forget_server(self, server_id: UUID) -> None:
        """A server process stops."""
        await self._database.fetch_value("select corral.fn_forget_server($1)", server_id)

    async def forget_silent_servers(self, silent_for: timedelta) -> int:
        """Forget server processes that were not heard of for so long, and their tunnels; how many."""
        count: int = await self._database.fetch_value("select corral.fn_forget_silent_servers($1)", silent_for)
        return count

    async def open_tunnel(self, session_id: UUID, *, server_id: UUID, secret: Secret, actor: str) -> OpenedTunnel:
        """Have a holder's end wait for its node. Raises NotFoundError, ConflictError, ForbiddenError."""
        row = await self._database.fetch_only(
            "select * from corral.fn_open_tunnel($1, $2, $3, $4)", session_id, server_id, secret.reveal(), actor
        )
        return to_record(row, OpenedTunnel)

    async def list_tunnels(self, node_id: str) -> list[Tunnel]:
        """The tunnels that wait for a node."""
        return to_records(await self._database.fetch("select * from corral.fn_list_tunnels($1)", node_id), Tunnel)

    async def join_tunnel(self, tunnel_id: UUID, node_id: str) -> Meeting:
        """The node's end is here: where to bring it. Raises NotFoundError where nobody waits for it."""
        row = await self._database.fetch_only("select * from corral.fn_join_tunnel($1, $2)", tunnel_id, node_id)
        return Meeting(row["server_id"], row["peer_address"], Secret(row["secret"]))

    async def close_tunnel(self, tunnel_id: UUID) -> None:
        """The holder's end is gone."""
        await self._database.fetch_value("select corral.fn_close_tunnel($1)", tunnel_id)

    async def review_tunnels(self, tunnel_ids: Collection[UUID]) -> list[TunnelReview]:
        """Which of these must be cut, and why."""
        rows = await self._database.fetch("select * from corral.fn_review_tunnels($1)", list(tunnel_ids))
        return to_records(rows, TunnelReview)
