"""Nodes: the machines that the phones are on."""

from uuid import UUID

from corral.client.transport import Transport, part
from corral.model.credentials import NodeToken
from corral.model.records import Node
from corral.wire.credentials import EnrolledNode, NodeTokenList
from corral.wire.devices import FarmStatus
from corral.wire.nodes import Drain


class Nodes:
    """`client.nodes`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def status(self) -> FarmStatus:
        """All nodes, and every device's number with online or offline."""
        return self._transport.get("/api/nodes/status", FarmStatus)

    def drain(self, node_id: str) -> Node:
        """Let a node finish what it holds and get nothing new. Raises UnknownNodeError."""
        return self._drain(node_id, draining=True)

    def undrain(self, node_id: str) -> Node:
        """Let a node get work again. Raises UnknownNodeError."""
        return self._drain(node_id, draining=False)

    def enroll(self, node_id: str) -> EnrolledNode:
        """Give a node a token of its own, told this once. It keeps those that it has."""
        return self._transport.send("POST", f"/api/nodes/{part(node_id)}/enroll", EnrolledNode)

    def list_tokens(self, node_id: str) -> list[NodeToken]:
        """A node's tokens, oldest first, without the tokens themselves."""
        return self._transport.get(f"/api/nodes/{part(node_id)}/tokens", NodeTokenList).tokens

    def revoke_token(self, node_id: str, token_id: UUID | str) -> None:
        """Let a token open nothing any more. Raises NotFoundError."""
        self._transport.delete(f"/api/nodes/{part(node_id)}/tokens/{part(token_id)}")

    def _drain(self, node_id: str, *, draining: bool) -> Node:
        path = f"/api/nodes/{part(node_id)}/drain"
        return self._transport.send("POST", path, Node, Drain(draining=draining), is_repeatable=True)
