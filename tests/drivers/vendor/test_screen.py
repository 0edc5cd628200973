from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.server import ServerConnection

from corral.drivers.marked import Marker
from corral.drivers.vendor.client import VendorClient
from corral.drivers.vendor.phone import VendorPhone
from corral.drivers.vendor.screen import take_by_screen
from corral.model.errors import DeviceError
from tests.drivers.test_png import WHOLE
from tests.drivers.vendor.fake_program import Talk, fake_program, success


async def without_base64(connection: ServerConnection, request: dict[str, Any]) -> None:
    marker = request["data"]["command"].rsplit("echo ", 1)[1].removesuffix("$c")
    output = f"\n{marker}\nsh: base64: not found\n\n{marker}127\n"
    await connection.send(success({request["devices"]: output}))


def saves(*contents: bytes) -> Talk:
    """Answers, and then writes these into the file, one after the other."""

    async def talk(connection: ServerConnection, request: dict[str, Any]) -> None:
        await connection.send(success())
        target = Path(request["data"]["savePath"]) / "P.png"
        for content in contents:
            target.write_bytes(content)
            await asyncio.sleep(0.15)

    return talk


async def test_a_phone_that_cannot_encode_its_picture_is_taken_by_the_program() -> None:
    async with fake_program({"adb_shell": without_base64, "screen": saves(WHOLE)}) as fake:
        assert await VendorPhone(VendorClient(fake.url), "P").screenshot() == WHOLE


async def test_a_picture_that_is_being_written_is_waited_for() -> None:
    async with fake_program({"screen": saves(b"", WHOLE[:20], WHOLE)}) as fake:
        assert await take_by_screen(VendorClient(fake.url), "P") == WHOLE


async def test_a_picture_that_never_appears_is_an_error() -> None:
    async with fake_program({"screen": success()}) as fake:
        with pytest.raises(DeviceError, match=r"saved no picture within 0\.3 s: no file appeared"):
            await take_by_screen(VendorClient(fake.url), "P", within_s=0.3)


async def test_a_picture_that_never_gets_whole_is_an_error() -> None:
    async def save_half(connection: ServerConnection, request: dict[str, Any]) -> None:
        (Path(request["data"]["savePath"]) / "P.png").write_bytes(WHOLE[:30])
        await connection.send(success())  # last, so that the first look finds the file

    async with fake_program({"screen": save_half}) as fake:
        with pytest.raises(DeviceError, match=r"saved no picture within 2 s: .*cut off"):
            await take_by_screen(VendorClient(fake.url), "P", within_s=2)


def test_markers_are_never_the_same() -> None:
    assert Marker().word != Marker().word
