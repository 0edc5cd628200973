"""The phone's screen: how large it is, and what is on it."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from corral.drivers.protocol import Phone
from corral.model.errors import ActionFailedError
from corral.node.actions.commands import both_streams, check_booted, shortened
from corral.node.actions.hierarchy import Element, HierarchyError, Matcher, describe, find_texts, read_hierarchy
from corral.node.actions.waiting import Patience

# One name for all dumps: a command cut off in the middle leaves at most one file, which the next one removes.
_DUMP: Final = "/data/local/tmp/corral-ui.xml"
# Some phones kill uiautomator after it did its work, so its exit code tells nothing; a file that is there does.
DUMP_COMMAND: Final = f"rm -f {_DUMP}; uiautomator dump {_DUMP}; cat {_DUMP} 2>/dev/null; rm -f {_DUMP}"
_MOST_DUMP: Final = 8 << 20

SIZE_COMMAND: Final = "wm size; dumpsys window displays | grep -m 1 cur="
_WM_SIZE = re.compile(r"(Override|Physical) size:\s*([0-9]{1,6})x([0-9]{1,6})\b")
_CURRENT = re.compile(r"\bcur=([0-9]{1,6})x([0-9]{1,6})\b")


class Size(NamedTuple):
    width: int
    height: int


async def read_size(phone: Phone) -> Size:
    """The size of the screen as it is held now, in the pixels that taps are counted in; raises ActionFailedError.

    `wm size` knows nothing of rotation; the display's own report does, where it can be read.
    """
    result = await phone.shell(SIZE_COMMAND)
    check_booted(result)
    size = parse_size(result.text)
    if size is None:
        raise ActionFailedError(f"the device does not say how large its screen is: {shortened(both_streams(result))}")
    return size


def parse_size(output: str) -> Size | None:
    """The size in the output of `wm size`, the override first, turned as the display is if that is told."""
    sizes = {kind: Size(int(width), int(height)) for kind, width, height in _WM_SIZE.findall(output)}
    natural = sizes.get("Override") or sizes.get("Physical")
    current = _CURRENT.search(output)
    if current is None:
        return natural
    turned = Size(int(current[1]), int(current[2]))
    return turned if natural is None or sorted(turned) == sorted(natural) else natural


async def dump(phone: Phone) -> list[Element]:
    """What is on the screen now; raises HierarchyError for a hiccup, ActionFailedError where there is no uiautomator."""
    result = await phone.shell(DUMP_COMMAND, max_output_bytes=_MOST_DUMP)
    check_booted(result)
    output = result.stdout.decode(errors="replace")
    if "<hierarchy" in output:
        return read_hierarchy(output)
    said = shortened(both_streams(result)) or "nothing"
    if "uiautomator: " in said and ("not found" in said or "inaccessible" in said):
        raise ActionFailedError(f"the device has no uiautomator: {said}")
    raise HierarchyError(f"uiautomator said: {said}")


class Look(NamedTuple):
    """One look at the screen: what is on it, or why nothing could be seen."""

    elements: list[Element]
    trouble: str | None = None

    def __str__(self) -> str:
        return (
            f"the screen could not be read: {self.trouble}" if self.trouble else f"it shows {describe(self.elements)}"
        )


async def look(phone: Phone) -> Look:
    """Look once. A screen that keeps moving, or is just changing, is trouble that another look may not have."""
    try:
        return Look(await dump(phone))
    except HierarchyError as error:
        return Look([], str(error))


async def find_text(phone: Phone, fits: Matcher, *, index: int, wait_s: float, pause_s: float = 0.5) -> Element | Look:
    """The element with the text, or the last look if it did not appear in time."""
    patience = Patience(wait_s)
    while True:
        seen = await look(phone)
        found = [element for element, _ in find_texts(seen.elements, fits)]
        if len(found) > index:
            return found[index]
        if patience.is_over:
            return seen
        await patience.pause(pause_s)
