"""The token is for the server alone, wherever that would send us."""

import asyncio
from uuid import uuid4

import pytest

from corral.client import Client
from corral.model.errors import UnexpectedAnswerError
from tests.scripted_server import redirecting, saying

TOKEN = "the-operators-token"


@pytest.mark.parametrize(
    "where", [["ws://{other}/"], ["/elsewhere"], ["ws://["], ["ws://a", "ws://b"]], ids=lambda where: where[0]
)
async def test_a_tunnel_goes_to_the_server_and_nowhere_else(where: list[str]) -> None:
    async with (
        saying(b"") as (other, seen_elsewhere),
        saying(redirecting(*(each.format(other=other) for each in where))) as (address, seen),
    ):
        with Client(f"http://{address}", token=TOKEN) as client, client.tunnels.open(uuid4()) as tunnel:
            reader, writer = await asyncio.open_connection(*tunnel.address.split(":"))
            assert await reader.read() == b""
            writer.close()
            trouble = tunnel.trouble

    assert trouble is not None
    assert trouble.startswith(f"ws://{address}/api/sessions/")
    assert trouble.endswith(" answered 302: redirections are not followed")
    assert len(seen) == 1
    assert seen_elsewhere == []


async def test_a_call_goes_to_the_server_and_nowhere_else() -> None:
    async with (
        saying(b"") as (other, seen_elsewhere),
        saying(redirecting(f"http://{other}/")) as (address, _),
    ):
        with (
            Client(f"http://{address}", token=TOKEN) as client,
            pytest.raises(UnexpectedAnswerError, match=f"http://{address} answered 302: redirections are not followed"),
        ):
            await asyncio.to_thread(client.health)

    assert seen_elsewhere == []


async def test_the_store_that_a_download_is_sent_to_is_not_shown_the_token() -> None:
    async with (
        saying(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nPNG") as (store, seen_by_store),
        saying(redirecting(f"http://{store}/bucket/key")) as (address, seen),
    ):
        with Client(f"http://{address}", token=TOKEN) as client:
            assert await asyncio.to_thread(client.artifacts.read, uuid4()) == b"PNG"

    assert TOKEN.encode() in seen[0]
    assert len(seen_by_store) == 1
    assert TOKEN.encode() not in seen_by_store[0]
