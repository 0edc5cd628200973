"""Sessions: phones that are held for a person or a program; signing in is routes/session.py."""

import asyncio
from datetime import timedelta
from typing import Annotated, Any, Final, Literal
from uuid import UUID

import msgspec
from litestar import Request, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, FromQuery, JSONBody, QueryParameter
from litestar.response import Response

from corral.api.auth import caller_of
from corral.api.server import Server
from corral.model.errors import InvalidRequestError
from corral.model.sessions import DeviceSession, SessionState
from corral.wire.sessions import LONGEST_WAIT_S, Release, Renewal, SessionPage, SessionRequest, Touch, check_touch

_LOOK_EVERY_S: Final = 0.2
Wait = Annotated[float, QueryParameter(ge=0, le=LONGEST_WAIT_S)]


@post("/api/sessions")
async def open_device_session(
    data: JSONBody[SessionRequest], server: NamedDependency[Server], request: Request[Any, Any, Any]
) -> DeviceSession:
    """Hold a phone: any with these tags, or the one that is named. Waits up to `wait_s` until it is had."""
    if data.device is not None and data.tags:
        raise InvalidRequestError("a session is for a device or for tags, not for both", path="device")
    session = await server.engine.reservations.open_session(
        _actor(request),
        tags=data.tags,
        device=data.device,
        ttl=timedelta(seconds=data.ttl_s),
        purpose=data.purpose,
    )
    return await _wait_for_phone(server, session.session_id, wait_s=data.wait_s)


@get("/api/sessions")
async def list_device_sessions(
    server: NamedDependency[Server],
    *,
    which: Annotated[Literal["live", "all"], QueryParameter(name="state")] = "live",
    before: FromQuery[UUID | None] = None,
    limit: Annotated[int, QueryParameter(ge=1, le=500)] = 100,
) -> SessionPage:
    """Who holds what, newest first: sessions that have not ended, or all."""
    sessions = await server.engine.reservations.list(is_live=which == "live", before=before, limit=limit)
    return SessionPage(sessions=sessions, next=sessions[-1].session_id if len(sessions) == limit else None)


@get("/api/sessions/{session_id:uuid}")
async def get_device_session(
    session_id: FromPath[UUID], server: NamedDependency[Server], wait_s: Wait = 0.0
) -> DeviceSession:
    """One session; waits up to `wait_s` while it has no phone yet."""
    return await _wait_for_phone(server, session_id, wait_s=wait_s)


@post("/api/sessions/{session_id:uuid}/renew", status_code=200)
async def renew_device_session(
    session_id: FromPath[UUID],
    data: JSONBody[Renewal],
    server: NamedDependency[Server],
    request: Request[Any, Any, Any],
) -> DeviceSession:
    """Let it go on for as long as before, or for `ttl_s`, from now. For its holder."""
    ttl = None if data.ttl_s is None else timedelta(seconds=data.ttl_s)
    return await server.engine.reservations.renew_session(session_id, ttl=ttl, actor=_actor(request))


@post("/api/sessions/{session_id:uuid}/release", status_code=200)
async def release_device_session(
    session_id: FromPath[UUID],
    data: JSONBody[Release],
    server: NamedDependency[Server],
    request: Request[Any, Any, Any],
) -> DeviceSession:
    """End it. Another than its holder must give a `reason`. Repeating it is safe."""
    return await server.engine.reservations.release_session(session_id, reason=data.reason, actor=_actor(request))


@post("/api/sessions/{session_id:uuid}/input", status_code=202)
async def send_device_input(
    session_id: FromPath[UUID],
    data: JSONBody[Touch],
    server: NamedDependency[Server],
    request: Request[Any, Any, Any],
) -> Response[None]:
    """Touch the screen, type, press a key. For the holder of an active session; done once at most, and in order."""
    check_touch(data)
    touch = msgspec.to_builtins(data)
    await server.engine.reservations.send_input(session_id, touch, actor=_actor(request))
    return Response(None, status_code=202)


HANDLERS: Final = [
    open_device_session,
    list_device_sessions,
    get_device_session,
    renew_device_session,
    release_device_session,
    send_device_input,
]


def _actor(request: Request[Any, Any, Any]) -> str:
    return caller_of(request).actor or ""


async def _wait_for_phone(server: Server, session_id: UUID, *, wait_s: float) -> DeviceSession:
    """The session once it has a phone or has ended, or the wait is over."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + wait_s
    while True:
        session = await server.engine.reservations.get(session_id)
        left_s = deadline - loop.time()
        if session.state is not SessionState.WAITING or left_s <= 0 or server.waiting.is_closed:
            return session
        await asyncio.sleep(min(_LOOK_EVERY_S, left_s))
