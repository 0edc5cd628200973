"""Whatever arrives at the vendor's port is answered with a code, on the same connection."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from websockets.asyncio.client import connect

from corral.simulator import Fleet
from corral.simulator.vendor import server  # noqa: F401 - fills the table of actions
from corral.simulator.vendor.request import ACTIONS
from tests.simulator.handset import HurriedClock

PATHS = st.sampled_from(
    ["", ".", "here", "here/f", "none/f", "a\0b", "x" * 5_000, "é" * 200, "/dev/zero", "/dev/null", "~"]
)
NUMBERS = st.sampled_from(
    ["0", "50", "100", "-1", "nan", "inf", "-inf", "1e308", "1e999", "²", "٣", "1_0", "9" * 20, "9" * 5_000, ""]
)
LINES = st.one_of(
    st.sampled_from(
        [
            *(
                "'",
                '"',
                "shell '",
                "adb",
                "adb shell",
                "adb shell echo x",
                "shell echo $(( 9999 ** 9999 ))",
                "uninstall ''",
            ),
            *(
                "reconnect",
                "get-state",
                "get-serialno",
                "exec-out cat /sdcard/f",
                "uninstall \0",
                "shell input tap nan inf",
            ),
            *(
                "printf %d ²",
                "printf %99999d 1",
                "head -n ² /sdcard/f",
                "exit ²",
                "test ² -eq 1",
                "dumpsys battery set level ²",
            ),
        ]
    ),
    st.text(max_size=10),
)
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | NUMBERS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=5,
)
DATA = st.fixed_dictionaries(
    {},
    optional={
        "command": LINES,
        "filePath": PATHS | st.sampled_from(["/sdcard/f", "/sdcard/..", "/sdcard/\0", "/sdcard/" + "n" * 300]),
        "savePath": PATHS,
        "type": st.integers(0, 11).map(str) | ANYTHING,
        "x": NUMBERS | ANYTHING,
        "y": NUMBERS | ANYTHING,
        "sort": NUMBERS | ANYTHING,
        **dict.fromkeys(("name", "oldName", "content", "apk", "ime", "isMedia"), ANYTHING | st.just("dev.corral.demo")),
    },
)
REQUESTS = st.fixed_dictionaries(
    {"action": st.sampled_from(sorted(ACTIONS)) | ANYTHING},
    optional={"data": DATA | DATA | ANYTHING, "devices": st.just("all") | ANYTHING},
)
COMMANDS = st.builds(
    lambda action, line: {"action": action, "data": {"command": line}}, st.sampled_from(["adb", "adb_shell"]), LINES
)
FRAMES = (
    (REQUESTS | REQUESTS | COMMANDS).map(json.dumps)
    | st.text(max_size=50)
    | st.binary(max_size=50)
    | st.just("[" * 100_000)
)


class Port:
    def __init__(self, url: str) -> None:
        self._url = url
        self.dropped: list[dict[str, Any]] = []
        asyncio.get_running_loop().set_exception_handler(lambda _, context: self.dropped.append(context))

    async def ask(self, frame: str | bytes) -> dict[str, Any]:
        async with asyncio.timeout(20), connect(self._url) as connection:
            await connection.send(frame)
            answer: dict[str, Any] = json.loads(await connection.recv())
        return answer

    async def refuse(self, action: str, data: object) -> str:
        answer = await self.ask(json.dumps({"action": action, "data": data}))
        assert (answer["code"], answer["data"]) == (10001, None), answer
        return str(answer["message"])


@pytest.fixture
async def port(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Port]:
    """In a directory of its own: some actions read and write the files of this computer."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "here").mkdir()
    (tmp_path / "here/f").write_bytes(b"file")
    async with Fleet(1, seed=7, clock=HurriedClock()) as fleet:
        fleet.phones[0].files.write("/sdcard/f", b"one\ntwo\n")
        yield Port(fleet.vendor_url)


@pytest.mark.parametrize(
    ("action", "data", "complaint"),
    [
        ("adb", {"command": "'"}, "data.command"),
        ("pointerEvent", {"type": "10", "x": "nan", "y": "1"}, "percentages"),
        ("pointerEvent", {"type": "10", "x": "1", "y": "inf"}, "percentages"),
        ("pointerEvent", {"type": "10", "x": "1", "y": "1e308"}, "percentages"),
        ("updateDevices", 5, "data"),
        ("updateDevices", {"sort": "²"}, "data.sort"),
        ("updateDevices", {"sort": "9" * 5_000}, "data.sort"),
        ("uploadFile", {"filePath": "a\0b"}, "data.filePath"),
        ("uploadFile", {"filePath": "/dev/zero"}, "data.filePath"),
        ("installApk", {"filePath": "a\0b"}, "data.filePath"),
        ("pullFile", {"filePath": "/sdcard/f", "savePath": "a\0b"}, "null byte"),
        ("screen", {"savePath": "a\0b"}, "not a directory"),
        ("screen", {"savePath": "x" * 5_000}, "data.savePath"),
    ],
    ids=lambda value: str(value)[:40].encode("unicode_escape").decode(),
)
async def test_nonsense_is_code_10001_with_a_reason(port: Port, action: str, data: object, complaint: str) -> None:
    assert complaint in await port.refuse(action, data)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(frame=FRAMES)
async def test_any_frame_is_answered_with_a_code(frame: str | bytes, port: Port) -> None:
    answer = await port.ask(frame)

    assert answer["code"] in {10000, 10001}, answer
    assert port.dropped == []
