"""Whatever listens at the vendor's port and says: a request is answered or fails as a driver's does, and the watch goes on."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import hashlib
import json
import re
import struct
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from websockets.asyncio.server import ServerConnection

from corral.drivers.vendor.client import VendorClient
from corral.drivers.vendor.driver import VendorDriver
from corral.drivers.vendor.phone import VendorPhone
from corral.model.errors import CommandFailedError, DeviceError, DriverUnavailableError
from tests.drivers.vendor.fake_program import fake_program, success

_MAGIC = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
_REDIRECTED = "HTTP/1.1 302 Found\r\n{}\r\n\r\n"
REDIRECTIONS = (
    "Location: ws://[",
    "Location: ws://127.0.0.1:99999",
    "Location: ws://a\r\nLocation: ws://b",
    "Location: ftp://127.0.0.1",
    "Location: /",
    "Location: ws://" + "a" * 300 + ".b",
)


def accept(request: bytes, more: str = "") -> bytes:
    found = re.search(rb"Sec-WebSocket-Key: (\S+)", request)
    assert found, request
    proof = base64.b64encode(hashlib.sha1(found[1] + _MAGIC.encode(), usedforsecurity=False).digest()).decode()
    return (
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        f"Sec-WebSocket-Accept: {proof}\r\n{more}\r\n"
    ).encode()


def frame(first: int, is_masked: bool, payload: bytes, claimed: int | None = None) -> bytes:  # noqa: FBT001 - drawn
    length = len(payload) if claimed is None else claimed
    mask, bit = (b"\1\2\3\4", 0x80) if is_masked else (b"", 0)
    if length < 126:
        return struct.pack("!BB", first, bit | length) + mask + payload
    if length < 1 << 16:
        return struct.pack("!BBH", first, bit | 126, length) + mask + payload
    return struct.pack("!BBQ", first, bit | 127, length) + mask + payload


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["code", "message", "data", "serial", "onlySerial", "status"]), inner, max_size=4
        )
    ),
    max_leaves=8,
)
PAYLOADS = st.one_of(
    st.binary(max_size=200),
    JSON.map(lambda value: json.dumps(value).encode()),
    JSON.map(lambda data: json.dumps({"code": 10000, "data": data}).encode()),
    st.sampled_from(
        [b"[" * 100_000, b'{"code":' + b"9" * 5_000 + b"}", b'{"code":10000,"data":"\xff"}', b"\x03\xe8\xff"]
    ),
)
FRAMES = st.one_of(
    st.binary(max_size=60),
    st.builds(
        frame,
        st.sampled_from([0x81, 0x82, 0x01, 0x80, 0x00, 0x88, 0x89, 0x8A, 0xC1, 0x83]) | st.integers(0, 255),
        st.sampled_from([False, False, False, True]),
        PAYLOADS,
        st.none() | st.sampled_from([0, 125, 126, 1 << 16, (128 << 20) + 1, (1 << 63) - 1, (1 << 64) - 1]),
    ),
)
LINES = st.one_of(
    st.sampled_from(
        [
            *REDIRECTIONS,
            "Upgrade: websocket",
            "Connection: Upgrade",
            "Sec-WebSocket-Accept: x",
            "Sec-WebSocket-Accept: é",
            "Sec-WebSocket-Extensions: permessage-deflate",
            "Sec-WebSocket-Extensions: ,;=",
            "Sec-WebSocket-Protocol: x",
            "Content-Length: " + "9" * 5_000,
            "Content-Length: ²",
            "Content-Length: -1",
            "Transfer-Encoding: chunked",
            ": empty",
        ]
    ),
    st.text(max_size=20),
)
GREETINGS = st.one_of(
    st.binary(max_size=200),
    st.builds(
        lambda first, lines, body: "\r\n".join([first, *lines, "", ""]).encode(errors="replace") + body,
        st.sampled_from(
            ["HTTP/1.1 101 X", "HTTP/1.1 302 X", "HTTP/1.1 200 OK", "HTTP/1.0 101 X", "HTTP/1.1 ¹²³ X", "HTTP/1.1 999"]
        )
        | st.text(max_size=20),
        st.lists(LINES, max_size=5),
        st.binary(max_size=40) | st.just(b"ffffffffffffffffffff\r\n"),
    ),
)


@asynccontextmanager
async def listening(greeting: bytes | None, said: bytes, more: str = "") -> AsyncIterator[str]:
    """Greets with those bytes, or as it should, and then says the others. Fails where our side drops an error."""
    dropped: list[dict[str, Any]] = []

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            request = await reader.readuntil(b"\r\n\r\n")
            writer.write((accept(request, more) if greeting is None else greeting) + said)
            writer.write_eof()
            await reader.read()
        writer.transport.abort()

    asyncio.get_running_loop().set_exception_handler(lambda _, context: dropped.append(context))
    server = await asyncio.start_server(talk, "127.0.0.1", 0)
    try:
        yield f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()
        await server.wait_closed()
    assert dropped == []


async def ask_and_watch(url: str) -> None:
    async with asyncio.timeout(20):
        with contextlib.suppress(DeviceError):
            await VendorClient(url).ask("list")
        async with aclosing(VendorDriver(url=url, poll_s=0.001).watch()) as sightings:
            assert all(each.serial for each in await anext(sightings))


@pytest.mark.parametrize("where", REDIRECTIONS, ids=lambda where: where[:30])
async def test_a_redirection_is_refused_and_never_followed(where: str) -> None:
    async with listening(_REDIRECTED.format(where).encode(), b"") as url:
        with pytest.raises(DriverUnavailableError, match="302"):
            await VendorClient(url).ask("list")
        await ask_and_watch(url)


@pytest.mark.parametrize("url", ["ws://[", "ws://127.0.0.1:99999", "ws://127.0.0.1:²", "", "http://127.0.0.1"])
async def test_a_url_that_cannot_be_one_is_named(url: str) -> None:
    with pytest.raises(DriverUnavailableError, match="is not the URL of a WebSocket"):
        await VendorClient(url).ask("list")


@settings(max_examples=100, deadline=None)
@given(greeting=GREETINGS)
@example(greeting=_REDIRECTED.format(REDIRECTIONS[0]).encode())
def test_any_greeting_is_a_program_that_is_away(greeting: bytes) -> None:
    async def attempt() -> None:
        async with listening(greeting, b"") as url:
            await ask_and_watch(url)

    asyncio.run(attempt())


@settings(max_examples=100, deadline=None)
@given(
    frames=st.lists(FRAMES, max_size=5).map(b"".join),
    more=st.sampled_from(["", "", "Sec-WebSocket-Extensions: permessage-deflate\r\n", "Sec-WebSocket-Protocol: x\r\n"]),
)
def test_any_frames_are_an_answer_or_a_drivers_error(frames: bytes, more: str) -> None:
    async def attempt() -> None:
        async with listening(None, frames, more) as url:
            await ask_and_watch(url)

    asyncio.run(attempt())


@pytest.mark.parametrize("size", ["9" * 5_000, "²", "٣", "-1", "1_0", ""], ids=lambda size: size[:4])
async def test_a_size_that_is_none_is_refused(size: str, tmp_path: Path) -> None:
    async def tell(connection: ServerConnection, request: dict[str, Any]) -> None:
        word = re.search(r"echo (__corral_\w+:);", request["data"]["command"])
        assert word
        await connection.send(success({"P": f"{size}\n\n{word[1]}\n\n{word[1]}0\n"}))

    async with fake_program({"adb_shell": tell}) as fake:
        with pytest.raises(CommandFailedError, match="/sdcard/x"):
            await VendorPhone(VendorClient(fake.url), "P").pull("/sdcard/x", tmp_path / "x")
