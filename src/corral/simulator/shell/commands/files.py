"""Files: ls, rm, mkdir, mv, cp, stat, df and their kin."""

from __future__ import annotations

import datetime as dt
import hashlib
import posixpath
from typing import TYPE_CHECKING, Final

from corral.simulator.phone.files import Entry, FileError
from corral.simulator.shell.call import Call, command

if TYPE_CHECKING:
    from corral.simulator.phone.phone import Phone

_KIB_PER_GB: Final = 1_000_000_000 // 1024
_USED: Final = 0.31
"""The share of the storage that the system and its data take."""


def split(call: Call) -> tuple[set[str], list[str]]:
    """The single-letter flags, and the other arguments."""
    flags = {flag for arg in call.args if arg.startswith("-") and len(arg) > 1 for flag in arg[1:]}
    return flags, [arg for arg in call.args if not arg.startswith("-") or arg == "-"]


def kibibytes(phone: Phone) -> tuple[int, int]:
    """How much /data holds, and how much of it is left."""
    total = phone.identity.model.storage_gb * _KIB_PER_GB
    used = int(total * _USED) + (phone.files.used + sum(package.size for package in phone.packages.all())) // 1024
    return total, 0 if phone.faults.is_full else max(0, total - used)


@command("ls", reads=True)
async def ls(call: Call) -> int:
    flags, names = split(call)
    status, files = 0, call.phone.files
    for name in names or [call.directory]:
        path = call.path(name)
        if not files.exists(path):
            status = await call.fail(f"ls: {name}: No such file or directory")
            continue
        is_listed = files.is_directory(path) and "d" not in flags
        for shown in files.names(path) if is_listed else [name]:
            if shown.startswith(".") and is_listed and not flags & {"a", "A"}:
                continue
            entry = files.stat(posixpath.join(path, shown) if is_listed else path)
            await call.print(_long(shown, entry) if "l" in flags else shown)
    return status


def _long(name: str, entry: Entry) -> str:
    letters = "".join(letter if entry.mode >> (8 - place) & 1 else "-" for place, letter in enumerate("rwxrwxrwx"))
    kind = "d" if entry.is_directory else "-"
    at = dt.datetime.fromtimestamp(entry.modified_at, dt.UTC)
    return f"{kind}{letters} 1 shell shell {entry.size:>8} {at:%Y-%m-%d %H:%M} {name}"


@command("rm")
async def rm(call: Call) -> int:
    flags, names = split(call)
    status = 0
    for name in names:
        try:
            call.phone.files.remove(call.path(name), recursive=bool(flags & {"r", "R"}))
        except FileError as error:
            if "f" not in flags or error.errno != 2:  # noqa: PLR2004 - ENOENT
                status = await call.fail(f"rm: {name}: {error.reason}")
    return status


@command("mkdir")
async def mkdir(call: Call) -> int:
    flags, names = split(call)
    status = 0
    for name in names:
        try:
            call.phone.files.make_directory(call.path(name), parents="p" in flags)
        except FileError as error:
            status = await call.fail(f"mkdir: '{name}': {error.reason}")
    return status


@command("rmdir")
async def rmdir(call: Call) -> int:
    for name in split(call)[1]:
        call.phone.files.remove_directory(call.path(name))
    return 0


@command("mv")
async def mv(call: Call) -> int:
    names = split(call)[1]
    if len(names) != 2:  # noqa: PLR2004 - from, to
        return await call.fail("mv: Need 2 arguments")
    call.phone.files.move(call.path(names[0]), call.path(names[1]))
    return 0


@command("cp")
async def cp(call: Call) -> int:
    names = split(call)[1]
    if len(names) != 2:  # noqa: PLR2004 - from, to
        return await call.fail("cp: Need 2 arguments")
    files, source, target = call.phone.files, call.path(names[0]), call.path(names[1])
    if files.is_directory(target):
        target = posixpath.join(target, posixpath.basename(source))
    files.write(target, files.read(source), mode=files.stat(source).mode & 0o777)
    return 0


@command("touch")
async def touch(call: Call) -> int:
    for name in split(call)[1]:
        call.phone.files.touch(call.path(name))
    return 0


@command("chmod")
async def chmod(call: Call) -> int:
    names = split(call)[1]
    if len(names) < 2 or not set(names[0]) <= set("01234567"):  # noqa: PLR2004 - mode, file
        return await call.fail("chmod: needs an octal mode and a file")
    for name in names[1:]:
        call.phone.files.set_mode(call.path(name), int(names[0], 8))
    return 0


@command("stat", reads=True)
async def stat(call: Call) -> int:
    """`stat FILE`, or `stat -c FORMAT FILE` with %s, %n, %a, %Y and %F."""
    args = list(call.args)
    form = args[1] if args[:1] == ["-c"] and len(args) > 1 else ""
    for name in args[2:] if form else args:
        entry = call.phone.files.stat(call.path(name))
        kind = "directory" if entry.is_directory else "regular file"
        if not form:
            await call.print(f"  File: {name}\n  Size: {entry.size}\t {kind}\nAccess: (0{entry.mode & 0o777:o})")
            continue
        shown = form
        for mark, value in {
            "%s": str(entry.size),
            "%n": name,
            "%a": f"{entry.mode & 0o777:o}",
            "%Y": str(entry.modified_at),
            "%F": kind,
        }.items():
            shown = shown.replace(mark, value)
        await call.print(shown)
    return 0


@command("df", reads=True)
async def df(call: Call) -> int:
    total, free = kibibytes(call.phone)
    names = split(call)[1] or ["/data", "/sdcard"]
    await call.print("Filesystem     1K-blocks     Used Available Use% Mounted on")
    for name in names:
        if not call.phone.files.exists(call.path(name)):
            return await call.fail(f"df: {name}: No such file or directory")
        device, mount = (
            ("/dev/fuse", "/storage/emulated")
            if "sdcard" in name or "storage" in name
            else ("/dev/block/dm-8", "/data")
        )
        used = total - free
        await call.print(f"{device:<14} {total:>9} {used:>8} {free:>9} {-(-100 * used // total):>3}% {mount}")
    return 0


@command("du", reads=True)
async def du(call: Call) -> int:
    for name in split(call)[1] or ["."]:
        await call.print(f"{call.phone.files.stat(call.path(name)).size // 1024}\t{name}")
    return 0


@command("pwd", reads=True)
async def pwd(call: Call) -> int:
    await call.print(call.directory)
    return 0


@command("md5sum", "sha1sum", "sha256sum", reads=True)
async def digest(call: Call) -> int:
    algorithm = posixpath.basename(call.name).removesuffix("sum")
    for name in split(call)[1] or ["-"]:
        data = await call.input() if name == "-" else call.phone.files.read(call.path(name))
        await call.print(f"{hashlib.new(algorithm, data, usedforsecurity=False).hexdigest()}  {name}")
    return 0
