import asyncio
from pathlib import Path

import pytest

from corral.simulator import Fleet
from corral.simulator.apk import make_apk
from corral.simulator.scenario.model import Disconnect, Scenario, Setup, Unauthorized
from corral.simulator.screen.read import read_screen
from tests.simulator.adb import Adb, AdbPhone


async def test_adb_connects_and_describes_the_phone(fleet: Fleet, phone: AdbPhone) -> None:
    model = fleet.phones[0].identity.model

    line = next(line for line in (await phone.adb("devices", "-l")).text.splitlines() if phone.address in line)

    assert "device" in line.split()
    assert f"product:{model.product}" in line
    assert f"model:{model.name.replace(' ', '_').replace('-', '_')}" in line
    assert f"device:{model.device}" in line
    assert (await phone("get-state")).text == "device\n"
    assert (await phone("get-serialno")).text == f"{phone.address}\n"


async def test_the_second_shell_protocol_keeps_output_complaints_and_status_apart(phone: AdbPhone) -> None:
    said = await phone("shell", "echo out; echo complaint >&2; exit 3")

    assert (said.status, said.out, said.err) == (3, b"out\n", b"complaint\n")


async def test_the_first_shell_protocol_mixes_them_and_has_no_status(phone: AdbPhone) -> None:
    said = await phone("shell", "-x", "echo out; echo complaint >&2; exit 3")

    assert (said.status, said.out) == (0, b"out\ncomplaint\n")


async def test_what_is_typed_into_adb_reaches_the_command(phone: AdbPhone) -> None:
    assert (await phone("shell", "cat | wc -c", stdin=b"x" * 300_000)).out == b"300000\n"


async def test_an_interactive_shell_runs_line_after_line(phone: AdbPhone) -> None:
    said = await phone("shell", stdin=b"echo one\ngetprop ro.product.cpu.abi\nexit 4\n")

    assert (said.status, said.out) == (4, b"one\narm64-v8a\n")


async def test_a_screenshot_comes_through_adb_whole_and_shows_the_serial(fleet: Fleet, phone: AdbPhone) -> None:
    picture = (await phone("exec-out", "screencap", "-p")).out

    assert fleet.phones[0].serial in read_screen(picture)[0]


