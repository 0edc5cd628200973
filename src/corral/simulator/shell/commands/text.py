"""Text: echo, printf, cat, head, tail, wc, grep, sort, tr-like helpers."""

import re
from collections.abc import Iterator
from typing import Final

from corral.model.reading import read_count, read_number
from corral.simulator.phone.files import FileError
from corral.simulator.shell.call import Call, command

_ESCAPES: Final = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "0": "\0", "a": "\a"}
_DEFAULT_LINES: Final = 10


def unescaped(text: str) -> str:
    r"""`\n`, `\t` and the like as what they mean."""
    return re.sub(r"\\(x[0-9a-fA-F]{1,2}|.)", lambda found: _escape(found[1]), text)


def _escape(name: str) -> str:
    if name.startswith("x") and len(name) > 1:
        return chr(int(name[1:], 16))
    return _ESCAPES.get(name, f"\\{name}")


@command("echo", reads=True)
async def echo(call: Call) -> int:
    args, end, escapes = list(call.args), "\n", False
    while args and re.fullmatch(r"-[neE]+", args[0]):
        flags = args.pop(0)
        end = "" if "n" in flags else end
        escapes = "e" in flags or (escapes and "E" not in flags)
    text = " ".join(args)
    await call.write(((unescaped(text) if escapes else text) + end).encode())
    return 0


@command("printf", reads=True)
async def printf(call: Call) -> int:
    """The format is used again while arguments are left, as POSIX says; %s, %d, %x and %% are understood."""
    if not call.args:
        return await call.fail("usage: printf FORMAT [ARGUMENT...]")
    form, rest = unescaped(call.args[0]), list(call.args[1:])
    written = []
    while True:
        left = len(rest)
        written.append(
            re.sub(r"%(-?[0-9]{0,4}(?:\.[0-9]{1,4})?)([sdxi%])", lambda found: _formatted(found, rest), form)
        )
        if not rest or len(rest) == left:
            break
    await call.write("".join(written).encode())
    return 0


def _formatted(found: re.Match[str], rest: list[str]) -> str:
    if found[2] == "%":
        return "%"
    value = rest.pop(0) if rest else ""
    if found[2] == "s":
        return f"%{found[1]}s" % value
    return f"%{found[1]}{found[2]}" % (read_number(value) or 0)


@command("cat", reads=True)
async def cat(call: Call) -> int:
    status = 0
    for name in call.args or ["-"]:
        if name == "-":
            while data := await call.io.read():
                await call.write(data)
            continue
        try:
            await call.write(call.phone.files.read(call.path(name)))
        except FileError as error:
            status = await call.fail(f"cat: {name}: {error.reason}")
    return status


async def _lines(call: Call, names: list[str]) -> list[bytes]:
    data = b"".join([call.phone.files.read(call.path(name)) for name in names]) if names else await call.input()
    return data.splitlines(keepends=True)


def _count(args: list[str]) -> tuple[int, list[str]]:
    """`-n 5`, `-n5` or `-5`, and the other arguments."""
    if args[:1] == ["-n"] and len(args) > 1 and (count := read_count(args[1].removeprefix("+"))) is not None:
        return count, args[2:]
    if args and args[0].startswith("-") and (count := read_count(args[0][1:].removeprefix("n"))) is not None:
        return count, args[1:]
    return _DEFAULT_LINES, args


@command("head", reads=True)
async def head(call: Call) -> int:
    count, names = _count(list(call.args))
    await call.write(b"".join((await _lines(call, names))[:count]))
    return 0


@command("tail", reads=True)
async def tail(call: Call) -> int:
    count, names = _count(list(call.args))
    await call.write(b"".join((await _lines(call, names))[-count:] if count else []))
    return 0


@command("sort", reads=True)
async def sort(call: Call) -> int:
    names = [arg for arg in call.args if not arg.startswith("-")]
    lines = sorted(await _lines(call, names), reverse="-r" in call.args)
    await call.write(b"".join(lines))
    return 0


@command("wc", reads=True)
async def wc(call: Call) -> int:
    flags = "".join(arg[1:] for arg in call.args if arg.startswith("-"))
    names = [arg for arg in call.args if not arg.startswith("-")]
    data = b"".join(await _lines(call, names))
    counts = {"l": data.count(b"\n"), "w": len(data.split()), "c": len(data)}
    shown = [str(value) for name, value in counts.items() if name in (flags or "lwc")]
    await call.print(" ".join([*shown, *names]))
    return 0


@command("grep", reads=True)
async def grep(call: Call) -> int:
    """-i, -v, -c, -q, -E, -F, -o; status 1 when nothing fits."""
    flags = {flag for arg in call.args if re.fullmatch(r"-[ivcqEFo]+", arg) for flag in arg[1:]}
    words = [arg for arg in call.args if not re.fullmatch(r"-[ivcqEFo]+", arg)]
    if not words:
        return await call.fail("usage: grep [-EFciqvo] PATTERN [FILE...]", 2)
    try:
        pattern = re.compile(re.escape(words[0]) if "F" in flags else words[0], re.IGNORECASE if "i" in flags else 0)
    except re.error as error:
        return await call.fail(f"grep: bad REGEX '{words[0]}': {error}", 2)
    found = list(_grep(pattern, await _lines(call, words[1:]), flags))
    if "c" in flags:
        await call.print(str(len(found)))
    elif "q" not in flags:
        await call.write("".join(f"{line}\n" for line in found).encode())
    return int(not found)


def _grep(pattern: re.Pattern[str], lines: list[bytes], flags: set[str]) -> Iterator[str]:
    for raw in lines:
        line = raw.decode(errors="replace").rstrip("\n")
        if bool(pattern.search(line)) is ("v" in flags):
            continue
        if "o" in flags:
            yield from (found.group() for found in pattern.finditer(line))
        else:
            yield line
