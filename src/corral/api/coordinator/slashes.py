"""Names with a slash in them, as a part of a path: `/v1/agents/host%2F7` is the agent `host/7`.

A path reaches the routes decoded, so that such a slash could not be told from one between parts. Before them it is put
down as a character that no name can have.
"""

from typing import Final
from urllib.parse import unquote

from litestar.enums import ScopeType
from litestar.types import ASGIApp, Receive, Scope, Send

_SLASH: Final = "\0"
_NAMED: Final = (b"/v1/agents/", b"/v1/channels/by-name/")


class KeepSlashes:
    """Stands before the routes."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == ScopeType.HTTP:
            raw = scope.get("raw_path") or b""
            if raw.startswith(_NAMED) and b"%2f" in raw.lower():
                parts = raw.partition(b"?")[0].decode("latin-1").split("/")
                scope["path"] = "/".join(unquote(part).replace("/", _SLASH) for part in parts)
        await self._app(scope, receive, send)


def read_name(part: str) -> str:
    """The name that a part of a path is."""
    return part.replace(_SLASH, "/")
