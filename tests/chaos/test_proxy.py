"""The network's own record is whole: what a server answered is evidence, whoever heard it."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, cast

import msgspec
import pytest
import pytest_asyncio

from tests.chaos.messages import read_message
from tests.chaos.proxy import Exchange, Proxy

ANSWER = b'{"results":[{"event_id":"event-1","outcome":"applied"}]}'


class Gone:
    """The way back to a node that went away."""

    def write(self, _: bytes) -> None:
        pass

    async def drain(self) -> None:
        raise ConnectionResetError


def given_callback(**event: Any) -> asyncio.StreamReader:  # noqa: ANN401 - of the event
    body = msgspec.json.encode({"node_id": "north", "events": [{"event_id": "event-1", **event}]})
    reader = asyncio.StreamReader()
    reader.feed_data(b"POST /api/nodes/callback HTTP/1.1\r\ncontent-length: %d\r\n\r\n" % len(body) + body)
    reader.feed_eof()
    return reader


@pytest_asyncio.fixture
async def proxy(tmp_path: Path) -> AsyncIterator[Proxy]:
    """Before a server that applies whatever it is told."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_message(reader)
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n" % len(ANSWER) + ANSWER)
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0, limit=1 << 20) as server:
        port = server.sockets[0].getsockname()[1]
        async with Proxy.listening(["north"], lambda: [port], seed=1, path=tmp_path / "requests.jsonl") as proxy:
            yield proxy


@pytest.mark.parametrize("line", ["short", "long" * 100_000])
async def test_an_answer_that_nobody_hears_is_kept(proxy: Proxy, tmp_path: Path, line: str) -> None:
    with pytest.raises(ConnectionResetError):
        await proxy._serve("north", given_callback(line=line), cast("asyncio.StreamWriter", Gone()))

    proxy.flush()
    kept = msgspec.json.decode((tmp_path / "requests.jsonl").read_bytes(), type=Exchange)
    assert (kept.is_delivered, kept.status, kept.answer) == (False, 200, msgspec.json.decode(ANSWER))
    assert kept.request["events"][0]["line"] == line