async def test_files_of_any_bytes_and_size_go_there_and_back(phone: AdbPhone, tmp_path: Path) -> None:
    for size in (0, 1, 65_536, 1_500_001):
        source, copy = tmp_path / "source", tmp_path / "copy"
        source.write_bytes(bytes(range(256)) * (size // 256) + b"\xff" * (size % 256))

        pushed = await phone("push", source, "/sdcard/new/folder/file")
        pulled = await phone("pull", "/sdcard/new/folder/file", copy)

        assert (pushed.status, pulled.status) == (0, 0), (pushed, pulled)
        assert copy.read_bytes() == source.read_bytes()


async def test_a_folder_goes_there_and_back(phone: AdbPhone, tmp_path: Path) -> None:
    (tmp_path / "tree" / "inner").mkdir(parents=True)
    (tmp_path / "tree" / "a.txt").write_text("a")
    (tmp_path / "tree" / "inner" / "b.txt").write_text("b")

    assert (await phone("push", tmp_path / "tree", "/sdcard/")).status == 0
    assert (await phone("pull", "/sdcard/tree", tmp_path / "back")).status == 0

    assert (tmp_path / "back" / "inner" / "b.txt").read_text() == "b"
    assert "tree" in (await phone("ls", "/sdcard")).text


async def test_pulling_what_is_not_there_and_pushing_where_one_may_not_fail(phone: AdbPhone, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")

    missing = await phone("pull", "/sdcard/none", tmp_path / "copy")
    forbidden = await phone("push", tmp_path / "file", "/system/file")

    assert missing.status != 0
    assert b"No such file" in missing.out + missing.err
    assert forbidden.status != 0
    assert b"Read-only file system" in forbidden.out + forbidden.err


@pytest.mark.parametrize("way", ["--streaming", "--no-streaming"])
async def test_a_package_is_installed_and_removed(way: str, phone: AdbPhone, tmp_path: Path) -> None:
    package = tmp_path / "app.apk"
    package.write_bytes(make_apk("com.example.app", 4, "1.4", padding=200_000))

    installed = await phone("install", way, package)
    listed = await phone("shell", "pm list packages -3 --show-versioncode")
    removed = await phone("uninstall", "com.example.app")
    again = await phone("uninstall", "com.example.app")

    assert (installed.status, "Success" in installed.text) == (0, True), installed
    assert "package:com.example.app versionCode:4" in listed.text
    assert removed.text == "Success\n"
    assert (again.status, again.text) == (1, "Failure [DELETE_FAILED_INTERNAL_ERROR]\n")


async def test_a_phone_without_cmd_gets_packages_pushed(adb: Adb, tmp_path: Path) -> None:
    (tmp_path / "app.apk").write_bytes(make_apk("com.example.app"))
    async with Fleet(1, scenario=Scenario(setup=Setup(cmd=False))) as fleet:
        phone = AdbPhone(adb, fleet.addresses[0])
        await adb("connect", phone.address)

        installed = await phone("install", tmp_path / "app.apk")

        assert "Performing Push Install" in installed.text
        assert "Success" in installed.text
        await adb("disconnect", phone.address)


async def test_a_refused_package_is_refused_in_androids_words(phone: AdbPhone, tmp_path: Path) -> None:
    package = tmp_path / "app.apk"
    package.write_bytes(make_apk("com.example.app", 2))
    await phone("install", package)
    package.write_bytes(make_apk("com.example.app", 1))

    said = await phone("install", package)

    assert said.status == 1
    assert b"INSTALL_FAILED_VERSION_DOWNGRADE: Downgrade detected: Update version code 1 is older than" in said.err


async def test_a_phone_reboots_and_comes_back_by_itself(fleet: Fleet, phone: AdbPhone) -> None:
    fleet.phones[0].files.write("/sdcard/kept", b"x")

    assert (await phone("reboot")).status == 0
    assert await phone.state() == "offline"
    assert (await phone("wait-for-device")).status == 0

    assert (await phone("shell", "ls /sdcard/kept")).out == b"/sdcard/kept\n"
    assert float((await phone("shell", "uptime")).text.split("up")[1].split(",")[0].replace(":", "")) == 0


async def test_track_devices_sees_a_phone_go_and_come(fleet: Fleet, phone: AdbPhone) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", phone.adb.port)
    writer.write(b"0012host:track-devices")
    assert await reader.readexactly(4) == b"OKAY"

    async def until(state: str) -> None:
        while True:
            length = int(await reader.readexactly(4), 16)
            listed = (await reader.readexactly(length)).decode()
            if f"{phone.address}\t{state}\n" in listed:
                return

    await until("device")
    fleet.inject(Disconnect(id="cable"))
    await until("offline")
    fleet.clear("cable")
    await until("device")
    writer.close()
    await writer.wait_closed()


async def test_an_unauthorized_phone_is_let_in_once_somebody_confirms(adb: Adb) -> None:
    async with Fleet(1, scenario=Scenario(faults=(Unauthorized(id="asks"),))) as fleet:
        phone = AdbPhone(adb, fleet.addresses[0])

        said = await adb("connect", phone.address)
        assert "failed to authenticate" in said.text
        assert await phone.state() == "unauthorized"
        refused = await phone("shell", "echo hello")
        assert (refused.status, b"unauthorized" in refused.err) == (1, True)

        fleet.clear("asks")
        assert (await phone("wait-for-device")).status == 0
        assert (await phone("shell", "echo hello")).out == b"hello\n"
        await adb("disconnect", phone.address)


async def test_leaving_adb_cancels_the_command_on_the_phone(fleet: Fleet, phone: AdbPhone) -> None:
    process = await phone.adb.begin("-s", phone.address, "shell", "sleep 1000")
    entry = await fleet.record.wait_for(lambda entry: entry.line == "sleep 1000")

    process.kill()
    await process.wait()
    await fleet.record.wait_for(lambda entry: entry.line == "sleep 1000" and entry.outcome is not None)

    assert entry.outcome == "cancelled"


async def test_two_adb_commands_run_on_one_phone_at_once(phone: AdbPhone) -> None:
    said = await asyncio.gather(*(phone("shell", f"sleep 0.2; echo {number}") for number in range(5)))

    assert [each.text for each in said] == [f"{number}\n" for number in range(5)]
