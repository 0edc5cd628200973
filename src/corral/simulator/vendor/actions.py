"""The vendor's actions. Those on a phone are command lines of its shell, so they are recorded and suffer like any other."""

from __future__ import annotations

import asyncio
import posixpath
import shlex
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from corral.simulator.phone.files import FileError
from corral.simulator.phone.phone import Phone
from corral.simulator.shell.streams import Captured
from corral.simulator.vendor.state import VendorState

_KEYS: Final = {"1": "APP_SWITCH", "2": "HOME", "3": "BACK"}
_SCREEN_DELAY_S: Final = 0.05
_MAX_FILE: Final = 512 << 20
_SWIPES: Final = {
    "4": (50, 40, 50, 60),
    "5": (50, 60, 50, 40),
    "6": (50, 75, 50, 25),
    "7": (50, 25, 50, 75),
    "8": (75, 50, 25, 50),
    "9": (25, 50, 75, 50),
}


class VendorError(Exception):
    """What is answered with code 10001."""


@dataclass(frozen=True, kw_only=True)
class Request:
    """One call: its data, the phones that it is for, and all that are online."""

    data: Any
    phones: Sequence[Phone]
    online: Sequence[Phone]
    state: VendorState
    connection: str
    later: Callable[[Coroutine[Any, Any, None]], None]

    def text(self, name: str) -> str:
        """A value that must be there. Numbers are taken for their text."""
        value = self.data.get(name) if isinstance(self.data, dict) else None
        if value is None or isinstance(value, dict | list):
            raise VendorError(f"data.{name} is missing")
        return str(value)

    async def shell(self, line: str) -> dict[str, str]:
        """Run a line on every phone of the call, all at once; what each printed, by its handle."""
        tasks = [asyncio.create_task(self._one(phone, line)) for phone in self.phones]
        try:
            printed = await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
        return {phone.handle: text for phone, text in zip(self.phones, printed, strict=True)}

    async def _one(self, phone: Phone, line: str) -> str:
        io = _Merged()
        running = asyncio.create_task(phone.run(line, io, connection=self.connection))
        try:
            await asyncio.wait({running})
        finally:
            running.cancel()
        if running.cancelled():
            raise VendorError(f"{phone.handle} went away")
        running.result()
        return bytes(io.stdout).decode(errors="replace")

    def store(self, phone: Phone, path: str, data: bytes) -> None:
        try:
            phone.files.write(path, data)
        except FileError as error:
            raise VendorError(f"{phone.handle}: {error}") from error


class _Merged(Captured):
    async def err(self, data: bytes) -> None:
        await self.out(data)


Action = Callable[[Request], Awaitable[Any]]
ACTIONS: Final[dict[str, Action]] = {}


def _action(name: str) -> Callable[[Action], Action]:
    def enter(handler: Action) -> Action:
        ACTIONS[name.lower()] = handler
        return handler

    return enter


@_action("list")
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


@_action("adb_shell")
async def adb_shell(request: Request) -> dict[str, str]:
    return await request.shell(request.text("command"))


@_action("adb")
async def adb(request: Request) -> dict[str, str]:
    """A whole adb line; those that act on one phone's shell are known here."""
    words = shlex.split(request.text("command"))
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


@_action("screen")
async def screen(request: Request) -> None:
    """The reply comes first; the files appear, in pieces, after it."""
    folder = Path(request.text("savePath"))
    if not await asyncio.to_thread(folder.is_dir):
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
    await asyncio.to_thread(target.write_bytes, io.stdout[:half])
    await phone.clock.sleep(_SCREEN_DELAY_S)
    await asyncio.to_thread(target.write_bytes, io.stdout)


@_action("pointerEvent")
async def pointer_event(request: Request) -> None:
    kind = request.text("type")
    if kind in _SWIPES:
        await _per_phone(request, lambda phone: "input swipe " + _points(phone, _SWIPES[kind]) + " 200")
    elif kind in {"0", "1", "2", "10"}:
        try:
            where = (float(request.text("x")), float(request.text("y")))
        except ValueError as error:
            raise VendorError("data.x and data.y are percentages") from error
        if kind in {"1", "10"}:  # a finger that goes up where it went down is a click; moves are not told apart
            await _per_phone(request, lambda phone: "input tap " + _points(phone, where))
    else:
        raise VendorError(f"data.type: no pointer event {kind}")


def _points(phone: Phone, percentages: Sequence[float]) -> str:
    sizes = (phone.identity.width, phone.identity.height)
    return " ".join(str(round(sizes[at % 2] * share / 100)) for at, share in enumerate(percentages))


async def _per_phone(request: Request, line: Callable[[Phone], str]) -> None:
    for phone in request.phones:
        alone = Request(
            data=request.data,
            phones=[phone],
            online=request.online,
            state=request.state,
            connection=request.connection,
            later=request.later,
        )
        await alone.shell(line(phone))


