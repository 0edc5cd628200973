"""What surrounds every request, whatever the app inside does."""

import asyncio
from typing import Any, cast

import httpx
from litestar.types import ASGIApp, Receive, Scope, Send

from corral.api.deadline import DEADLINE, Deadline
from corral.api.doorkeeper import Doorkeeper
from corral.api.gate import Gate
from corral.api.known import KnownCredentials
from corral.api.metrics import Metrics
from corral.config import ServerConfig


async def ask(inside: ASGIApp, *, timeout_s: float = 60, content: bytes = b"") -> httpx.Response:
    known = KnownCredentials(cast("Any", None))  # nothing is shown here that it would look up
    app = Gate(inside, doorkeeper=Doorkeeper(ServerConfig(), known), metrics=Metrics(), timeout_s=timeout_s)
    transport = httpx.ASGITransport(cast("Any", app), raise_app_exceptions=True)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as http:
        answer = await http.request("GET", "/", content=content)
    await app.until_quiet()
    return answer


async def test_an_app_that_breaks_is_answered_for() -> None:
    async def breaks(_scope: Scope, _receive: Receive, _send: Send) -> None:
        raise RuntimeError("the password is hunter2")

    answer = await ask(breaks)

    assert (answer.status_code, answer.json()["error"]["code"]) == (500, "internal_error")
    assert "hunter2" not in answer.text
    assert answer.headers["x-content-type-options"] == "nosniff"


async def test_an_app_that_never_answers_is_given_up() -> None:
    async def hangs(_scope: Scope, _receive: Receive, _send: Send) -> None:
        await asyncio.Event().wait()

    answer = await ask(hangs, timeout_s=0.01)

    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "request_timeout")


async def test_an_answer_that_breaks_off_is_not_answered_twice() -> None:
    async def breaks_off(_scope: Scope, _receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"half", "more_body": False})
        raise RuntimeError

    assert (await ask(breaks_off)).content == b"half"


async def test_a_transfer_that_goes_on_is_not_given_up_and_a_dripping_one_is() -> None:
    async with asyncio.timeout(60) as timeout:  # noqa: ASYNC100 - only its clock is read
        deadline = Deadline(timeout, 60)
        seen = [timeout.when() or 0.0]
        for size in (1, 64 * 1024 - 2, 1, 1):
            deadline.count({"type": "http.response.body", "body": b"x" * size, "more_body": True})
            seen.append(timeout.when() or 0.0)
        deadline.postpone(100)
        deadline.postpone()  # never brings forward what was allowed

        assert seen[0] == seen[1] == seen[2] < seen[3] == seen[4]
        assert (timeout.when() or 0.0) > seen[4] + 90


async def test_both_ways_count_as_progress() -> None:
    moved: list[float] = []

    async def copies(scope: Scope, receive: Receive, send: Send) -> None:
        timeout = cast("Any", scope)[DEADLINE]._timeout
        moved.append(timeout.when())
        message = cast("Any", await receive())
        moved.append(timeout.when())
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": message["body"], "more_body": False})
        moved.append(timeout.when())

    await ask(copies, content=b"x" * 64 * 1024)

    assert moved[0] < moved[1] < moved[2]


async def test_what_a_handler_says_itself_is_not_said_twice() -> None:
    async def answers(_scope: Scope, _receive: Receive, send: Send) -> None:
        headers = [(b"content-security-policy", b"sandbox"), (b"cache-control", b"private")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    answer = await ask(answers)

    assert answer.headers.get_list("content-security-policy") == ["sandbox"]
    assert answer.headers.get_list("cache-control") == ["private"]
    assert answer.headers["x-frame-options"] == "DENY"
