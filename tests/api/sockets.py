"""WebSockets asked for in this process: what the server answers, without a network between."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple, cast

import httpx


class Answer(NamedTuple):
    """101 for one that was accepted, or the refusal."""

    status: int
    body: dict[str, Any]


async def ask_for_socket(http: httpx.AsyncClient, path: str, headers: Mapping[str, str]) -> Answer:
    """Ask the app behind the client for a WebSocket, and leave as soon as it is accepted."""
    app = cast("Any", http._transport).app
    told = {"host": "127.0.0.1:8080", **headers}
    sent: list[dict[str, Any]] = []
    coming: list[dict[str, Any]] = [{"type": "websocket.connect"}, {"type": "websocket.disconnect", "code": 1001}]

    async def receive() -> dict[str, Any]:
        return coming.pop(0)

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    scope = {
        "type": "websocket",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "scheme": "ws",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": "",
        "headers": [(name.lower().encode(), value.encode()) for name, value in told.items()],
        "client": ("127.0.0.1", 50000),
        "server": ("127.0.0.1", 8080),
        "subprotocols": [],
        "state": {},
        "extensions": {"websocket.http.response": {}},
    }
    await app(scope, receive, send)
    if sent[0]["type"] == "websocket.accept":
        return Answer(101, {})
    assert [each["type"] for each in sent] == ["websocket.http.response.start", "websocket.http.response.body"], sent
    return Answer(sent[0]["status"], json.loads(sent[1]["body"]))
