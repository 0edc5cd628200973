"""The real adb on both sides of a bridge: a person's, and the node's."""

from __future__ import annotations

import asyncio
import hashlib
from pathlib import Path

import pytest

from corral.simulator.apk import make_apk
from corral.simulator.screen.read import read_screen
from tests.drivers.adb.bridge.conftest import Lease
from tests.drivers.conformance.rig import PATIENCE_S, Rig
from tests.simulator.adb import AdbPhone


async def test_a_phone_behind_a_bridge_is_described_as_itself(rig: Rig, bridged: AdbPhone) -> None:
    model = rig.fleet.phones[0].identity.model

    line = next(line for line in (await bridged.adb("devices", "-l")).text.splitlines() if bridged.address in line)

    assert f"product:{model.product}" in line
    assert f"device:{model.device}" in line
    assert "shell_v2" in (await bridged("features")).text.split()


async def test_commands_keep_their_outputs_and_exit_codes(rig: Rig, bridged: AdbPhone) -> None:
    said = await bridged("shell", "getprop ro.serialno; echo complaint >&2; exit 3")

    assert (said.status, said.text.strip(), said.err) == (3, rig.serial(0), b"complaint\n")


async def test_what_is_typed_reaches_the_command(bridged: AdbPhone) -> None:
    assert (await bridged("shell", "cat | wc -c", stdin=b"x" * 700_000)).out == b"700000\n"


async def test_megabytes_go_there_and_back(bridged: AdbPhone, tmp_path: Path) -> None:
    source, copy = tmp_path / "source", tmp_path / "copy"
    source.write_bytes(hashlib.sha512(b"seed").digest() * 70_000)

    pushed = await bridged("push", source, "/sdcard/file")
    pulled = await bridged("pull", "/sdcard/file", copy)

    assert (pushed.status, pulled.status) == (0, 0), (pushed, pulled)
    assert copy.read_bytes() == source.read_bytes()


async def test_a_package_is_installed(rig: Rig, bridged: AdbPhone, tmp_path: Path) -> None:
    apk = tmp_path / "app.apk"
    apk.write_bytes(make_apk("org.example.bridged", version_code=3))

    said = await bridged("install", apk)

    assert said.status == 0, said
    assert "org.example.bridged" in (await bridged("shell", "pm list packages")).text
    assert "org.example.bridged" not in (await rig.phone(1).shell("pm list packages")).text


async def test_a_picture_of_the_screen_comes_whole(rig: Rig, bridged: AdbPhone) -> None:
    picture = (await bridged("exec-out", "screencap", "-p")).out

    assert rig.serial(0) in read_screen(picture)[0]


async def test_many_streams_at_once_do_not_mix(bridged: AdbPhone) -> None:
    said = await asyncio.gather(*(bridged("shell", f"cat; exit {number}", stdin=b"%d" % number) for number in range(9)))

    assert [(each.status, each.out) for each in said] == [(number, b"%d" % number) for number in range(9)]


async def test_a_command_ends_on_the_phone_when_its_caller_is_gone(rig: Rig, bridged: AdbPhone) -> None:
    process = await bridged.adb.begin("-s", bridged.address, "shell", "echo begun; sleep 1000")
    assert process.stdout is not None
    assert await process.stdout.readline() == b"begun\n"

    process.kill()
    await process.wait()

    async with asyncio.timeout(PATIENCE_S):
        await rig.fleet.record.wait_for(lambda entry: "sleep 1000" in entry.line and entry.ended_s is not None)


@pytest.mark.parametrize("words", [("reverse", "tcp:5000", "tcp:5037"), ("tcpip", "5555"), ("usb",)])
async def test_what_reaches_beyond_the_phone_is_refused(words: tuple[str, ...], bridged: AdbPhone) -> None:
    said = await bridged(*words)

    assert said.status != 0 or b"closed" in said.out + said.err, said
    assert (await bridged("shell", "echo alive")).out == b"alive\n"


async def test_a_phone_that_may_not_be_touched_any_more_is_not(rig: Rig, bridged: AdbPhone, lease: Lease) -> None:
    assert (await bridged("shell", "echo first")).out == b"first\n"

    lease.is_live = False
    said = await bridged("shell", "echo forbidden")

    assert said.status != 0
    assert rig.commands("echo forbidden") == []
