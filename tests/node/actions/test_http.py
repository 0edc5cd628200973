"""Requests from the node, to a server on this machine."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator

import pytest

from corral.model.errors import ActionFailedError
from tests.node.actions.conftest import Workshop


class Server:
    """Answers every request with `answer`, and keeps what it was sent."""

    def __init__(self) -> None:
        self.answer = respond(200, b"fine")
        self.requests: list[tuple[str, dict[str, str], bytes]] = []
        self.asked = asyncio.Event()
        self.is_silent = False
        self.url = ""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in head[1:] if line)}
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        self.requests.append((head[0].rpartition(" ")[0], headers, body))
        self.asked.set()
        if self.is_silent:
            await reader.read()  # until the other side lets go
        else:
            writer.write(self.answer)
        writer.close()


def respond(status: int, body: bytes, *headers: str) -> bytes:
    lines = [f"HTTP/1.1 {status} X", f"content-length: {len(body)}", "connection: close", *headers]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    told = Server()
    listening = await asyncio.start_server(told.serve, "127.0.0.1", 0)
    told.url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
    async with listening:
        yield told


async def test_an_answer_is_yielded_with_its_json(workshop: Workshop, server: Server) -> None:
    server.answer = respond(200, b'{"ok": [1, null]}', "Content-Type: application/problem+json", "X-Two: a", "X-Two: b")

    output = await workshop.perform("http.request", url=f"{server.url}/health?x=1")

    assert output["status"] == 200
    assert output["body"] == '{"ok": [1, null]}'
    assert output["json"] == {"ok": [1, None]}
    assert output["headers"]["x-two"] == "a, b"
    assert server.requests[0][0] == "GET /health?x=1"


async def test_a_body_is_sent_as_json_or_as_text(workshop: Workshop, server: Server) -> None:
    await workshop.perform("http.request", url=server.url, method="POST", json={"a": 1}, headers={"X-Key": "k"})
    await workshop.perform(
        "http.request", url=server.url, method="PUT", body="héllo", headers={"content-type": "text/csv"}
    )

    (_, first, posted), (_, second, put) = server.requests
    assert (posted, first["content-type"], first["x-key"]) == (b'{"a":1}', "application/json", "k")
    assert (put.decode(), second["content-type"]) == ("héllo", "text/csv")


@pytest.mark.parametrize(
    ("status", "expect", "is_fine"),
    [(204, None, True), (301, None, False), (404, None, False), (404, [404, 410], True), (200, [404], False)],
)
async def test_the_status_decides_and_redirects_are_not_followed(
    workshop: Workshop, server: Server, status: int, expect: list[int] | None, *, is_fine: bool
) -> None:
    server.answer = respond(status, b"" if status == 204 else b"told you", "Location: /elsewhere")

    asking = workshop.perform("http.request", url=f"{server.url}/a?token=hush", expect_status=expect)
    if is_fine:
        assert (await asking)["status"] == status
    else:
        with pytest.raises(
            ActionFailedError, match=rf"GET http://127.0.0.1:\d+: answered {status}, not .*told"
        ) as told:
            await asking
        assert "hush" not in told.value.message

    assert len(server.requests) == 1


async def test_a_long_answer_is_cut_and_no_longer_json(workshop: Workshop, server: Server) -> None:
    server.answer = respond(200, b'"' + b"x" * 300_000 + b'"', "content-type: application/json")

    output = await workshop.perform("http.request", url=server.url)

    assert len(output["body"]) == 256 * 1024
    assert output["json"] is None
    assert workshop.bench.lines == [("warning", "the answer was cut after 262144 bytes")]


@pytest.mark.parametrize(
    ("content", "kind"), [(b"{", "application/json"), (b"[1]", "text/plain"), (b"\xff", "text/plain; charset=nope")]
)
async def test_what_is_not_json_is_text_alone(workshop: Workshop, server: Server, content: bytes, kind: str) -> None:
    server.answer = respond(200, content, f"content-type: {kind}")

    output = await workshop.perform("http.request", url=server.url)

    assert output["json"] is None
    assert output["body"] == content.decode(errors="replace")


async def test_nobody_there_is_a_failure_that_repeats_no_secret(workshop: Workshop, server: Server) -> None:
    server.answer = b""  # the connection ends without an answer

    with pytest.raises(ActionFailedError, match=r"GET http://127.0.0.1:\d+: RemoteProtocolError") as broken:
        await workshop.perform("http.request", url=server.url.replace("//", "//u:hush@") + "/hush?k=hush")
    with pytest.raises(ActionFailedError, match=r"GET http://127.0.0.1:1: ConnectError") as refused:
        await workshop.perform("http.request", url="http://127.0.0.1:1/hush")

    assert "hush" not in broken.value.message + refused.value.message


@pytest.mark.parametrize(
    "with_",
    [
        {"url": "http://[::1"},
        {"url": "http://127.0.0.1:99999/"},
        {"url": "http://127.0.0.1:1/", "headers": {"X": "a\r\nhush: 1"}},
        {"url": "http://127.0.0.1:1/", "headers": {"X": "ü€"}},
    ],
)
async def test_what_cannot_be_sent_is_refused(workshop: Workshop, with_: dict[str, object]) -> None:
    with pytest.raises(ActionFailedError) as refused:
        await workshop.perform("http.request", **with_)

    assert "hush" not in refused.value.message


async def test_addresses_never_reach_the_logs_of_the_process(
    workshop: Workshop, server: Server, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO):
        await workshop.perform("http.request", url=f"{server.url}/?token=hush")

    assert "hush" not in caplog.text


async def test_a_request_is_given_up_when_it_is_cancelled(workshop: Workshop, server: Server) -> None:
    server.is_silent = True
    asking = asyncio.create_task(workshop.perform("http.request", url=server.url))
    await server.asked.wait()

    asking.cancel()

    with pytest.raises(asyncio.CancelledError):
        await asking
