"""Signing a browser in and out: it trades an operator's token for a cookie that its scripts cannot read."""

from datetime import timedelta
from typing import Any, Final

from litestar import Request, delete, get, post
from litestar.datastructures import Cookie
from litestar.di import NamedDependency
from litestar.params import JSONBody
from litestar.response import Response

from corral.api.auth import Kind, caller_of, knock_of
from corral.api.doorkeeper import COOKIE, read_cookie
from corral.api.knock import Knock, is_cross_origin
from corral.api.server import Server
from corral.model.credentials import Role, digest_token
from corral.model.errors import ForbiddenError, UnauthenticatedError
from corral.wire.credentials import Session, SignIn

_LIFETIME: Final = timedelta(hours=12)


@post("/api/session", status_code=200)
async def open_session(
    data: JSONBody[SignIn], server: NamedDependency[Server], request: Request[Any, Any, Any]
) -> Response[Session]:
    """Sign in, for twelve hours or until the token is rotated or revoked."""
    knock, token = knock_of(request), data.token.encode()
    if is_cross_origin(knock):  # another page must not sign its visitors in as somebody of its choice
        raise ForbiddenError("signing in is for the server's own pages")
    proof = await server.doorkeeper.prove(Kind.OPERATOR, token, knock)
    if proof.is_open or proof.actor is None or proof.role is None:
        raise UnauthenticatedError("this server has no such token; on its own machine it needs none", path="token")
    cookie, expires_at = await server.engine.sessions.open_session(
        proof.actor, token_digest=digest_token(token), lifetime=_LIFETIME
    )
    session = Session(actor=proof.actor, role=proof.role, expires_at=expires_at)
    return Response(session, cookies=[_cookie(cookie, knock, lifetime=_LIFETIME)])


@get("/api/session")
async def get_session(request: Request[Any, Any, Any]) -> Session:
    """Who calls, and until when the browser is signed in."""
    caller = caller_of(request)
    return Session(actor=caller.actor or "", role=caller.role or Role.VIEWER, expires_at=caller.session_ends_at)


@delete("/api/session")
async def close_session(server: NamedDependency[Server], request: Request[Any, Any, Any]) -> Response[None]:
    """Sign out, on every server. Repeating it is safe."""
    knock = knock_of(request)
    if (cookie := read_cookie(knock)) is not None:
        await server.engine.sessions.close_session(digest_token(cookie))
    return Response(None, status_code=204, cookies=[_cookie("", knock, lifetime=timedelta())])


HANDLERS: Final = [open_session, get_session, close_session]


def _cookie(value: str, knock: Knock, *, lifetime: timedelta) -> Cookie:
    return Cookie(
        key=COOKIE,
        value=value,
        path="/",
        max_age=int(lifetime.total_seconds()),
        httponly=True,
        samesite="strict",
        secure=knock.is_https,
    )