@_action("pushEvent")
async def push_event(request: Request) -> None:
    key = _KEYS.get(request.text("type"))
    if key is None:
        raise VendorError("data.type: 1 recents, 2 home, 3 back")
    await request.shell(f"input keyevent {key}")


@_action("inputText")
async def input_text(request: Request) -> None:
    await request.shell(f"input text {shlex.quote(request.text('content'))}")


@_action("writeClipBoard")
async def write_clipboard(request: Request) -> None:
    content = request.text("content")
    for phone in request.phones:
        phone.desktop.clipboard = content


@_action("startApk")
async def start_apk(request: Request) -> None:
    package = shlex.quote(request.text("apk"))
    _refuse("monkey aborted", await request.shell(f"monkey -p {package} -c android.intent.category.LAUNCHER 1"))


@_action("stopApk")
async def stop_apk(request: Request) -> None:
    await request.shell(f"am force-stop {shlex.quote(request.text('apk'))}")


@_action("uninstallApk")
async def uninstall_apk(request: Request) -> None:
    _refuse("Failure", await request.shell(f"pm uninstall {shlex.quote(request.text('apk'))}"))


@_action("installApk")
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


@_action("uploadFile")
async def upload_file(request: Request) -> None:
    source = request.text("filePath")
    data = await _host_file(source)
    folder = "/sdcard/Pictures" if request.data.get("isMedia") == "1" else "/sdcard/Download"
    for phone in request.phones:
        request.store(phone, posixpath.join(folder, Path(source).name), data)


@_action("pullFile")
async def pull_file(request: Request) -> None:
    path, folder = request.text("filePath"), Path(request.text("savePath"))
    for phone in request.phones:
        try:
            data = phone.files.read(path)
            await asyncio.to_thread((folder / posixpath.basename(path)).write_bytes, data)
        except (FileError, OSError) as error:
            raise VendorError(f"{phone.handle}: {error}") from error


async def _host_file(name: str) -> bytes:
    try:
        path = Path(name)
        if (await asyncio.to_thread(path.stat)).st_size > _MAX_FILE:
            raise VendorError(f"data.filePath: {name} is too large")
        return await asyncio.to_thread(path.read_bytes)
    except OSError as error:
        raise VendorError(f"data.filePath: {error}") from error


@_action("apkList")
async def apk_list(request: Request) -> dict[str, list[str]]:
    return {phone.handle: [package.name for package in phone.packages.all()] for phone in request.phones}


@_action("imeList")
async def ime_list(request: Request) -> dict[str, list[str]]:
    return {phone.handle: [phone.settings["secure"]["default_input_method"]] for phone in request.phones}


@_action("selectIme")
async def select_ime(request: Request) -> None:
    await request.shell(f"ime set {shlex.quote(request.text('ime'))}")


@_action("updateDevices")
async def update_devices(request: Request) -> None:
    for phone in request.phones:
        if "name" in (request.data or {}):
            request.state.names[phone.serial] = request.text("name")
        if "sort" in (request.data or {}):
            sort = request.text("sort")
            if not sort.isdigit():
                raise VendorError("data.sort is not a number")
            request.state.order[phone.serial] = int(sort)


@_action("getTags")
async def get_tags(request: Request) -> list[dict[str, Any]]:
    return [{"name": name, "devices": serials} for name, serials in request.state.tags.items()]


@_action("addTag")
async def add_tag(request: Request) -> None:
    request.state.tags.setdefault(request.text("name"), [])


@_action("removeTag")
async def remove_tag(request: Request) -> None:
    _tag(request, request.text("name"))
    del request.state.tags[request.text("name")]


@_action("updateTag")
async def update_tag(request: Request) -> None:
    _tag(request, request.text("oldName"))
    request.state.tags[request.text("name")] = request.state.tags.pop(request.text("oldName"))


@_action("addTagDevice")
async def add_tag_device(request: Request) -> None:
    tagged = _tag(request, request.text("name"))
    tagged += [phone.serial for phone in request.phones if phone.serial not in tagged]


@_action("removeTagDevice")
async def remove_tag_device(request: Request) -> None:
    tagged = _tag(request, request.text("name"))
    tagged[:] = [serial for serial in tagged if serial not in {phone.serial for phone in request.phones}]


def _tag(request: Request, name: str) -> list[str]:
    if name not in request.state.tags:
        raise VendorError(f"no tag {name}")
    return request.state.tags[name]


@_action("actionTasks")
async def action_tasks(_request: Request) -> list[Any]:
    return []


@_action("autojsTasks")
async def autojs_tasks(_request: Request) -> list[Any]:
    return []
