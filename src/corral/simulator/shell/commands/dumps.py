"""dumpsys: battery, power, window, activity, package, diskstats, in the parts that tools read."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from corral.model.reading import read_number
from corral.simulator.phone.desktop import short_name
from corral.simulator.shell.call import Call, command
from corral.simulator.shell.commands.files import kibibytes

if TYPE_CHECKING:
    from corral.simulator.phone.phone import Phone

_OVERHEATED: Final = 45.0
_SETTABLE: Final = frozenset({"level", "temp", "status", "usb", "ac", "wireless"})


@command("dumpsys", reads=True)
async def dumpsys(call: Call) -> int:
    args = [arg for arg in call.args if not arg.startswith("-")]
    service, rest = (args[0], args[1:]) if args else ("", [])
    if service == "battery" and rest:
        return await _pretend(call, rest)
    dump = _SERVICES.get(service)
    if dump is None:
        return await call.fail(f"Can't find service: {service}", 0)
    await call.write((dump(call.phone, rest).rstrip("\n") + "\n").encode())
    return 0


async def _pretend(call: Call, args: list[str]) -> int:
    """`dumpsys battery set level 5`, `… reset`, `… unplug`."""
    match args:
        case ["set", name, value] if name in _SETTABLE and (number := read_number(value)) is not None:
            call.phone.overrides[name] = number
        case ["reset"]:
            call.phone.overrides.clear()
        case ["unplug"]:
            call.phone.overrides["usb"] = 0
        case _:
            return await call.fail("Battery service (battery) commands:\n  set, unplug, reset", 255)
    return 0


def _battery(phone: Phone, _args: list[str]) -> str:
    is_plugged = phone.overrides.get("usb", 1) != 0
    return f"""Current Battery Service state:
  AC powered: false
  USB powered: {str(is_plugged).lower()}
  Wireless powered: false
  Max charging current: 500000
  Max charging voltage: 5000000
  Charge counter: {phone.battery * 40000}
  status: {phone.overrides.get("status", 2 if is_plugged else 3)}
  health: {3 if phone.celsius >= _OVERHEATED else 2}
  present: true
  level: {phone.battery}
  scale: 100
  voltage: {phone.identity.voltage_mv}
  temperature: {round(phone.celsius * 10)}
  technology: Li-ion
"""


def _power(phone: Phone, _args: list[str]) -> str:
    is_awake = phone.desktop.is_awake
    return f"""POWER MANAGER (dumpsys power)

Power Manager State:
  mWakefulness={"Awake" if is_awake else "Asleep"}
  mIsPowered=true
  mPlugType=2
  mBatteryLevel={phone.battery}
  mBootCompleted={str(phone.has_booted).lower()}
  mHoldingDisplaySuspendBlocker={str(is_awake).lower()}

Display Power: state={"ON" if is_awake else "OFF"}
"""


def _focus(phone: Phone) -> tuple[str, str]:
    """The activity in front as `package/full.Name` and as `package/.Name`."""
    task = phone.desktop.front
    return f"{task.package}/{task.activity}", f"{task.package}/{short_name(task.package, task.activity)}"


def _window(phone: Phone, _args: list[str]) -> str:
    whole, short = _focus(phone)
    is_locked = str(phone.desktop.is_locked).lower()
    focused = f"Window{{5c3a1d0 u0 {'NotificationShade' if phone.desktop.is_locked else whole}}}"
    return f"""WINDOW MANAGER POLICY STATE (dumpsys window policy)
    mAwake={str(phone.desktop.is_awake).lower()}
    screenState={"SCREEN_STATE_ON" if phone.desktop.is_awake else "SCREEN_STATE_OFF"}
    KeyguardServiceDelegate
      showing={is_locked}
      secure={str(bool(phone.desktop.pin)).lower()}
WINDOW MANAGER WINDOWS (dumpsys window windows)
  mDreamingLockscreen={is_locked} mDreamingSleepToken=null
  mCurrentFocus={focused}
  mFocusedApp=ActivityRecord{{8f2b6c1 u0 {short} t12}}
"""


def _activity(phone: Phone, _args: list[str]) -> str:
    _, short = _focus(phone)
    return f"""ACTIVITY MANAGER ACTIVITIES (dumpsys activity activities)
Display #0 (activities from top to bottom):
  * Task{{3e1a7f2 #12 type=standard A=10123:{short.split("/")[0]} U=0 visible=true}}
    topResumedActivity=ActivityRecord{{8f2b6c1 u0 {short} t12}}
  mResumedActivity: ActivityRecord{{8f2b6c1 u0 {short} t12}}
  mLastFocusedRootTask=Task{{3e1a7f2 #12}}
  isKeyguardShowing={str(phone.desktop.is_locked).lower()}
"""


def _package(phone: Phone, args: list[str]) -> str:
    package = phone.packages.get(args[0]) if args else None
    if package is None:
        return f"Unable to find package: {args[0]}" if args else "\n".join(p.name for p in phone.packages.all())
    granted = "\n".join(f"      {name}: granted=true" for name in sorted(package.permissions))
    return f"""Packages:
  Package [{package.name}] (4f1c2b7):
    userId=10123
    codePath={package.path().rsplit("/", 1)[0]}
    versionCode={package.version_code} minSdk=24 targetSdk=34
    versionName={package.version_name}
    pkgFlags=[ {"SYSTEM " if package.is_system else ""}HAS_CODE ]
    User 0: installed=true hidden=false stopped=false enabled=0
      runtime permissions:
{granted}
"""


def _diskstats(phone: Phone, _args: list[str]) -> str:
    total, free = kibibytes(phone)
    return f"""Latency: 0ms [512B Data Write]
Data-Free: {free}K / {total}K total = {100 * free // total}% free
Cache-Free: {free}K / {total}K total = {100 * free // total}% free
System-Free: 0K / 900000K total = 0% free
"""


def _display(phone: Phone, _args: list[str]) -> str:
    width, height = phone.identity.width, phone.identity.height
    return f"""DISPLAY MANAGER (dumpsys display)
  mScreenState={"ON" if phone.desktop.is_awake else "OFF"}
  mBaseDisplayInfo=DisplayInfo{{"Built-in Screen", real {width} x {height}}}
"""


_SERVICES: Final[dict[str, Callable[[Phone, list[str]], str]]] = {
    "battery": _battery,
    "power": _power,
    "window": _window,
    "activity": _activity,
    "package": _package,
    "diskstats": _diskstats,
    "display": _display,
}
