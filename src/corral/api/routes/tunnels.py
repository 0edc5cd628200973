"""Tunnels: a holder's way to the adb of the phone, met by the node's, wherever each arrives."""

import asyncio
from typing import Any, Final, NoReturn
from uuid import UUID

from litestar import WebSocket, websocket
from litestar.di import NamedDependency
from litestar.params import FromPath

from corral.api.auth import caller_of, check_door, check_speaks_for, knock_of
from corral.api.doors import door_of
from corral.api.server import Server
from corral.api.tunnels.ends import End, EndClosedError, SocketEnd, relay
from corral.api.tunnels.hub import Waiting
from corral.api.tunnels.peers import handing_over
from corral.model.errors import ConflictError, CorralError
from corral.telemetry import bound, logger
from corral.wire.nodes import NodeId

MEET_S: Final = 15.0
_LOOK_EVERY_S: Final = 5.0
_REVOKED: Final = 4401
_DOOR: Final = ("WEBSOCKET", "/api/sessions/{session_id}/adb")
_log = logger(__name__)


@websocket("/api/sessions/{session_id:uuid}/adb")
async def open_tunnel(
    session_id: FromPath[UUID], socket: WebSocket[Any, Any, Any], server: NamedDependency[Server]
) -> None:
    """Carry the adb of the phone that a session has: adb's own bytes, in binary frames. Its holder's alone.

    Refused before it is accepted: 404, 403 (another's session), 409 (no phone, no adb, a node that does not come). It is
    closed with 4409 and the reason when the session ends.
    """
    actor, hub = caller_of(socket).actor or "", server.tunnels
    secret = hub.make_secret()
    tunnel = await server.engine.tunnels.open_tunnel(session_id, server_id=hub.server_id, secret=secret, actor=actor)
    with bound(node_id=tunnel.node_id), hub.holding(tunnel, secret) as waiting:
        try:
            server.engine.announcements.announce([tunnel.node_id])
            node_end = await _meet(waiting)
            await socket.accept()
            await _carry(SocketEnd(socket), node_end, waiting=waiting, server=server, socket=socket)
        finally:
            await server.engine.tunnels.close_tunnel(tunnel.tunnel_id)


@websocket("/api/nodes/{node_id:str}/tunnels/{tunnel_id:uuid}")
async def join_tunnel(
    node_id: FromPath[NodeId],
    tunnel_id: FromPath[UUID],
    socket: WebSocket[Any, Any, Any],
    server: NamedDependency[Server],
) -> None:
    """The node's end of a tunnel that its pull named. 404 where nobody waits for it any more."""
    check_speaks_for(socket, node_id)
    meeting = await server.engine.tunnels.join_tunnel(tunnel_id, node_id)
    with bound(node_id=node_id):
        if meeting.server_id != server.tunnels.server_id:
            async with handing_over(tunnel_id, meeting) as peer:
                await socket.accept()
                await _join(SocketEnd(socket), peer)
            return
        waiting = server.tunnels.find(tunnel_id)
        if waiting is None:
            _refuse_late()
        await socket.accept()
        end = SocketEnd(socket)
        if not waiting.bring(end):
            await end.close(1001, "the other end has gone")
            return
        await waiting.left.wait()


HANDLERS: Final = [open_tunnel, join_tunnel]


async def _meet(waiting: Waiting) -> End:
    """The node's end. Raises ConflictError where it does not come in time, or the session ends first."""
    either: set[asyncio.Future[Any]] = {waiting.node_end, waiting.over}
    await asyncio.wait(either, timeout=MEET_S, return_when=asyncio.FIRST_COMPLETED)
    if waiting.over.done():
        raise ConflictError(waiting.over.result().reason, path="session_id")
    if not waiting.node_end.done():
        raise ConflictError(f"the phone's node did not open its end within {MEET_S:g} s", path="session_id")
    return waiting.node_end.result()


async def _carry(holder: End, node: End, *, waiting: Waiting, server: Server, socket: WebSocket[Any, Any, Any]) -> None:
    """Until an end is gone, the session is over, or the holder's credential is no longer good; then close both."""
    carrying = asyncio.create_task(relay(holder, node))
    looking = asyncio.create_task(_until_revoked(server, socket))
    try:
        await asyncio.wait({carrying, looking, waiting.over}, return_when=asyncio.FIRST_COMPLETED)
        first: asyncio.Future[EndClosedError] = next(each for each in (waiting.over, carrying, looking) if each.done())
        closed = first.result()
    finally:
        for task in (carrying, looking):
            task.cancel()
        await asyncio.gather(carrying, looking, return_exceptions=True)
    _log.info("a tunnel was closed", code=closed.code, why=closed.reason)
    # The phone first: what must not go on must not wait for somebody who does not read.
    await node.close(closed.code, closed.reason)
    await holder.close(closed.code, closed.reason)


async def _join(node: End, peer: End) -> None:
    closed = await relay(node, peer)
    await node.close(closed.code, closed.reason)
    await peer.close(closed.code, closed.reason)


async def _until_revoked(server: Server, socket: WebSocket[Any, Any, Any]) -> EndClosedError:
    knock = knock_of(socket)
    while True:
        await asyncio.sleep(_LOOK_EVERY_S)
        try:
            check_door(door_of(*_DOOR), await server.doorkeeper.identify(knock))
        except CorralError as error:
            return EndClosedError(_REVOKED, error.message)


def _refuse_late() -> NoReturn:
    raise ConflictError("the other end of the tunnel has gone", path="tunnel_id")
