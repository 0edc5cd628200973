"""Actions on the device as a whole, but for restarting it."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Final

from corral.drivers.protocol import Phone
from corral.model.errors import ActionFailedError, DeviceError, DeviceNotBootedError, DeviceUnhealthyError
from corral.model.reading import read_count
from corral.node.actions.commands import MOST_TEXT, run_tool, shortened, text_of
from corral.node.actions.keyboard import press
from corral.node.actions.protocol import Action, Bench
from corral.node.actions.scratch import fingerprint, new_file, path_for_recipes
from corral.node.actions.screen import Size, read_size
from corral.node.actions.waiting import Patience
from corral.node.health.gates import Limits, judge
from corral.node.health.probe import probe
from corral.workflow.catalog.device import (
    BootstrapArgs,
    BootstrapOutput,
    HealthArgs,
    HealthOutput,
    ScreenshotArgs,
    ScreenshotOutput,
    ShellArgs,
    ShellOutput,
)

BOOT_WAIT_S: Final = 60.0
_LOCK_LOOKS: Final = 3
_LOCKED = re.compile(r"\b(?:mShowingLockscreen|mDreamingLockscreen|isStatusBarKeyguard|showing)\s*=\s*true\b")
_FACTS: Final = "getprop ro.build.version.sdk; getprop ro.build.version.release; getprop ro.product.model"


async def bootstrap(bench: Bench, args: BootstrapArgs) -> BootstrapOutput:
    """Wait until Android has started, then wake it, unlock it and go home."""
    phone = bench.phone
    await wait_until_booted(phone, wait_s=BOOT_WAIT_S)
    if args.stay_awake:
        await _keep_awake(bench)
    if args.wake:
        await press(phone, "KEYCODE_WAKEUP")
    if args.dismiss_keyguard:
        await _dismiss_keyguard(bench)
    if args.go_home:
        await press(phone, "KEYCODE_HOME")
    facts = await phone.shell(_FACTS)
    told, os_version, model = (*facts.text.splitlines(), "", "", "")[:3]
    sdk = read_count(told.strip())
    if sdk is None:
        raise ActionFailedError(f"the device does not say which Android it runs: {shortened(facts.text) or 'nothing'}")
    size = await read_size(phone)
    return BootstrapOutput(
        model=model.strip(), os_version=os_version.strip(), sdk=sdk, width=size.width, height=size.height
    )


async def _keep_awake(bench: Bench) -> None:
    """Some makers forbid the shell to change settings until a person allows it; all else works without."""
    try:
        await run_tool(bench.phone, "settings", "put", "global", "stay_on_while_plugged_in", "7")
    except ActionFailedError as refused:
        bench.log("warning", f"the device may go to sleep: {refused.message}")


async def wait_until_booted(phone: Phone, *, wait_s: float, pause_s: float = 2.0) -> None:
    """Return once Android has started; raises DeviceNotBootedError."""
    patience = Patience(wait_s)
    while (await phone.shell("getprop sys.boot_completed")).text.strip() != "1":
        if patience.is_over:
            raise DeviceNotBootedError(f"Android has not started within {wait_s:g} s")
        await patience.pause(pause_s)


async def _dismiss_keyguard(bench: Bench) -> None:
    dismissed = await bench.phone.shell("wm dismiss-keyguard")
    if dismissed.exit_code != 0:
        await press(bench.phone, "KEYCODE_MENU")  # how the lock screen was left before Android 8
    patience = Patience()
    for _ in range(_LOCK_LOOKS):
        if not _LOCKED.search((await bench.phone.shell("dumpsys window policy")).text):
            return
        await patience.pause(0.5)
    bench.log("warning", "the lock screen is still there: it may ask for a credential, which only a person can remove")


async def shell(bench: Bench, args: ShellArgs) -> ShellOutput:
    result = await bench.phone.shell(args.command, max_output_bytes=MOST_TEXT)
    stdout, stderr = text_of(result.stdout), text_of(result.stderr)
    if max(len(result.stdout), len(result.stderr)) >= MOST_TEXT:
        bench.log("warning", f"the output was cut after {MOST_TEXT} bytes")
    if args.exit_code is not None and result.exit_code != args.exit_code:
        said = shortened(stderr or stdout) or "nothing was printed"
        raise ActionFailedError(f"the command ended with {result.exit_code} instead of {args.exit_code}: {said}")
    return ShellOutput(exit_code=result.exit_code, stdout=stdout, stderr=stderr)


async def screenshot(bench: Bench, args: ScreenshotArgs) -> ScreenshotOutput:
    picture = await bench.phone.screenshot()
    size = read_png_size(picture)
    name = args.name or bench.step_id
    path = new_file(bench, name if name.lower().endswith(".png") else f"{name}.png")
    await asyncio.to_thread(Path.write_bytes, path, picture)
    made = await asyncio.to_thread(fingerprint, path)
    if args.upload:
        await bench.store(path, kind="screenshot", name=path.name)
    return ScreenshotOutput(
        path=path_for_recipes(bench, path),
        width=size.width,
        height=size.height,
        sha256=made.sha256,
        size_bytes=made.size_bytes,
    )


def read_png_size(picture: bytes) -> Size:
    """The size that a PNG states in its head; raises DeviceError for what is no PNG."""
    if picture[:8] != b"\x89PNG\r\n\x1a\n" or picture[12:16] != b"IHDR":
        raise DeviceError("the picture of the screen is not a PNG")
    return Size(int.from_bytes(picture[16:20]), int.from_bytes(picture[20:24]))


async def health(bench: Bench, args: HealthArgs) -> HealthOutput:
    """What the device says of itself; raises DeviceUnhealthyError in words if a limit is passed."""
    sample = await probe(bench.phone)
    limits = Limits(
        min_battery_percent=args.min_battery_percent,
        max_temperature_c=args.max_temperature_c,
        min_free_storage_mb=args.min_free_storage_mb,
    )
    verdict = judge(sample, limits)
    if not sample.is_booted:
        raise DeviceNotBootedError("Android has not finished starting")
    if not verdict.is_fit:
        raise DeviceUnhealthyError(f"the device is not fit: {verdict.reason}")
    return HealthOutput(
        battery_percent=sample.battery_percent,
        temperature_c=sample.temperature_c,
        is_charging=sample.is_charging,
        free_storage_mb=sample.free_storage_mb,
    )


ACTIONS: dict[str, Action] = {
    "device.bootstrap": bootstrap,
    "device.shell": shell,
    "device.screenshot": screenshot,
    "device.health": health,
}
