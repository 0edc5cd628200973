"""Fingers and keys: input."""

import math
from collections.abc import Callable
from typing import Final

from corral.model.reading import read_number
from corral.simulator.phone.desktop import Desktop
from corral.simulator.shell.call import Call, command

_CODES: Final = {
    "3": "HOME",
    "4": "BACK",
    "19": "DPAD_UP",
    "20": "DPAD_DOWN",
    "26": "POWER",
    "61": "TAB",
    "62": "SPACE",
    "66": "ENTER",
    "67": "DEL",
    "82": "MENU",
    "187": "APP_SWITCH",
    "223": "SLEEP",
    "224": "WAKEUP",
}
_SOURCES: Final = frozenset({"touchscreen", "keyboard", "dpad", "mouse", "touchpad", "trackball", "gamepad"})
_DEFAULT_SWIPE_MS: Final = 300


def _power(desktop: Desktop) -> None:
    if desktop.is_awake:
        desktop.sleep()
    else:
        desktop.wake()


_KEYS: Final[dict[str, Callable[[Desktop], None]]] = {
    "HOME": Desktop.home,
    "BACK": Desktop.back,
    "POWER": _power,
    "SLEEP": Desktop.sleep,
    "WAKEUP": Desktop.wake,
    "ENTER": Desktop.enter,
    "DEL": Desktop.delete,
    "TAB": Desktop.focus_next,
    "MENU": Desktop.dismiss_lock,
    "SPACE": lambda desktop: desktop.type(" "),
}


def press(desktop: Desktop, key: str) -> bool:
    """Press a key by number or name; False if there is no such key. Most keys do nothing here."""
    name = _CODES.get(key, key).upper().removeprefix("KEYCODE_")
    if not key.isdigit() and not name.replace("_", "").isalnum():
        return False
    act = _KEYS.get(name)
    if act is not None:
        act(desktop)
    return True


@command("input")
async def input_(call: Call) -> int:
    args = list(call.args)
    if args[:1] and args[0] in _SOURCES:
        args.pop(0)
    desktop = call.phone.desktop
    try:
        match args:
            case ["tap", x, y]:
                desktop.tap(_place(x), _place(y))
            case ["swipe" | "draganddrop", x1, y1, x2, y2, *duration]:
                await _swipe(call, [_place(value) for value in (x1, y1, x2, y2)], duration)
            case ["text", *words] if words:
                desktop.type(" ".join(words).replace("%s", " "))
            case ["keyevent", *keys] if keys:
                return await _keyevent(call, [key for key in keys if key != "--longpress"])
            case ["roll" | "press" | "motionevent", *_]:
                return 0
            case [unknown, *_]:
                return await call.fail(f"Error: Unknown command: {unknown}", 255)
            case _:
                return await call.fail("Usage: input [<source>] [-d DISPLAY_ID] <command> [<arg>...]", 255)
    except ValueError:
        return await call.fail(f"Error: Invalid arguments for command: {args[0]}", 255)
    return 0


def _place(word: str) -> float:
    place = float(word)
    if not math.isfinite(place):
        raise ValueError(word)
    return place


async def _swipe(call: Call, points: list[float], duration: list[str]) -> None:
    """A finger takes its time; the screen has moved when the command ends."""
    milliseconds = read_number(duration[0]) if duration else _DEFAULT_SWIPE_MS
    if milliseconds is None:
        raise ValueError(duration[0])
    await call.phone.clock.sleep(milliseconds / 1000)
    call.phone.desktop.swipe((points[0], points[1]), (points[2], points[3]))


async def _keyevent(call: Call, keys: list[str]) -> int:
    for key in keys:
        if not press(call.phone.desktop, key):
            return await call.fail(f"Error: Unknown keycode: {key}", 255)
    return 0
