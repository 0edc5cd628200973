from __future__ import annotations

import asyncio
from typing import Any

import pytest
from websockets.asyncio.server import ServerConnection

from corral.drivers.vendor.client import VendorClient
from corral.drivers.vendor.phone import VendorPhone
from corral.model.errors import (
    CommandFailedError,
    DeviceError,
    DeviceOfflineError,
    DriverUnavailableError,
    OutcomeUnknownError,
    TouchForbiddenError,
)
from tests.drivers.vendor.fake_program import failure, fake_program, success


async def silence(connection: ServerConnection, request: dict[str, Any]) -> None:
    await connection.wait_closed()


async def hang_up(connection: ServerConnection, request: dict[str, Any]) -> None:
    connection.transport.abort()


async def test_a_request_says_action_device_and_data() -> None:
    async with fake_program({"pushEvent": success()}) as fake:
        await VendorPhone(VendorClient(fake.url), "10.0.0.1:5555").call("pushEvent", {"type": "2"})

    assert fake.requests == [{"action": "pushEvent", "devices": "10.0.0.1:5555", "data": {"type": "2"}}]


async def test_the_answers_data_is_returned_as_it_came() -> None:
    async with fake_program({"apkList": success({"a": [1, None]})}) as fake:
        assert await VendorPhone(VendorClient(fake.url), "P").call("apkList", {}) == {"a": [1, None]}


@pytest.mark.parametrize(
    ("words", "error"),
    [
        ("请激活会员后使用", DriverUnavailableError),
        ("device P is offline", DeviceOfflineError),
        ("设备不在线", DeviceOfflineError),
        ("P went away", DeviceOfflineError),
        ("file does not exist", CommandFailedError),
        ("", CommandFailedError),
    ],
)
async def test_a_refusal_is_raised_with_the_vendors_words(words: str, error: type[DeviceError]) -> None:
    async with fake_program({"screen": failure(words)}) as fake:
        with pytest.raises(error) as caught:
            await VendorPhone(VendorClient(fake.url), "P").call("screen", {})

    assert type(caught.value) is error
    assert words in caught.value.message


async def test_a_request_without_an_answer_has_an_unknown_outcome_and_is_not_repeated() -> None:
    async with fake_program({"pointerEvent": silence}) as fake:
        with pytest.raises(OutcomeUnknownError, match="did not answer 'pointerEvent' within"):
            await VendorPhone(VendorClient(fake.url, request_s=0.05), "P").call("pointerEvent", {"type": "10"})
        await fake.left.wait()

    assert len(fake.requests) == 1


async def test_a_program_that_hangs_up_leaves_the_outcome_unknown() -> None:
    async with fake_program({"pointerEvent": hang_up}) as fake:
        with pytest.raises(OutcomeUnknownError, match="hung up"):
            await VendorPhone(VendorClient(fake.url), "P").call("pointerEvent", {})

    assert len(fake.requests) == 1


async def test_a_late_answer_is_never_taken_for_that_of_the_next_request() -> None:
    asked = asyncio.Event()

    async def late(connection: ServerConnection, request: dict[str, Any]) -> None:
        await asked.wait()
        await connection.send(success("late"))

    async def prompt(connection: ServerConnection, request: dict[str, Any]) -> None:
        asked.set()
        await connection.send(success("prompt"))

    async with fake_program({"slow": late, "quick": prompt}) as fake:
        phone = VendorPhone(VendorClient(fake.url, request_s=0.05), "P")
        with pytest.raises(OutcomeUnknownError):
            await phone.call("slow", {})

        assert await VendorPhone(VendorClient(fake.url), "P").call("quick", {}) == "prompt"


async def test_cancelling_lets_go_of_the_connection() -> None:
    async with fake_program({"adb_shell": silence}) as fake:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.1):
                await VendorPhone(VendorClient(fake.url), "P").shell("sleep 100")
        await fake.left.wait()


@pytest.mark.parametrize("answer", ["", "[]", "{}", '{"code": "x"}', "\0", b"\xff\xfe", '{"code": 10000'])
async def test_an_answer_that_is_none_is_refused(answer: str | bytes) -> None:
    async with fake_program({"list": answer}) as fake:
        with pytest.raises(DeviceError, match="answered 'list' with something else"):
            await VendorClient(fake.url).ask("list")


async def test_no_program_is_said_with_what_to_do(unused_tcp_port: int) -> None:
    with pytest.raises(DriverUnavailableError, match="start it, and enable its WebSocket interface"):
        await VendorClient(f"ws://127.0.0.1:{unused_tcp_port}").ask("list")


async def test_a_url_that_is_none_is_named() -> None:
    with pytest.raises(DriverUnavailableError, match="'nonsense' is not the URL of a WebSocket"):
        await VendorClient("nonsense").ask("list")


async def test_a_request_whose_lease_ends_while_it_waits_for_its_turn_is_never_sent() -> None:
    release = asyncio.Event()
    is_live = True

    async def wait(connection: ServerConnection, request: dict[str, Any]) -> None:
        await release.wait()
        await connection.send(success())

    async with fake_program({"x": wait}) as fake:
        client = VendorClient(fake.url, limit=1)
        working = asyncio.create_task(client.ask("x"))
        await fake.arrivals.get()
        waiting = asyncio.create_task(client.under(lambda: is_live).ask("x"))
        await asyncio.sleep(0)  # it has begun to wait
        is_live = False
        release.set()
        await working
        with pytest.raises(TouchForbiddenError):
            await waiting

    assert len(fake.requests) == 1


async def test_no_more_requests_than_the_limit_are_open_at_once() -> None:
    release = asyncio.Event()

    async def wait(connection: ServerConnection, request: dict[str, Any]) -> None:
        await release.wait()
        await connection.send(success())

    async with fake_program({"x": wait}) as fake:
        client = VendorClient(fake.url, limit=2)
        calls = [asyncio.create_task(client.ask("x")) for _ in range(6)]
        for _ in range(2):
            await fake.arrivals.get()
        release.set()
        await asyncio.gather(*calls)

    assert len(fake.requests) == 6
    # A connection that was let go may still be ending on the other side.
    assert fake.most_open <= 4
