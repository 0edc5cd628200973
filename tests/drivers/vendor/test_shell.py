"""The line around a command, run by a real shell: what the vendor's program hands to the phone's."""

from __future__ import annotations

import asyncio
import subprocess
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from websockets.asyncio.server import ServerConnection

from corral.drivers.marked import Marker
from corral.drivers.vendor import shell
from corral.drivers.vendor.client import VendorClient
from corral.drivers.vendor.phone import VendorPhone
from corral.drivers.vendor.shell import unwrap, wrap
from corral.model.errors import CommandFailedError, DeviceError, DeviceOfflineError
from tests.drivers.vendor.fake_program import fake_program, success


@pytest.fixture(autouse=True)
def complaints_are_kept_here(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shell, "_KEPT_IN", str(tmp_path_factory.mktemp("stderr") / "e"))


def run(command: str) -> tuple[int, bytes, bytes]:
    marker = Marker()
    output = subprocess.run(["/bin/sh", "-c", wrap(command, marker)], capture_output=True, check=False).stdout
    result = unwrap(output, marker, max_output_bytes=1 << 20)
    return result.exit_code, result.stdout, result.stderr


@pytest.mark.parametrize(
    ("command", "result"),
    [
        ("true", (0, b"", b"")),
        ("printf abc; printf def >&2; exit 7", (7, b"abc", b"def")),
        ("echo abc", (0, b"abc\n", b"")),
        ("printf '\\n\\n'", (0, b"\n\n", b"")),
        ("echo 'it''s' \"$((1+1))\"  # a comment", (0, b"its 2\n", b"")),
        ("kill -9 $$", (137, b"", None)),
        ("if", (2, b"", None)),
    ],
)
def test_a_command_is_told_as_it_ended(command: str, result: tuple[int, bytes, bytes | None]) -> None:
    exit_code, stdout, stderr = run(command)

    assert (exit_code, stdout) == result[:2]
    assert result[2] is None or stderr == result[2]


@settings(max_examples=30, deadline=None)
@given(st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\0\r"), max_size=50))
def test_any_text_survives_the_quoting(text: str) -> None:
    quoted = "'" + text.replace("'", "'\\''") + "'"

    assert run(f"printf %s {quoted}")[1].decode() == text


def test_a_label_stays_at_the_head_of_the_line() -> None:
    marker = Marker()

    assert wrap(": corral-job=7 fence=3; input tap 1 2", marker).startswith(": corral-job=7 fence=3;")
    assert run(": corral-job=7 fence=3; echo x")[1] == b"x\n"


def test_a_phone_without_room_for_complaints_still_runs_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shell, "_KEPT_IN", "/nonexistent/e")

    assert run("echo x; echo y >&2; exit 3") == (3, b"x\ny\n", b"")


def test_nothing_is_left_behind(tmp_path_factory: pytest.TempPathFactory) -> None:
    run("echo y >&2")

    assert list(tmp_path_factory.getbasetemp().glob("stderr*/e*")) == []


def test_a_line_that_did_not_get_to_its_end_is_a_phone_that_went_away() -> None:
    with pytest.raises(DeviceOfflineError):
        unwrap(b"half of the outp", Marker(), max_output_bytes=100)


async def test_output_beyond_the_limit_is_dropped() -> None:
    async def execute(connection: ServerConnection, request: dict[str, Any]) -> None:
        process = await asyncio.create_subprocess_exec(
            "/bin/sh", "-c", request["data"]["command"], stdout=asyncio.subprocess.PIPE
        )
        output, _ = await process.communicate()
        await connection.send(success({request["devices"]: output.decode()}))

    async with fake_program({"adb_shell": execute}) as fake:
        result = await VendorPhone(VendorClient(fake.url), "P").shell("printf abcdef; exit 4", max_output_bytes=3)

    assert (result.exit_code, result.stdout) == (4, b"abc")


@pytest.mark.parametrize("data", [None, [], {"other": "x"}, {"P": 3}, "x"])
async def test_an_answer_without_this_phones_output_is_an_error(data: object) -> None:
    async with fake_program({"adb_shell": success(data)}) as fake:
        with pytest.raises(DeviceError, match="no output of the command on P"):
            await VendorPhone(VendorClient(fake.url), "P").shell("id")


async def test_a_command_that_the_program_cannot_take_is_refused() -> None:
    with pytest.raises(CommandFailedError, match="too long for the vendor program"):
        await VendorPhone(VendorClient("ws://127.0.0.1:1"), "P").shell("x" * 40_000)
