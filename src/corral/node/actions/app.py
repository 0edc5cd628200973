"""Actions on apps, but for logging in."""

from __future__ import annotations

from typing import Final

from corral.drivers.protocol import Phone
from corral.model.errors import ActionFailedError
from corral.model.reading import read_count
from corral.node.actions.activities import is_installed, start_app, stop_app, wait_until_in_front
from corral.node.actions.commands import both_streams, check_booted, shortened
from corral.node.actions.protocol import Action, Bench
from corral.node.actions.quoting import command_line
from corral.workflow.catalog.app import InstallArgs, PackageArgs, StartArgs, StartOutput, UninstallArgs

_ANDROID_10: Final = 29


async def install(bench: Bench, args: InstallArgs) -> None:
    apk = await bench.fetch(args.file)
    options = ["-r"] if args.replace else await _options_not_to_replace(bench.phone)
    if args.grant_permissions:
        options.append("-g")
    if args.allow_downgrade:
        options.append("-d")
    await bench.phone.install(apk, options)
    bench.log("info", f"installed {args.file}")


async def _options_not_to_replace(phone: Phone) -> list[str]:
    """Since Android 10 `pm install` replaces unless told otherwise; older ones do not know the option."""
    sdk = read_count((await phone.shell("getprop ro.build.version.sdk")).text.strip())
    return ["-R"] if sdk is not None and sdk >= _ANDROID_10 else []


async def start(bench: Bench, args: StartArgs) -> StartOutput:
    if args.stop_first:
        await stop_app(bench.phone, args.package)
    started = await start_app(bench.phone, args.package, args.activity)
    if started.warning:
        bench.log("info", started.warning)
    in_front = await wait_until_in_front(bench.phone, args.package)
    return StartOutput(activity=started.activity or in_front, start_ms=started.start_ms)


async def stop(bench: Bench, args: PackageArgs) -> None:
    await stop_app(bench.phone, args.package)


async def clear(bench: Bench, args: PackageArgs) -> None:
    said = await _pm(bench.phone, "clear", args.package)
    if said is not None:
        raise ActionFailedError(f"the data of {args.package} could not be deleted: {said}")


async def uninstall(bench: Bench, args: UninstallArgs) -> None:
    said = await _pm(bench.phone, "uninstall", *(["-k"] if args.keep_data else []), args.package)
    if said is None:
        return
    if await is_installed(bench.phone, args.package):
        raise ActionFailedError(f"{args.package} could not be uninstalled: {said}")
    bench.log("info", f"{args.package} was not installed")


async def _pm(phone: Phone, *words: str) -> str | None:
    """Nothing if the package manager said Success, whatever its exit code; else what it said instead."""
    result = await phone.shell(command_line("pm", *words))
    check_booted(result)
    if result.text.strip().endswith("Success"):
        return None
    return shortened(both_streams(result)) or f"exit code {result.exit_code}"


ACTIONS: dict[str, Action] = {
    "app.install": install,
    "app.start": start,
    "app.stop": stop,
    "app.clear": clear,
    "app.uninstall": uninstall,
}
