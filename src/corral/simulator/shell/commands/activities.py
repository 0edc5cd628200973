"""Starting and stopping apps: am, monkey."""

from __future__ import annotations

from typing import Final, NamedTuple

from corral.simulator.phone.apps.system import BROWSER, LAUNCHER, SETTINGS
from corral.simulator.phone.desktop import NoActivityError, full_name, short_name
from corral.simulator.phone.identity import story_of
from corral.simulator.shell.call import Call, command
from corral.simulator.shell.commands.instrument import instrument

_VIEW: Final = "android.intent.action.VIEW"
_BY_ACTION: Final = {
    "android.settings.SETTINGS": (SETTINGS, f"{SETTINGS}.Settings"),
    "android.settings.DEVICE_INFO_SETTINGS": (SETTINGS, f"{SETTINGS}.DeviceInfoSettings"),
    "android.settings.DISPLAY_SETTINGS": (SETTINGS, f"{SETTINGS}.DisplaySettings"),
}
_TWO_VALUES: Final = frozenset(("-e", "--es", "--ei", "--ez", "--el", "--ef", "--eu"))
_WITH_VALUE: Final = frozenset(
    ("-a", "-c", "-d", "-f", "-n", "-p", "-t", "-P", "--user", "--display", "--start-profiler")
)
_NO_ACTIVITIES: Final = 252


class Intent(NamedTuple):
    """What an activity is asked for by."""

    action: str = ""
    data: str = ""
    category: str = ""
    component: str = ""
    package: str = ""
    is_waited_for: bool = False
    is_stopped_first: bool = False

    def __str__(self) -> str:
        parts = (
            ("act", self.action),
            ("cat", f"[{self.category}]" if self.category else ""),
            ("dat", self.data),
            ("pkg", self.package),
            ("cmp", self.component),
        )
        return "Intent { " + "".join(f"{name}={value} " for name, value in parts if value) + "}"


@command("am", reads=("stack", "get-current-user"))
async def am(call: Call) -> int:  # noqa: PLR0911 - one line per verb
    match list(call.args):
        case ["start" | "start-activity", *args]:
            return await _start(call, _intent(args))
        case ["force-stop" | "kill" | "stop-app", *args] if args:
            call.phone.desktop.stop(args[-1])
            return 0
        case ["broadcast", *args]:
            await call.print(f"Broadcasting: {_intent(args)}\nBroadcast completed: result=0")
            return 0
        case ["startservice" | "start-foreground-service", *args]:
            await call.print(f"Starting service: {_intent(args)}")
            return 0
        case ["instrument", *args]:
            return await instrument(call, args)
        case ["get-current-user"]:
            await call.print("0")
            return 0
        case ["stack" | "kill-all", *_]:
            return 0
        case [unknown, *_]:
            return await call.fail(f"Error: unknown command '{unknown}'", 255)
        case _:
            return await call.fail("Activity manager (activity) commands:\n  start, force-stop, broadcast", 255)


def _intent(args: list[str]) -> Intent:
    found: dict[str, str] = {}
    flags: set[str] = set()
    rest = iter(args)
    for arg in rest:
        if arg in _TWO_VALUES:
            next(rest, "")
            next(rest, "")
        elif arg in _WITH_VALUE:
            found[arg] = next(rest, "")
        elif arg.startswith("-"):
            flags.add(arg)
        else:
            found["component" if "/" in arg and "://" not in arg else "other"] = arg
    other = found.get("other", "")
    return Intent(
        action=found.get("-a", _VIEW if "://" in other else ""),
        data=found.get("-d", other if "://" in other else ""),
        category=found.get("-c", ""),
        component=found.get("-n", found.get("component", "")),
        package=found.get("-p", other if other and "://" not in other else ""),
        is_waited_for="-W" in flags,
        is_stopped_first="-S" in flags,
    )


def _resolved(intent: Intent) -> tuple[str, str] | None:
    if intent.component:
        package, _, activity = intent.component.partition("/")
        return package, full_name(package, activity)
    if intent.action in _BY_ACTION:
        return _BY_ACTION[intent.action]
    if intent.category == "android.intent.category.HOME":
        return LAUNCHER, ""
    if intent.package:
        return intent.package, ""
    if intent.action == _VIEW and intent.data.startswith(("http://", "https://")):
        return BROWSER, ""
    return None


async def _start(call: Call, intent: Intent) -> int:
    desktop = call.phone.desktop
    target = _resolved(intent)
    if target and intent.is_stopped_first:
        await call.print(f"Stopping: {target[0]}")
        desktop.stop(target[0])
    await call.print(f"Starting: {intent}")
    if target is None:
        return await call.fail(f"Error: Activity not started, unable to resolve {intent}")
    try:
        is_cold = desktop.start(*target, data=intent.data)
    except NoActivityError:
        if not intent.component:
            return await call.fail(f"Error: Activity not started, unable to resolve {intent}")
        return await call.fail(f"Error type 3\nError: Activity class {{{target[0]}/{target[1]}}} does not exist.")
    if intent.is_waited_for:
        await _report(call, is_cold=is_cold)
    return 0


async def _report(call: Call, *, is_cold: bool) -> None:
    task = call.phone.desktop.front
    took = story_of(call.phone.seed, call.phone.serial, task.activity).randint(180, 900)
    took = took if is_cold else took // 4
    await call.phone.clock.sleep(took / 1000)
    activity = f"{task.package}/{short_name(task.package, task.activity)}"
    state = "COLD" if is_cold else "HOT"
    await call.print(
        f"Status: ok\nLaunchState: {state}\nActivity: {activity}\nTotalTime: {took}\nWaitTime: {took + 8}\nComplete"
    )


@command("monkey")
async def monkey(call: Call) -> int:
    """`monkey -p PACKAGE … 1`, as people use it to open an app by its package."""
    args = list(call.args)
    package = args[args.index("-p") + 1] if "-p" in args[:-1] else ""
    try:
        call.phone.desktop.start(package)
    except NoActivityError:
        return await call.fail("** No activities found to run, monkey aborted.", _NO_ACTIVITIES)
    count = args[-1] if args[-1].isdigit() else "1"
    await call.print(
        f"Events injected: {count}\n## Network stats: elapsed time=14ms (0ms mobile, 0ms wifi, 14ms not connected)"
    )
    return 0
