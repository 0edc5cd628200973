"""What surrounds every request, whatever the app inside does."""

import asyncio
from typing import Any, cast

import httpx
import pytest
from litestar.types import ASGIApp, Receive, Scope, Send

from corral.api import gate
from corral.api.doorkeeper import Doorkeeper
from corral.api.gate import Gate
from corral.api.known import KnownCredentials
from corral.api.metrics import Metrics
from corral.config import ServerConfig


async def ask(inside: ASGIApp) -> httpx.Response:
    known = KnownCredentials(cast("Any", None))  # nothing is shown here that it would look up
    app = Gate(inside, doorkeeper=Doorkeeper(ServerConfig(), known), metrics=Metrics())
    transport = httpx.ASGITransport(cast("Any", app), raise_app_exceptions=True)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as http:
        answer = await http.get("/")
    await app.until_quiet()
    return answer


async def test_an_app_that_breaks_is_answered_for() -> None:
    async def breaks(_scope: Scope, _receive: Receive, _send: Send) -> None:
        raise RuntimeError("the password is hunter2")

    answer = await ask(breaks)

    assert (answer.status_code, answer.json()["error"]["code"]) == (500, "internal_error")
    assert "hunter2" not in answer.text
    assert answer.headers["x-content-type-options"] == "nosniff"


async def test_an_app_that_never_answers_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gate, "_REQUEST_TIMEOUT_S", 0.01)

    async def hangs(_scope: Scope, _receive: Receive, _send: Send) -> None:
        await asyncio.Event().wait()

    answer = await ask(hangs)

    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "request_timeout")


async def test_an_answer_that_breaks_off_is_not_answered_twice() -> None:
    async def breaks_off(_scope: Scope, _receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"half", "more_body": False})
        raise RuntimeError

    assert (await ask(breaks_off)).content == b"half"
