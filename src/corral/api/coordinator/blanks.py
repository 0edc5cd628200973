"""Parameters of a query that are empty were not given, as fields of a body: `/v1/events?agent_id=&limit=` asks for all events."""

from typing import Final

from litestar.enums import ScopeType
from litestar.types import ASGIApp, Receive, Scope, Send

_DOOR: Final = "/v1/"


class DropBlanks:
    """Stands before the routes, and takes out what is empty."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == ScopeType.HTTP and scope["path"].startswith(_DOOR):
            given = [part for part in scope["query_string"].split(b"&") if part.partition(b"=")[2]]
            scope["query_string"] = b"&".join(given)
        await self._app(scope, receive, send)
