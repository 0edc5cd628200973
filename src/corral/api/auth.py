"""Who calls, and which doors that opens: callers as the gate found them out, and the guard of all routes."""

from datetime import datetime
from enum import StrEnum
from typing import Any, Final, cast

from litestar.connection import ASGIConnection
from litestar.handlers.base import BaseRouteHandler
from msgspec import Struct

from corral.api.doors import Door, door_of
from corral.api.knock import Knock
from corral.model.credentials import Role
from corral.model.errors import ForbiddenError, UnauthenticatedError

CALLER: Final = "corral.caller"
KNOCK: Final = "corral.knock"

Connection = ASGIConnection[Any, Any, Any, Any]


class Kind(StrEnum):
    """The two kinds of callers."""

    NODE = "node"
    OPERATOR = "operator"


class Caller(Struct, frozen=True, kw_only=True):
    """Who calls, and the name that audits keep. `is_proven` says that a credential was shown, and was right."""

    kinds: frozenset[Kind] = frozenset()
    is_proven: bool = False
    actor: str | None = None
    role: Role | None = None
    node_id: str | None = None
    """The node that the credential proves, where it proves which; the shared secret does not."""
    node_token_digest: bytes | None = None
    session_ends_at: datetime | None = None
    refused: frozenset[Kind] = frozenset()
    """The kinds that need no credential on this machine, where `refusal` says why the caller is not treated so."""
    refusal: str = ""


def guard(connection: Connection, _handler: BaseRouteHandler) -> None:
    """Guards every route by its line in api/doors.py."""
    scope = cast("dict[str, Any]", connection.scope)
    check_door(door_of(knock_of(connection).method, scope["path_template"]), caller_of(connection))


def check_door(door: Door, caller: Caller) -> None:
    """Raise UnauthenticatedError or ForbiddenError unless the door opens to the caller."""
    if door.is_public or (door.nodes and Kind.NODE in caller.kinds):
        return
    if door.role is not None and caller.role is not None:
        if caller.role.includes(door.role):
            return
        raise ForbiddenError(f"this needs the role {door.role}; {caller.actor} is a {caller.role}")
    wanted = [
        kind for kind, is_wanted in ((Kind.NODE, door.nodes), (Kind.OPERATOR, door.role is not None)) if is_wanted
    ]
    if caller.refused.intersection(wanted):
        raise ForbiddenError(caller.refusal)
    if caller.is_proven:
        raise ForbiddenError(f"this is for {' and '.join(f'{kind}s' for kind in wanted)} only")
    raise UnauthenticatedError(f"a {' or '.join(wanted)} credential is needed")


def caller_of(connection: Connection) -> Caller:
    """Who calls, as the gate found out."""
    caller: Caller = cast("dict[str, Any]", connection.scope)[CALLER]
    return caller


def knock_of(connection: Connection) -> Knock:
    """The request as it came."""
    knock: Knock = cast("dict[str, Any]", connection.scope)[KNOCK]
    return knock


def check_speaks_for(connection: Connection, node_id: str) -> None:
    """Raise ForbiddenError if the caller's credential is another node's own."""
    caller = caller_of(connection)
    if caller.node_id is not None and caller.node_id != node_id:
        raise ForbiddenError(f"this credential is {caller.node_id}'s, and does not speak for {node_id}")
