"""Packages: pm, and the services behind `cmd`."""

from __future__ import annotations

from typing import Final

from corral.model.reading import read_count
from corral.simulator.phone.files import FileError
from corral.simulator.phone.packages import InstallError
from corral.simulator.shell.call import COMMANDS, Call, command
from corral.simulator.shell.commands.instrument import list_instrumentation

_READS: Final = ("list", "path", "dump", "get-install-location", "resolve-activity")
_WITH_VALUE: Final = frozenset({"-S", "-i", "--user", "--install-location", "--abi", "--pkg"})
_MAX_STREAMED: Final = 512 << 20
_BAD_USAGE: Final = 255


@command("pm", reads=_READS)
async def pm(call: Call) -> int:
    return await _package(call, list(call.args))


@command("cmd", reads=("battery", "-l"))
async def cmd(call: Call) -> int:
    """`cmd SERVICE …` leads to the command that the service is known by."""
    if not call.args:
        return await call.fail("cmd: No service specified; use -l to list all services", 20)
    service, *args = call.args
    if service == "package":
        return await _package(call, args)
    known = {
        "activity": "am",
        "window": "wm",
        "settings": "settings",
        "input": "input",
        "lock_settings": "locksettings",
    }
    entry = COMMANDS.get(known.get(service, ""))
    if entry is None:
        return await call.fail(f"cmd: Can't find service: {service}", 20)
    return await entry.handler(
        Call(
            phone=call.phone,
            effects=call.effects,
            name=known[service],
            args=args,
            io=call.io,
            directory=call.directory,
            run=call.run,
        )
    )


async def _package(call: Call, args: list[str]) -> int:  # noqa: C901, PLR0911 - one line per verb
    match args:
        case ["list", "packages", *flags]:
            return await _list(call, flags)
        case ["list", "features", *_]:
            await call.print("feature:android.hardware.touchscreen")
            return 0
        case ["list", "instrumentation", *_]:
            return await list_instrumentation(call)
        case ["path", name]:
            package = call.phone.packages.get(name)
            if package is None:
                return 1
            await call.print(f"package:{package.path()}")
            return 0
        case ["install", *rest]:
            return await _install(call, rest)
        case ["uninstall", *rest] if rest:
            return await _uninstall(call, [arg for arg in rest if not arg.startswith("-")][-1:])
        case ["clear", *rest] if rest:
            return await _clear(call, rest[-1])
        case ["grant" | "revoke" as verb, *rest]:
            return await _grant(call, verb, [arg for arg in rest if not arg.startswith("-")])
        case ["enable" | "disable" | "disable-user" | "hide" | "unhide", *_]:
            return 0
        case [unknown, *_]:
            return await call.fail(f"Unknown command: {unknown}", _BAD_USAGE)
        case _:
            return await call.fail("Package manager (package) commands:\n  list, path, install, uninstall", _BAD_USAGE)


async def _list(call: Call, flags: list[str]) -> int:
    wanted = next((flag for flag in flags if not flag.startswith("-")), "")
    for package in call.phone.packages.all():
        if (
            wanted not in package.name
            or ("-3" in flags and package.is_system)
            or ("-s" in flags and not package.is_system)
        ):
            continue
        shown = f"{package.path()}={package.name}" if "-f" in flags else package.name
        version = f" versionCode:{package.version_code}" if "--show-versioncode" in flags else ""
        await call.print(f"package:{shown}{version}")
    return 0


async def _install(call: Call, args: list[str]) -> int:
    """From a file, or as many bytes as -S says from the input."""
    options, names = _options(args)
    try:
        if "-S" in options:
            data = await _streamed(call, options["-S"])
        elif names:
            data = call.phone.files.read(call.path(names[-1]))
        else:
            return await call.fail("Error: must either specify a package size or an APK file")
        call.phone.packages.install(
            data, may_replace="-R" not in options, may_downgrade="-d" in options or "--downgrade" in options
        )
    except FileError:
        return await call.fail(f"Error: Unable to open file: {names[-1]}\nError: Can't open file: {names[-1]}")
    except InstallError as error:
        await call.print(f"Failure [{error}]")
        return 1
    await call.print("Success")
    return 0


def _options(args: list[str]) -> tuple[dict[str, str], list[str]]:
    options: dict[str, str] = {}
    names = []
    rest = iter(args)
    for arg in rest:
        if arg in _WITH_VALUE:
            options[arg] = next(rest, "")
        elif arg.startswith("-") and len(arg) > 1:
            options[arg] = ""
        else:
            names.append(arg)
    return options, names


async def _streamed(call: Call, told: str) -> bytes:
    size = read_count(told)
    if size is None or size > _MAX_STREAMED:
        raise InstallError("INSTALL_FAILED_INSUFFICIENT_STORAGE: Failed to override installation location")
    received = bytearray()
    while len(received) < size:
        data = await call.io.read()
        if not data:
            raise InstallError("INSTALL_FAILED_INVALID_APK: Failed to copy all bytes")
        received += data
    return bytes(received[:size])


async def _uninstall(call: Call, names: list[str]) -> int:
    try:
        call.phone.packages.uninstall(names[0] if names else "")
    except InstallError as error:
        await call.print(f"Failure [{error}]")
        return 1
    call.phone.desktop.stop(names[0])
    await call.print("Success")
    return 0


async def _clear(call: Call, name: str) -> int:
    if call.phone.packages.get(name) is None:
        await call.print("Failed")
        return 1
    call.phone.desktop.stop(name)
    await call.print("Success")
    return 0


async def _grant(call: Call, verb: str, words: list[str]) -> int:
    package = call.phone.packages.get(words[0]) if len(words) == 2 else None  # noqa: PLR2004 - package, permission
    if package is None:
        unknown = words[0] if words else ""
        return await call.fail(f"Exception occurred while executing '{verb}':\nUnknown package: {unknown}", _BAD_USAGE)
    if verb == "grant":
        package.permissions |= {words[1]}
    else:
        package.permissions -= {words[1]}
    return 0
