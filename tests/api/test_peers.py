"""Handing a tunnel's end over to a server that is none, or no longer."""

import asyncio
from uuid import uuid4

import pytest

from corral.api.tunnels.peers import handing_over
from corral.config import Secret
from corral.engine.gateway.tunnels import Meeting
from corral.model.errors import ConflictError


@pytest.mark.parametrize(
    "said",
    [
        b"HTTP/1.1 302 Found\r\nLocation: ws://[\r\n\r\n",
        b"HTTP/1.1 302 Found\r\nLocation: ws://a\r\nLocation: ws://b\r\n\r\n",
        b"HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\n\r\n",
        b"nonsense",
        b"",
    ],
)
async def test_the_secret_is_shown_once_and_a_server_that_is_none_is_said(said: bytes) -> None:
    shown: list[bytes] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        shown.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(said)
        writer.write_eof()
        await reader.read()
        writer.transport.abort()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        address = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
        meeting = Meeting(server_id=uuid4(), peer_address=address, secret=Secret("s"))
        with pytest.raises(ConflictError, match="cannot be reached"):
            async with handing_over(uuid4(), meeting):
                pass

    assert len(shown) == 1
