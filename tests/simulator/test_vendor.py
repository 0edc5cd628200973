import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection, connect

from corral.simulator import Fleet
from corral.simulator.apk import make_apk
from corral.simulator.scenario.model import Disconnect, Hang, Phones, Unauthorized, When
from corral.simulator.screen.png import PictureError
from corral.simulator.screen.read import read_screen
from tests.simulator.handset import sh


class Vendor:
    def __init__(self, connection: ClientConnection) -> None:
        self.connection = connection

    async def __call__(self, action: str, data: Any = None, devices: str = "all") -> dict[str, Any]:  # noqa: ANN401
        await self.connection.send(json.dumps({"action": action, "devices": devices, "data": data}))
        async with asyncio.timeout(20):
            answer: dict[str, Any] = json.loads(await self.connection.recv())
        return answer

    async def ok(self, action: str, data: Any = None, devices: str = "all") -> Any:  # noqa: ANN401 - as the vendor answers
        answer = await self(action, data, devices)
        assert (answer["code"], answer["message"]) == (10000, "SUCCESS"), answer
        return answer["data"]

    async def fails(self, action: str, data: Any = None, devices: str = "all") -> str:  # noqa: ANN401
        answer = await self(action, data, devices)
        assert (answer["code"], answer["data"]) == (10001, None), answer
        return str(answer["message"])


@pytest.fixture
async def vendor(fleet: Fleet) -> AsyncIterator[Vendor]:
    async with connect(fleet.vendor_url) as connection:
        yield Vendor(connection)


def shows(fleet: Fleet, index: int = 0) -> list[str]:
    return [line.strip() for line in read_screen(fleet.phones[index].screenshot())]


async def test_the_list_has_a_stable_serial_and_a_handle(fleet: Fleet, vendor: Vendor) -> None:
    listed = await vendor.ok("LIST")

    assert [each["onlySerial"] for each in listed] == [phone.serial for phone in fleet.phones]
    assert [each["serial"] for each in listed] == fleet.addresses
    assert {(each["width"], each["height"], each["mode"]) for each in listed} == {(360, 780, 1)}


async def test_phones_that_are_away_or_unconfirmed_are_not_listed(fleet: Fleet, vendor: Vendor) -> None:
    fleet.inject(Disconnect(id="x", phones=Phones(indexes="1")))
    fleet.inject(Unauthorized(id="y", phones=Phones(indexes="2")))
    assert await vendor.ok("list") == []
    assert "no such device" in await vendor.fails("adb_shell", {"command": "id"}, fleet.addresses[0])

    fleet.clear()
    assert len(await vendor.ok("list")) == 2


async def test_shell_answers_by_handle_for_all_or_for_some(fleet: Fleet, vendor: Vendor) -> None:
    everywhere = await vendor.ok("adb_shell", {"command": "getprop ro.serialno"})
    one = await vendor.ok("Adb_Shell", {"command": "echo out; echo err >&2"}, fleet.phones[1].serial)

    assert everywhere == {phone.handle: f"{phone.serial}\n" for phone in fleet.phones}
    assert one == {fleet.addresses[1]: "out\nerr\n"}
    assert await vendor.ok("adb", {"command": "adb shell echo x"}, fleet.addresses[0]) == {fleet.addresses[0]: "x\n"}


async def test_a_picture_appears_after_the_reply(fleet: Fleet, vendor: Vendor, tmp_path: Path) -> None:
    await vendor.ok("screen", {"savePath": str(tmp_path)})
    assert not any((tmp_path / f"{phone.serial}.png").exists() for phone in fleet.phones)

    await fleet.record.wait_for(lambda entry: entry.line == "screencap -p" and entry.outcome is not None)
    async with asyncio.timeout(20):
        for phone in fleet.phones:
            while True:
                await asyncio.sleep(0.01)  # a file tells nobody that it has come
                try:
                    shown = read_screen((tmp_path / f"{phone.serial}.png").read_bytes())
                except (FileNotFoundError, PictureError):
                    continue
                break
            assert phone.serial in shown[0]


async def test_fingers_and_keys_act_on_the_screen(fleet: Fleet, vendor: Vendor) -> None:
    await vendor.ok("startApk", {"apk": "dev.corral.demo"})
    await vendor.ok("pointerEvent", {"type": "10", "x": "50", "y": "13"})
    await vendor.ok("inputText", {"content": "ada's phone"})
    assert "ada's phone" in shows(fleet)

    await vendor.ok("pushEvent", {"type": "2"})
    assert "Home" in shows(fleet)
    await vendor.ok("stopApk", {"apk": "dev.corral.demo"})
    await vendor.ok("startApk", {"apk": "dev.corral.demo"})
    assert "ada's phone" not in shows(fleet)

    await sh(fleet.phones[0], "am start -n dev.corral.demo/.ListActivity")
    await vendor.ok("pointerEvent", {"type": "6"}, fleet.phones[0].serial)
    assert "Item 1" not in shows(fleet)
    for kind, y in (("0", "25"), ("2", "50"), ("1", "75")):
        await vendor.ok("pointerEvent", {"type": kind, "x": "50", "y": y}, fleet.phones[0].serial)
    assert "Item 1" in shows(fleet)


