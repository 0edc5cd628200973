"""The vendor's actions. Those on a phone are command lines of its shell, so they are recorded and suffer like any other."""

from __future__ import annotations

import asyncio
import contextlib
import math
import posixpath
import shlex
import stat
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from corral.model.reading import read_count
from corral.simulator.phone.files import FileError
from corral.simulator.phone.phone import Phone
from corral.simulator.shell.streams import Captured
from corral.simulator.vendor.request import Request, VendorError, action

_KEYS: Final = {"1": "APP_SWITCH", "2": "HOME", "3": "BACK"}
_SCREEN_DELAY_S: Final = 0.05
_STILL_PERCENT: Final = 2.0
_ALL_PERCENT: Final = 100.0
_MAX_FILE: Final = 512 << 20
_SWIPES: Final = {
    "4": (50, 40, 50, 60),
    "5": (50, 60, 50, 40),
    "6": (50, 75, 50, 25),
    "7": (50, 25, 50, 75),
    "8": (75, 50, 25, 50),
    "9": (25, 50, 75, 50),
}


@action("list")
async def list_(request: Request) -> list[dict[str, Any]]:
    state = request.state
    return [
        {
            "serial": phone.handle,
            "onlySerial": phone.serial,
            "name": state.names.get(phone.serial, phone.identity.model.name),
            "model": phone.identity.model.name,
            "sort": state.order.get(phone.serial, phone.identity.index),
            "mode": 1,
            "status": 1,
            "hide": False,
            "width": phone.identity.width,
            "height": phone.identity.height,
            "sourceWidth": phone.identity.width,
            "sourceHeight": phone.identity.height,
            "connectTime": 0,
            "intranetIp": phone.handle.partition(":")[0],
        }
        for phone in request.online
    ]


@action("adb_shell")
async def adb_shell(request: Request) -> dict[str, str]:
    return await request.shell(request.text("command"))


@action("adb")
async def adb(request: Request) -> dict[str, str]:
    """A whole adb line; those that act on one phone's shell are known here."""
    try:
        words = shlex.split(request.text("command"))
    except ValueError as error:
        raise VendorError(f"data.command: {error}") from error
    words = words[1:] if words[:1] == ["adb"] else words
    match words:
        case ["shell" | "exec-out", *line] if line:
            return await request.shell(" ".join(line))
        case ["reboot"]:
            return await request.shell("reboot")
        case ["uninstall", package]:
            return await request.shell(f"pm uninstall {shlex.quote(package)}")
        case ["reconnect"]:
            return {phone.handle: f"reconnecting {phone.handle}\n" for phone in request.phones}
        case ["get-state"]:
            return {phone.handle: "device\n" for phone in request.phones}
        case ["get-serialno"]:
            return {phone.handle: f"{phone.handle}\n" for phone in request.phones}
        case _:
            raise VendorError("this adb command is not simulated")


@action("screen")
async def screen(request: Request) -> None:
    """The reply comes first; the files appear, in pieces, after it."""
    folder = Path(request.text("savePath"))
    try:
        is_there = await asyncio.to_thread(folder.is_dir)
    except OSError as error:
        raise VendorError(f"data.savePath: {error.strerror}") from error
    if not is_there:
        raise VendorError(f"data.savePath: {folder} is not a directory")
    for phone in request.phones:
        request.later(_take(request, phone, folder / f"{phone.serial}.png"))


async def _take(request: Request, phone: Phone, target: Path) -> None:
    await phone.clock.sleep(_SCREEN_DELAY_S)
    io = Captured()
    running = asyncio.create_task(phone.run("screencap -p", io, connection=request.connection))
    await asyncio.wait({running})
    if running.cancelled() or not io.stdout:
        return
    half = len(io.stdout) // 2
    with contextlib.suppress(OSError):  # the folder may be gone by now; nobody is told, as by the vendor's own
        await asyncio.to_thread(target.write_bytes, io.stdout[:half])
        await phone.clock.sleep(_SCREEN_DELAY_S)
        await asyncio.to_thread(target.write_bytes, io.stdout)


@action("pointerEvent")
async def pointer_event(request: Request) -> None:
    kind = request.text("type")
    if kind in _SWIPES:
        await _per_phone(request, lambda phone: "input swipe " + _points(phone, _SWIPES[kind]) + " 200")
    elif kind in {"0", "1", "2", "10"}:
        await _touch(request, kind, (_percentage(request, "x"), _percentage(request, "y")))
    else:
        raise VendorError(f"data.type: no pointer event {kind}")


def _percentage(request: Request, name: str) -> float:
    try:
        share = float(request.text(name))
    except ValueError:
        share = math.nan
    if not 0 <= share <= _ALL_PERCENT:
        raise VendorError("data.x and data.y are percentages")
    return share


