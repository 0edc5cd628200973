"""The screen: screencap, uiautomator, wm."""

from __future__ import annotations

import re
from typing import Final

from corral.simulator.phone.identity import density, story_of
from corral.simulator.screen import paint
from corral.simulator.shell.call import Call, command

_DUMP: Final = "/sdcard/window_dump.xml"


@command("screencap", reads=True)
async def screencap(call: Call) -> int:
    """`screencap -p` to the output, or to a file named at the end."""
    names = [arg for arg in call.args if not arg.startswith("-")]
    if "-p" not in call.args and not names:
        return await call.fail("screencap: only PNG (-p) is simulated")
    picture = _picture(call)
    if names:
        call.phone.files.write(call.path(names[-1]), picture)
    elif picture:
        await call.write(picture)
    return 0


def _picture(call: Call) -> bytes:
    match call.effects.screencap:
        case "empty":
            return b""
        case "garbage":
            return story_of(call.phone.seed, call.phone.serial, "garbage").randbytes(2048)
        case "truncated":
            whole = call.phone.screenshot()
            return whole[: len(whole) // 2]
        case "black":
            return paint.blank(call.phone.grid)
        case _:
            return call.phone.screenshot()


@command("uiautomator", reads=("dump",))
async def uiautomator(call: Call) -> int:
    if call.args[:1] != ["dump"]:
        return await call.fail("Unsupported command: " + " ".join(call.args))
    names = [arg for arg in call.args[1:] if not arg.startswith("-")]
    path = names[-1] if names else _DUMP
    if not call.phone.desktop.is_awake:
        return await call.fail("ERROR: null root node returned by UiTestAutomationBridge.")
    xml = call.phone.hierarchy()
    if path == "/dev/tty":
        await call.write(xml.encode())
    else:
        call.phone.files.write(call.path(path), xml.encode())
    await call.print(f"UI hierchary dumped to: {path}")  # spelt so by Android
    return 0


@command("wm", reads=("size", "density"))
async def wm(call: Call) -> int:
    identity = call.phone.identity
    match list(call.args):
        case ["size"]:
            await call.print(f"Physical size: {identity.width}x{identity.height}")
        case ["density"]:
            await call.print(f"Physical density: {density(identity.width)}")
        case ["dismiss-keyguard"]:
            call.phone.desktop.dismiss_lock()
        case ["size" | "density", value] if value == "reset" or re.fullmatch(r"\d+(x\d+)?", value):
            return await call.fail("Error: the simulated screen cannot be resized")
        case [unknown, *_]:
            return await call.fail(f"Unknown command: {unknown}", 255)
        case _:
            return await call.fail("Window manager (window) commands:\n  size, density, dismiss-keyguard", 255)
    return 0