async def test_packages_and_files_come_from_the_nodes_disk(fleet: Fleet, vendor: Vendor, tmp_path: Path) -> None:
    (tmp_path / "app.apk").write_bytes(make_apk("com.example.app", 3))
    (tmp_path / "note.txt").write_text("hello")
    (tmp_path / "bad.apk").write_text("no package")

    await vendor.ok("installApk", {"filePath": str(tmp_path / "app.apk")})
    assert all("com.example.app" in names for names in (await vendor.ok("apkList")).values())
    assert "INSTALL_PARSE_FAILED" in await vendor.fails("installApk", {"filePath": str(tmp_path / "bad.apk")})
    await vendor.ok("uninstallApk", {"apk": "com.example.app"})
    assert "Failure" in await vendor.fails("uninstallApk", {"apk": "com.example.app"})

    await vendor.ok("uploadFile", {"filePath": str(tmp_path / "note.txt"), "isMedia": "0"})
    (tmp_path / "back").mkdir()
    await vendor.ok("pullFile", {"filePath": "/sdcard/Download/note.txt", "savePath": str(tmp_path / "back")})
    assert (tmp_path / "back" / "note.txt").read_text() == "hello"


async def test_tags_names_and_order_are_remembered(fleet: Fleet, vendor: Vendor) -> None:
    serial = fleet.phones[0].serial
    await vendor.ok("addTag", {"name": "rack"})
    await vendor.ok("addTagDevice", {"name": "rack"}, serial)
    await vendor.ok("updateTag", {"oldName": "rack", "name": "shelf"})
    assert await vendor.ok("getTags") == [{"name": "shelf", "devices": [serial]}]
    await vendor.ok("removeTagDevice", {"name": "shelf"}, serial)
    await vendor.ok("removeTag", {"name": "shelf"})
    assert await vendor.ok("getTags") == []
    assert "no tag shelf" in await vendor.fails("removeTag", {"name": "shelf"})

    await vendor.ok("updateDevices", {"name": "left", "sort": 9}, serial)
    first, _ = await vendor.ok("list")
    assert (first["name"], first["sort"]) == ("left", 9)
    await vendor.ok("writeClipBoard", {"content": "copied"}, serial)
    assert (fleet.phones[0].desktop.clipboard, fleet.phones[1].desktop.clipboard) == ("copied", "")
    assert list(await vendor.ok("imeList")) == fleet.addresses


@pytest.mark.parametrize(
    ("frame", "complaint"),
    [
        ("nonsense", "not a request"),
        ("[1]", "not a request"),
        ('{"action": "dance"}', "unknown action: dance"),
        ("{}", "unknown action: None"),
        ('{"action": "adb_shell"}', "data.command is missing"),
        ('{"action": "adb_shell", "data": {"command": "id"}, "devices": "ghost"}', "no such device: ghost"),
        ('{"action": "pointerEvent", "data": {"type": "99"}}', "data.type"),
        ('{"action": "pointerEvent", "data": {"type": "10", "x": "a", "y": "1"}}', "percentages"),
        ('{"action": "screen", "data": {"savePath": "/none"}}', "not a directory"),
    ],
)
async def test_what_cannot_be_done_is_code_10001_with_a_reason(vendor: Vendor, frame: str, complaint: str) -> None:
    await vendor.connection.send(frame)
    answer = json.loads(await vendor.connection.recv())

    assert answer["code"] == 10001
    assert complaint in answer["message"]
    assert len(await vendor.ok("list")) == 2


async def test_leaving_cancels_the_command_on_the_phone(fleet: Fleet) -> None:
    fleet.inject(Hang(when=When(match="^input")))
    async with connect(fleet.vendor_url) as connection:
        await connection.send('{"action": "adb_shell", "data": {"command": "input tap 1 1"}}')
        await fleet.record.wait_for(lambda entry: entry.line.startswith("input"))

    entry = await fleet.record.wait_for(lambda entry: entry.outcome is not None)
    assert (entry.outcome, entry.via) == ("cancelled", "vendor-1/0")


async def test_a_phone_that_goes_away_in_the_middle_is_a_failure(fleet: Fleet, vendor: Vendor) -> None:
    asking = asyncio.create_task(vendor.fails("adb_shell", {"command": "sleep 1000"}))
    await fleet.record.wait_for(lambda entry: entry.line == "sleep 1000")

    fleet.inject(Disconnect())

    assert "went away" in await asking
