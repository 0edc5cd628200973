"""Nodes' own tokens: enrolling a node, and taking that back."""

from typing import Any, Final
from uuid import UUID

from litestar import Request, delete, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath

from corral.api.auth import caller_of
from corral.api.server import Server
from corral.wire.credentials import EnrolledNode, NodeTokenList
from corral.wire.nodes import NodeId


@post("/api/nodes/{node_id:str}/enroll")
async def enroll_node(
    node_id: FromPath[NodeId], server: NamedDependency[Server], request: Request[Any, Any, Any]
) -> EnrolledNode:
    """Give a node a token of its own, for X-Node-Auth. The node may be unknown yet, and keeps the tokens that it has."""
    token, details = await server.engine.node_tokens.enroll_node(node_id, actor=caller_of(request).actor)
    return EnrolledNode(token=token, details=details)


@get("/api/nodes/{node_id:str}/tokens")
async def list_node_tokens(node_id: FromPath[NodeId], server: NamedDependency[Server]) -> NodeTokenList:
    """A node's tokens, without the tokens themselves."""
    return NodeTokenList(tokens=await server.engine.node_tokens.list(node_id))


@delete("/api/nodes/{node_id:str}/tokens/{token_id:uuid}")
async def revoke_node_token(
    node_id: FromPath[NodeId],
    token_id: FromPath[UUID],
    server: NamedDependency[Server],
    request: Request[Any, Any, Any],
) -> None:
    """Let a token open nothing any more, on every server within a second. Repeating it is safe."""
    await server.engine.node_tokens.revoke_node_token(node_id, token_id, actor=caller_of(request).actor)


HANDLERS: Final = [enroll_node, list_node_tokens, revoke_node_token]
