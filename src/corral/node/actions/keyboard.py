"""Typing. `input text` takes printable ASCII alone, and `%s` for a space; the rest goes by keys, or by ADBKeyBoard.

What is typed is never part of a message: it may be a password.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from typing import Final

from corral.drivers.protocol import Phone
from corral.model.errors import ActionFailedError
from corral.node.actions.commands import run_tool

_KEYS: Final = {"\n": "KEYCODE_ENTER", "\t": "KEYCODE_TAB"}
# `input text` makes a space of "%s" and knows no escape, so a "%" and the "s" after it are typed apart.
_PIECES = re.compile(r"[\n\t]|(?:%(?!s)|[^%\n\t]){1,200}|%(?=s)")
_UNTYPABLE = re.compile(r"[^\x20-\x7e\n\t]")
_ADB_KEYBOARD: Final = "com.android.adbkeyboard/.AdbIME"


async def type_text(phone: Phone, text: str) -> None:
    """Type into whatever has the focus; raises ActionFailedError for characters that cannot be typed."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if _UNTYPABLE.search(text):
        await _type_by_adb_keyboard(phone, text)
        return
    for command in typing_commands(text):
        await run_tool(phone, *command)


def typing_commands(text: str) -> Iterator[tuple[str, ...]]:
    """The commands that type a text of printable ASCII, line breaks and tabs."""
    for piece in _PIECES.findall(text):
        if piece in _KEYS:
            yield ("input", "keyevent", _KEYS[piece])
        else:
            yield ("input", "text", piece.replace(" ", "%s"))


async def press(phone: Phone, *keys: str) -> None:
    """Press keys, one after the other."""
    await run_tool(phone, "input", "keyevent", *keys)


async def hide_keyboard(phone: Phone) -> None:
    """Take the on-screen keyboard away if it is shown: Escape first, as Back may leave the screen on some phones."""
    for key in ("KEYCODE_ESCAPE", "KEYCODE_BACK"):
        shown = await phone.shell("dumpsys input_method | grep mInputShown")
        if "mInputShown=true" not in shown.text:
            return
        await press(phone, key)


async def _type_by_adb_keyboard(phone: Phone, text: str) -> None:
    if _ADB_KEYBOARD not in await run_tool(phone, "settings", "get", "secure", "default_input_method"):
        position = _UNTYPABLE.search(text)
        where = f"the character at position {position.start() + 1}" if position else "a character"
        raise ActionFailedError(
            f"the device's shell cannot type {where}: only ASCII, unless ADBKeyBoard is installed and selected as input method"
        )
    encoded = base64.b64encode(text.encode("utf-8", "replace")).decode()
    await run_tool(phone, "am", "broadcast", "-a", "ADB_INPUT_B64", "--es", "msg", encoded)
