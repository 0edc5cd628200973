"""The stream, over real servers on one database."""

import asyncio
import signal
import socket
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
import pytest_asyncio

from corral.api.coordinator.hub import Listener
from corral.model.coordinator import Place
from tests.api.client import AS_OPERATOR, OPERATOR_TOKEN
from tests.api.coordinator.caller import Caller, Object, Stream, listening, opened
from tests.api.process import ServerProcess, running


@pytest_asyncio.fixture
async def server(farm_dsn: str) -> AsyncIterator[ServerProcess]:
    async with running("--database-url", farm_dsn) as process:
        yield process


@pytest_asyncio.fixture
async def http(server: ServerProcess) -> AsyncIterator[httpx.AsyncClient]:
    async with server.client() as client:
        yield client


async def payloads(stream: Stream, count: int) -> list[Any]:
    """What the next so many events of agents say."""
    told: list[Any] = []
    while len(told) < count:
        told += [event["payload"] for event in (await stream.until("events"))["payload"]["events"]]
    return told


async def tell(caller: Caller, *numbers: int) -> None:
    for number in numbers:
        opened(await caller.post("events", type="log", payload=number), "event", status=201)


async def test_a_stream_begins_with_its_place_and_tells_every_kind_of_change(http: httpx.AsyncClient) -> None:
    caller = Caller(http)
    async with listening(http) as stream:
        assert stream.answer.headers["content-type"].startswith("text/event-stream")
        kind, hello = await stream.next()
        assert (kind, hello["type"], hello["payload"]) == ("update", "update", {"reason": "connected"})
        assert stream.last_id

        channel = await caller.given_channel()
        assert (await stream.until("channels"))["payload"]["channels"][0]["name"] == "work"
        chain, (task,) = await caller.given_chain(channel, "one")
        seen = await stream.until("tasks")
        assert (seen["type"], seen["payload"]["tasks"][0]["id"]) == ("tasks", task["id"])
        assert set(seen) == {"type", "time", "payload"}
        await caller.claim("ann", channel)
        assert (await stream.until("chains"))["payload"]["chains"][0]["status"] == "in_progress"
        assert (await stream.until("tasks"))["payload"]["tasks"][0]["assigned_agent_id"] == "ann"
        assert (await stream.until("agents"))["payload"]["agents"][0]["current_task_id"] == task["id"]
        await tell(caller, 1)
        assert (await stream.until("events"))["payload"]["events"][0]["payload"] == 1
        await caller.complete("ann", task)
        await caller.delete(f"chains/{chain['id']}")
        gone: Object = {}
        while "deleted" not in gone:
            gone = (await stream.until("tasks"))["payload"]
        assert gone["deleted"] == [task["id"]]


async def test_what_is_written_at_one_server_arrives_at_a_stream_of_another(
    http: httpx.AsyncClient, farm_dsn: str
) -> None:
    async with (
        running("--database-url", farm_dsn) as other,
        other.client() as elsewhere,
        listening(elsewhere) as stream,
    ):
        await stream.next()
        await tell(Caller(http), *range(5))

        assert await payloads(stream, 5) == list(range(5))


async def test_a_stream_goes_on_where_it_broke_off_at_any_server(http: httpx.AsyncClient, farm_dsn: str) -> None:
    caller = Caller(http)
    async with listening(http) as stream:
        await stream.next()
        await tell(caller, 1)
        assert await payloads(stream, 1) == [1]
        left_at = stream.last_id
    await tell(caller, *range(2, 40))

    async with running("--database-url", farm_dsn) as other, other.client() as elsewhere:
        async with listening(elsewhere, after=left_at) as resumed:
            assert await payloads(resumed, 38) == list(range(2, 40))
            await tell(caller, 40)
            assert await payloads(resumed, 1) == [40]
        async with listening(elsewhere, after=resumed.last_id, for_s=0) as finished:
            assert await finished.until_the_end() == []


@pytest.mark.parametrize("place", ["0-0", "123456-1", "nonsense", "999999999999999999-1"])
async def test_whoever_comes_from_a_place_that_is_not_known_is_told_to_read_anew(
    http: httpx.AsyncClient, place: str
) -> None:
    async with listening(http, after=place, for_s=0) as stream:
        kind, data = await stream.next()

        assert (kind, data["payload"]) == ("update", {"reason": "missed"})
        assert await stream.until_the_end() == []


async def test_what_many_write_at_once_arrives_once_each_at_every_stream(http: httpx.AsyncClient) -> None:
    caller = Caller(http)
    async with listening(http) as first, listening(http) as second:
        for stream in (first, second):
            await stream.next()
        await asyncio.gather(*(tell(caller, *range(number, 200, 20)) for number in range(20)))

        for stream in (first, second):
            assert sorted(await payloads(stream, 200)) == list(range(200))


async def test_streams_end_in_good_order_when_the_server_stops(server: ServerProcess, http: httpx.AsyncClient) -> None:
    async with listening(http) as stream:
        await stream.next()
        server.process.send_signal(signal.SIGTERM)

        assert await stream.until_the_end() == []
    assert "Traceback" not in await server.read_rest()
    assert await server.process.wait() == 0


async def test_a_stream_ends_with_the_right_to_it(server: ServerProcess, http: httpx.AsyncClient) -> None:
    made = await http.post("/api/operators", headers=AS_OPERATOR, json={"name": "eve", "role": "viewer"})
    as_eve = {"authorization": f"Bearer {made.json()['token']}"}
    async with listening(http, headers=as_eve) as stream:
        await stream.next()
        assert (await http.delete("/api/operators/eve", headers=AS_OPERATOR)).status_code == 204

        assert await stream.until_the_end() == []


async def test_a_listener_who_does_not_read_is_let_go_and_the_others_hear_on(
    server: ServerProcess, http: httpx.AsyncClient
) -> None:
    """One who reads nothing fills the buffers between, and then a megabyte here; nobody waits for that."""
    address = urlsplit(server.url)
    deaf = socket.create_connection((address.hostname, address.port))
    try:
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        deaf.sendall(f"GET /v1/stream?token={OPERATOR_TOKEN} HTTP/1.1\r\nHost: {address.netloc}\r\n\r\n".encode())
        caller, text = Caller(http), "x" * 500_000
        letting_go = asyncio.create_task(server.read_until("did not keep up"))
        while not letting_go.done():
            opened(await caller.post("events", type="log", payload=text), "event", status=201)
        await letting_go

        async with listening(http) as stream:
            await stream.next()
            await tell(caller, 1)
            while 1 not in await payloads(stream, 1):
                pass
    finally:
        deaf.close()


async def test_what_waits_for_a_slow_listener_is_bounded() -> None:
    listener = Listener(Place(0, 0))
    listener.put(b"x" * 10_000_000)  # a single one is sent, however large
    listener.put(b"x")

    assert listener.is_too_slow.is_set()
    assert await listener.take(0) == b""
