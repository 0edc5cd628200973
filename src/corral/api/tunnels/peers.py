"""Other server processes: where they hand over the nodes' ends of tunnels that are ours, and how we hand over theirs.

Each process listens on a port of its own, since those of one server share the port that callers use. Whoever connects
there must show the secret of a tunnel that waits here, which only the database tells; there is nothing else to be had.
"""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import Final
from uuid import UUID

from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import WebSocketException
from websockets.http11 import Request, Response

from corral.api.tunnels.ends import GOING_AWAY, MOST_FRAME_BYTES, PeerEnd
from corral.api.tunnels.hub import TunnelHub, Waiting
from corral.engine import Engine
from corral.engine.gateway.tunnels import Meeting
from corral.model.errors import ConflictError, CorralError
from corral.sockets import DirectConnect
from corral.telemetry import logger

HEAR_EVERY_S: Final = 5.0
_HEADER: Final = "X-Corral-Tunnel"
_CONNECT_S: Final = 5.0
_MOST_QUEUED: Final = 4
_GOODBYE_S: Final = 2.0
_WILDCARDS: Final = frozenset({"0.0.0.0", "::", ""})  # noqa: S104 - compared with, not bound to
_log = logger(__name__)


class Peers:
    """This process as others of the same database see it."""

    def __init__(self, hub: TunnelHub, *, host: str, peer_host: str = "") -> None:
        self._hub = hub
        self._host = host
        self._peer_host = peer_host or (socket.gethostname() if host in _WILDCARDS else host)

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[str]:
        """Take what is handed over, for the length of a block; the address to do so."""
        async with serve(
            self._serve,
            self._host or None,
            0,
            process_request=self._check,
            max_size=MOST_FRAME_BYTES,
            max_queue=_MOST_QUEUED,
            compression=None,
            open_timeout=_CONNECT_S,
            close_timeout=1,
        ) as server:
            port = next(iter(server.sockets)).getsockname()[1]
            host = f"[{self._peer_host}]" if ":" in self._peer_host else self._peer_host
            yield f"{host}:{port}"

    def _check(self, connection: ServerConnection, request: Request) -> Response | None:
        waiting = self._find(request)
        shown = "".join(request.headers.get_all(_HEADER)).encode(errors="replace")
        if waiting is None or not hmac.compare_digest(shown, waiting.secret.reveal().encode()):
            return connection.respond(HTTPStatus.NOT_FOUND, "no such tunnel\n")
        return None

    async def _serve(self, connection: ServerConnection) -> None:
        waiting = self._find(connection.request)
        if waiting is None or not waiting.bring(PeerEnd(connection)):
            await connection.close(GOING_AWAY, "the other end has gone")
            return
        # Whoever holds the other end carries and closes this one.
        await waiting.left.wait()

    def _find(self, request: Request | None) -> Waiting | None:
        try:
            return self._hub.find(UUID(request.path.strip("/"))) if request is not None else None
        except ValueError:
            return None


async def say_hello(engine: Engine, server_id: UUID, address: str) -> None:
    """Say again and again that this process runs, and where, for ever; cancelled, say that it no longer does."""
    try:
        while True:
            try:
                await engine.tunnels.hear_server(server_id, address)
            except Exception as error:  # noqa: BLE001 - the top of a loop: whatever happens, say it again
                _log.warning("could not say that this server runs", error=str(error))
            await asyncio.sleep(HEAR_EVERY_S)
    finally:
        with contextlib.suppress(CorralError, TimeoutError):
            async with asyncio.timeout(_GOODBYE_S):
                await engine.tunnels.forget_server(server_id)


@asynccontextmanager
async def handing_over(tunnel_id: UUID, meeting: Meeting) -> AsyncIterator[PeerEnd]:
    """The way to the process that has a tunnel's other end. Raises ConflictError where it cannot be had."""
    url = f"ws://{meeting.peer_address}/{tunnel_id}"
    try:
        connection = await DirectConnect(
            url,
            additional_headers={_HEADER: meeting.secret.reveal()},
            proxy=None,
            max_size=MOST_FRAME_BYTES,
            max_queue=_MOST_QUEUED,
            compression=None,
            open_timeout=_CONNECT_S,
            close_timeout=1,
        )
    except (OSError, TimeoutError, WebSocketException, EOFError, ValueError) as error:
        _log.warning("another server cannot be reached", address=meeting.peer_address, error=str(error))
        raise ConflictError(
            f"the server at {meeting.peer_address}, which has the other end, cannot be reached"
        ) from error
    try:
        yield PeerEnd(connection)
    finally:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_GOODBYE_S):
                await connection.close()
