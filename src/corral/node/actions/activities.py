"""Starting activities: which one an app opens with, `am start`, and waiting until it is in front."""

from __future__ import annotations

import re
from typing import Final

from msgspec import Struct

from corral.drivers.protocol import Phone
from corral.model.errors import ActionFailedError
from corral.model.reading import read_count
from corral.node.actions.commands import both_streams, find_complaint, run_tool, shortened
from corral.node.actions.front import components_in_front, in_full, package_of
from corral.node.actions.quoting import command_line
from corral.node.actions.waiting import Patience

FRONT_WAIT_S: Final = 30.0
_FRONT_PAUSE_S: Final = 0.5
_MAIN: Final = "android.intent.action.MAIN"
_LAUNCHER: Final = "android.intent.category.LAUNCHER"
_COMPONENT = re.compile(r"^\s*([A-Za-z][\w.]*)/([\w.$]+)\s*$", re.MULTILINE)
_LINE = re.compile(r"^\s*(Status|Activity|TotalTime|ThisTime|WaitTime):\s*(\S+)\s*$", re.MULTILINE)
# "Warning: Activity not started, its current task has been brought to the front": it is there, which is what counts.
_WARNING = re.compile(r"^Warning:\s*(.+)$", re.MULTILINE)


class Started(Struct, frozen=True, kw_only=True):
    """What `am start -W` reported."""

    activity: str | None = None
    start_ms: int | None = None
    warning: str | None = None


async def start_activity(phone: Phone, *intent: str) -> Started:
    """Start what the intent names and wait for its first picture; raises ActionFailedError in the device's words."""
    result = await phone.shell(command_line("am", "start", "-W", *intent))
    if complaint := find_complaint(result):
        raise ActionFailedError(f"am start: {complaint}")
    return parse_started(both_streams(result))


def parse_started(output: str) -> Started:
    """The report. One that was started before has no time, and its warning says so."""
    fields = dict(_LINE.findall(output))
    warning = _WARNING.search(output)
    took = fields.get("TotalTime") or fields.get("ThisTime") or ""
    component = _COMPONENT.search(fields.get("Activity", ""))
    return Started(
        activity=in_full(component[1], component[2]) if component else None,
        start_ms=read_count(took) if warning is None else None,
        warning=shortened(warning[1]) if warning else None,
    )


async def start_app(phone: Phone, package: str, activity: str | None) -> Started:
    """Start an app by the activity named, or as its icon would; raises ActionFailedError."""
    if activity is None:
        activity = await find_launcher(phone, package)
    if activity is None:
        return await _start_by_monkey(phone, package)
    component = f"{package}/{activity}"
    started = await start_activity(phone, "-a", _MAIN, "-c", _LAUNCHER, "-n", component)
    return started if started.activity else Started(activity=in_full(package, activity), warning=started.warning)


async def find_launcher(phone: Phone, package: str) -> str | None:
    """The class of the activity behind the app's icon; None if the device will not say (before Android 7), or has several."""
    command = command_line("cmd", "package", "resolve-activity", "--brief", "-a", _MAIN, "-c", _LAUNCHER, package)
    result = await phone.shell(command)
    found = [activity for owner, activity in _COMPONENT.findall(result.text) if owner == package]
    return found[-1] if found else None


async def is_installed(phone: Phone, package: str) -> bool:
    result = await phone.shell(command_line("pm", "path", package))
    return "package:" in result.text


async def _start_by_monkey(phone: Phone, package: str) -> Started:
    if not await is_installed(phone, package):
        raise ActionFailedError(f"{package} is not installed")
    result = await phone.shell(command_line("monkey", "-p", package, "-c", _LAUNCHER, "1"))
    said = both_streams(result)
    if "No activities found" in said or "monkey aborted" in said:
        raise ActionFailedError(f"{package} has no activity that a launcher could start")
    if "Events injected: 1" not in said and (complaint := find_complaint(result)):
        raise ActionFailedError(f"monkey: {complaint}")
    return Started()


async def wait_until_in_front(phone: Phone, package: str, *, wait_s: float = FRONT_WAIT_S) -> str:
    """The app's activity that is in front, once one is; raises ActionFailedError, naming what is there instead."""
    patience = Patience(wait_s)
    while True:
        front = await components_in_front(phone)
        own = next((component for component in front if package_of(component) == package), None)
        if own is not None:
            return own
        if patience.is_over:
            instead = ", ".join(front) or "nothing that the device would name"
            raise ActionFailedError(f"{package} did not come to the front within {wait_s:g} s; in front is {instead}")
        await patience.pause(_FRONT_PAUSE_S)


async def stop_app(phone: Phone, package: str) -> None:
    await run_tool(phone, "am", "force-stop", package)
