"""Statuses and time: true, false, :, sleep, test, sh."""

import asyncio

from corral.model.reading import read_number
from corral.simulator.shell.call import Call, command


@command("true", ":", "log", "sync", reads=True)
async def succeed(_call: Call) -> int:
    return 0


@command("false", reads=True)
async def fail(_call: Call) -> int:
    return 1


@command("sleep")
async def sleep(call: Call) -> int:
    """So many seconds, fractions and the suffixes s, m, h understood. Counts as acting: a job that sleeps holds its phone."""
    units = {"s": 1, "m": 60, "h": 3600}
    total = 0.0
    for arg in call.args:
        unit = units.get(arg[-1:])
        try:
            total += float(arg[:-1] if unit else arg) * (unit or 1)
        except ValueError:
            return await call.fail(f"sleep: bad time '{arg}'")
    if not call.args:
        return await call.fail("sleep: Needs 1 argument")
    await call.phone.clock.sleep(total)
    return 0


@command("sh")
async def sh(call: Call) -> int:
    """`sh -c line`, a file, or the lines of its input."""
    if call.args[:1] == ["-c"]:
        return await call.run(call.args[1] if len(call.args) > 1 else "")
    if call.args:
        return await call.run(call.phone.files.read(call.path(call.args[0])).decode(errors="replace"))
    return await call.run((await call.input()).decode(errors="replace"))


@command("test", "[", reads=True)
async def test(call: Call) -> int:
    args = list(call.args)
    if call.name == "[":
        if args[-1:] != ["]"]:
            return await call.fail("sh: [: missing ]", 2)
        args.pop()
    await asyncio.sleep(0)
    is_negated = args[:1] == ["!"]
    result = _holds(call, args[1:] if is_negated else args)
    return int(result is is_negated)


def _holds(call: Call, args: list[str]) -> bool:  # noqa: C901, PLR0911 - one line per test
    match args:
        case []:
            return False
        case [word]:
            return bool(word)
        case ["-n", word]:
            return bool(word)
        case ["-z", word]:
            return not word
        case ["-e", path]:
            return call.phone.files.exists(call.path(path))
        case ["-d", path]:
            return call.phone.files.is_directory(call.path(path))
        case ["-f" | "-s" | "-r", path]:
            return call.phone.files.exists(call.path(path)) and not call.phone.files.is_directory(call.path(path))
        case [left, "=" | "==", right]:
            return left == right
        case [left, "!=", right]:
            return left != right
        case [left, operator, right]:
            first, second = read_number(left), read_number(right)
            return first is not None and second is not None and _compares(first, operator, second)
        case _:
            return False


def _compares(left: int, operator: str, right: int) -> bool:
    outcomes = {
        "-eq": left == right,
        "-ne": left != right,
        "-lt": left < right,
        "-le": left <= right,
        "-gt": left > right,
        "-ge": left >= right,
    }
    return outcomes.get(operator, False)
