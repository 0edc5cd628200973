"""Nodes: registering, heartbeats, pulls."""

from collections.abc import Sequence
from uuid import UUID

from corral.engine.database import Database, to_record, to_records
from corral.model.errors import UnknownNodeError
from corral.model.records import Grant, Heartbeat, Json, News, Node, Registration


class Nodes:
    """The machines that run work."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def register_node(
        self,
        node_id: str,
        *,
        name: str | None = None,
        capabilities: Sequence[str] = (),
        labels: Json | None = None,
        max_concurrency: int = 20,
        lookahead: int = 20,
        version: str | None = None,
        meta: Json | None = None,
        state_id: str | None = None,
    ) -> Registration:
        """Start a new epoch of the node. The same `state_id` as before proves that the predecessor is dead."""
        row = await self._database.fetch_only(
            "select * from corral.fn_register_node($1, $2, $3, $4, $5, $6, $7, $8, $9)",
            node_id,
            name,
            list(capabilities),
            labels,
            max_concurrency,
            lookahead,
            version,
            meta,
            state_id,
        )
        return to_record(row, Registration)

    async def heartbeat(
        self, node_id: str, *, epoch: int, held: Sequence[UUID] = (), devices: Sequence[Json] = ()
    ) -> Heartbeat:
        """Renew what the node holds; name every token whose job_finished was not acknowledged yet.

        Raises StaleEpochError (the caller must stop) and UnknownNodeError.
        """
        row = await self._database.fetch_only(
            "select * from corral.fn_heartbeat($1, $2, $3, $4)", node_id, epoch, list(held), list(devices)
        )
        return to_record(row, Heartbeat)

    async def report_devices(
        self, node_id: str, *, epoch: int, devices: Sequence[Json], is_complete: bool = False
    ) -> int:
        """Take in what the node sees. With `is_complete`, devices of it that are not listed are gone."""
        changed: int = await self._database.fetch_value(
            "select corral.fn_report_devices($1, $2, $3, $4)", node_id, epoch, list(devices), is_complete
        )
        return changed

    async def pull_job(self, node_id: str, *, epoch: int, want: int, request_id: UUID | None = None) -> list[Grant]:
        """Lease up to `want` jobs to the node. Repeating a `request_id` returns what it already got."""
        rows = await self._database.fetch(
            "select * from corral.fn_pull_job($1, $2, $3, $4)", node_id, epoch, want, request_id
        )
        return to_records(rows, Grant)

    async def list_cancels(self, node_id: str) -> list[UUID]:
        """The tokens that the node holds and whose work should stop."""
        tokens: list[UUID] = await self._database.fetch_value("select corral.fn_list_cancels($1)", node_id)
        return tokens

    async def list_news(self, node_ids: Sequence[str]) -> list[News]:
        """Of these nodes, those whose waiting pull should be answered."""
        return to_records(await self._database.fetch("select * from corral.fn_list_news($1)", list(node_ids)), News)

    async def drain_node(
        self, node_id: str, *, draining: bool = True, actor: str | None = None, epoch: int | None = None
    ) -> None:
        """Give the node nothing new, or take that back. With `epoch` it is the node itself that asks.

        Raises UnknownNodeError and, for the node itself, StaleEpochError.
        """
        await self._database.fetch_value("select corral.fn_drain_node($1, $2, $3, $4)", node_id, draining, actor, epoch)

    async def get(self, node_id: str) -> Node:
        """Raises UnknownNodeError."""
        row = await self._database.fetch_one("select * from corral.node_states where node_id = $1", node_id)
        if row is None:
            message = f"node {node_id} is not registered"
            raise UnknownNodeError(message, path="node_id")
        return to_record(row, Node)

    async def list(self) -> list[Node]:
        """All nodes, by id."""
        return to_records(await self._database.fetch("select * from corral.node_states order by node_id"), Node)