async def _touch(request: Request, kind: str, where: tuple[float, float]) -> None:
    """A click; or a finger that goes down, moves, and goes up: where it went down is a click, elsewhere a swipe."""

    def line(phone: Phone) -> str:
        start = request.state.pressed.pop(phone.serial, where)
        if max(abs(start[0] - where[0]), abs(start[1] - where[1])) < _STILL_PERCENT:
            return "input tap " + _points(phone, where)
        return "input swipe " + _points(phone, (*start, *where)) + " 200"

    if kind == "0":
        request.state.pressed.update({phone.serial: where for phone in request.phones})
    elif kind in {"1", "10"}:
        await _per_phone(request, line)


def _points(phone: Phone, percentages: Sequence[float]) -> str:
    sizes = (phone.identity.width, phone.identity.height)
    return " ".join(str(round(sizes[at % 2] * share / 100)) for at, share in enumerate(percentages))


async def _per_phone(request: Request, line: Callable[[Phone], str]) -> None:
    for phone in request.phones:
        await replace(request, phones=[phone]).shell(line(phone))


@action("pushEvent")
async def push_event(request: Request) -> None:
    key = _KEYS.get(request.text("type"))
    if key is None:
        raise VendorError("data.type: 1 recents, 2 home, 3 back")
    await request.shell(f"input keyevent {key}")


@action("inputText")
async def input_text(request: Request) -> None:
    await request.shell(f"input text {shlex.quote(request.text('content'))}")


@action("writeClipBoard")
async def write_clipboard(request: Request) -> None:
    content = request.text("content")
    for phone in request.phones:
        phone.desktop.clipboard = content


@action("startApk")
async def start_apk(request: Request) -> None:
    package = shlex.quote(request.text("apk"))
    _refuse("monkey aborted", await request.shell(f"monkey -p {package} -c android.intent.category.LAUNCHER 1"))


@action("stopApk")
async def stop_apk(request: Request) -> None:
    await request.shell(f"am force-stop {shlex.quote(request.text('apk'))}")


@action("uninstallApk")
async def uninstall_apk(request: Request) -> None:
    _refuse("Failure", await request.shell(f"pm uninstall {shlex.quote(request.text('apk'))}"))


@action("installApk")
async def install_apk(request: Request) -> None:
    data = await _host_file(request.text("filePath"))
    target = "/data/local/tmp/vendor.apk"
    for phone in request.phones:
        request.store(phone, target, data)
    printed = await request.shell(f"pm install -r {target}; rm -f {target}")
    _refuse("Failure", printed)


def _refuse(sign: str, printed: dict[str, str]) -> None:
    failed = [f"{handle}: {text.strip()}" for handle, text in printed.items() if sign in text]
    if failed:
        raise VendorError("; ".join(failed))


@action("uploadFile")
async def upload_file(request: Request) -> None:
    source = request.text("filePath")
    data = await _host_file(source)
    folder = "/sdcard/Pictures" if request.data.get("isMedia") == "1" else "/sdcard/Download"
    for phone in request.phones:
        request.store(phone, posixpath.join(folder, Path(source).name), data)


@action("pullFile")
async def pull_file(request: Request) -> None:
    path, folder = request.text("filePath"), Path(request.text("savePath"))
    for phone in request.phones:
        try:
            data = phone.files.read(path)
            await asyncio.to_thread((folder / posixpath.basename(path)).write_bytes, data)
        except (FileError, OSError, ValueError) as error:
            raise VendorError(f"{phone.handle}: {error}") from error


async def _host_file(name: str) -> bytes:
    try:
        path = Path(name)
        found = await asyncio.to_thread(path.stat)
        if not stat.S_ISREG(found.st_mode):  # some files have no end
            raise VendorError(f"data.filePath: {name} is not a file")
        if found.st_size > _MAX_FILE:
            raise VendorError(f"data.filePath: {name} is too large")
        return await asyncio.to_thread(path.read_bytes)
    except (OSError, ValueError) as error:
        raise VendorError(f"data.filePath: {error}") from error


@action("apkList")
async def apk_list(request: Request) -> dict[str, list[str]]:
    return {phone.handle: [package.name for package in phone.packages.all()] for phone in request.phones}


@action("imeList")
async def ime_list(request: Request) -> dict[str, list[str]]:
    return {phone.handle: [phone.settings["secure"]["default_input_method"]] for phone in request.phones}


@action("selectIme")
async def select_ime(request: Request) -> None:
    await request.shell(f"ime set {shlex.quote(request.text('ime'))}")


@action("updateDevices")
async def update_devices(request: Request) -> None:
    given = request.data if isinstance(request.data, dict) else None
    if given is None:
        raise VendorError("data is missing")
    sort = read_count(request.text("sort")) if "sort" in given else None
    if "sort" in given and sort is None:
        raise VendorError("data.sort is not a number")
    for phone in request.phones:
        if "name" in given:
            request.state.names[phone.serial] = request.text("name")
        if sort is not None:
            request.state.order[phone.serial] = sort


@action("actionTasks")
async def action_tasks(_request: Request) -> list[Any]:
    return []


@action("autojsTasks")
async def autojs_tasks(_request: Request) -> list[Any]:
    return []
