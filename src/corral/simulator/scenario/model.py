"""Scenarios as data. Unknown keys and impossible values are refused, with their path."""

from __future__ import annotations

import re
from typing import Annotated, ClassVar, Final, Literal

from msgspec import Meta, Struct, field

Seconds = Annotated[float, Meta(ge=0, le=86_400 * 30)]


class Phones(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which phones: all that fit every criterion given; without any, every phone."""

    indexes: str | None = None
    """Numbers and ranges from 1: `1-10,15`."""

    serials: tuple[str, ...] | None = None
    fraction: Annotated[float, Meta(ge=0, le=1)] | None = None
    """A share of the phones, chosen by the seed."""


class When(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """From when, for how long, how often again; and for faults of commands, which ones."""

    after_s: Seconds = 0
    for_s: Seconds | None = None
    """How long it lasts; without it, for ever."""

    every_s: Seconds | None = None
    """From one start to the next."""

    spread_s: Seconds = 0
    """Each phone begins up to so much later, by the seed."""

    match: str | None = None
    """A regular expression that is searched in the command line."""

    nth: Annotated[int, Meta(ge=1)] | None = None
    """The first matching command that suffers, counted on each phone; without it, every one does."""

    times: Annotated[int, Meta(ge=1)] = 1
    """With nth: how many matching commands suffer from there on."""


class Fault(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind"):
    """Something that goes wrong."""

    follows_commands: ClassVar[bool] = False
    id: str | None = None
    phones: Phones = Phones()
    when: When = When()


class _CommandFault(Fault, frozen=True, kw_only=True):
    follows_commands: ClassVar[bool] = True


class Latency(_CommandFault, frozen=True, kw_only=True, tag="latency"):
    """Commands begin late: by a number of seconds, or by one from a range."""

    # Checked below: msgspec 0.22 reads past its own memory for a bounded number beside a tuple of fixed length.
    seconds: float | tuple[float, ...]


class Hang(_CommandFault, frozen=True, kw_only=True, tag="hang"):
    """Commands never answer."""


class Drip(_CommandFault, frozen=True, kw_only=True, tag="drip"):
    """Output comes a byte at a time."""

    interval_s: Seconds = 0.05


class Crash(_CommandFault, frozen=True, kw_only=True, tag="crash"):
    """The phone goes down in the middle of a command and starts again."""

    delay_s: Seconds = 0


class ExitCode(_CommandFault, frozen=True, kw_only=True, tag="exit_code"):
    """Commands do their work and report another exit code."""

    code: Annotated[int, Meta(ge=0, le=255)] = 1


class Screencap(_CommandFault, frozen=True, kw_only=True, tag="screencap"):
    """Screenshots are no pictures, cut short, missing, or black."""

    gives: Literal["garbage", "truncated", "empty", "black"] = "garbage"


class Disconnect(Fault, frozen=True, kw_only=True, tag="disconnect"):
    """The phone drops off, as with a loose cable or a hub that resets; with every_s it flaps."""


class Unauthorized(Fault, frozen=True, kw_only=True, tag="unauthorized"):
    """The phone asks for a confirmation that nobody gives until the fault ends."""


class Battery(Fault, frozen=True, kw_only=True, tag="battery"):
    """The battery is at a level, or drains."""

    level: Annotated[int, Meta(ge=0, le=100)] | None = None
    drain_per_min: Annotated[float, Meta(ge=0, le=100)] = 0


class Heat(Fault, frozen=True, kw_only=True, tag="heat"):
    """The battery is hot."""

    celsius: Annotated[float, Meta(ge=-20, le=100)] = 48.0


class StorageFull(Fault, frozen=True, kw_only=True, tag="storage_full"):
    """No byte is left: writes and installations fail."""


class SlowBoot(Fault, frozen=True, kw_only=True, tag="slow_boot"):
    """A restart takes this long."""

    boot_s: Seconds = 60


AnyFault = (
    Latency
    | Hang
    | Drip
    | Crash
    | ExitCode
    | Screencap
    | Disconnect
    | Unauthorized
    | Battery
    | Heat
    | StorageFull
    | SlowBoot
)


class Setup(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How the phones are before anything goes wrong."""

    width: Annotated[int, Meta(ge=180, le=1440)] = 360
    height: Annotated[int, Meta(ge=320, le=3200)] = 780
    boot_s: Seconds = 5
    is_awake: bool = True
    is_locked: bool = False
    cmd: bool = True
    """Whether they install from a stream, as Android does since 7; else packages are pushed first."""


Outcome = Literal["pass", "fail", "error", "skip", "assume", "flaky", "crash", "hang", "reboot"]


class ScriptedTests(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Tests of one class that go the same way."""

    class_: Annotated[str, Meta(pattern=r"^[\w$.]+$", max_length=200)] = field(name="class")
    names: tuple[Annotated[str, Meta(pattern=r"^[^\s#,]+$", max_length=200)], ...] = ()
    count: Annotated[int, Meta(ge=1, le=10_000)] | None = None
    """That many, named test001 and so on, in the place of names."""

    outcome: Outcome = "pass"
    fails: Annotated[int, Meta(ge=1)] = 1
    """Of flaky ones: how often each fails, on whichever phones, before it passes."""

    duration_s: float | tuple[float, ...] = 0.05  # checked below, as the seconds of latency are
    phones: Phones = Phones()
    """Where they go that way; on other phones they pass."""

    @property
    def all_names(self) -> tuple[str, ...]:
        return self.names or tuple(f"test{number:03d}" for number in range(1, (self.count or 0) + 1))


class Suite(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What `am instrument` executes: the tests of one package, installed on every phone from the beginning."""

    package: Annotated[str, Meta(pattern=r"^[\w.]+$", max_length=200)]
    runner: Annotated[str, Meta(pattern=r"^[\w.$]+$", max_length=200)] = "androidx.test.runner.AndroidJUnitRunner"
    target: str = "dev.corral.demo"
    """The package that is tested; it is in front meanwhile."""

    tests: Annotated[tuple[ScriptedTests, ...], Meta(min_length=1)]


DEMO_SUITE: Final = Suite(
    package="dev.corral.demo.test",
    tests=(
        ScriptedTests(class_="dev.corral.demo.LoginTest", names=("signsIn", "refusesAWrongPassword", "keepsTheName")),
        ScriptedTests(class_="dev.corral.demo.ListTest", names=("scrolls", "choosesAnItem"), duration_s=(0.1, 0.3)),
        ScriptedTests(class_="dev.corral.demo.VideoTest", names=("plays",), duration_s=0.2),
    ),
)
"""On every phone of a scenario that names no suites."""


class Scenario(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A whole story."""

    name: str = "calm"
    description: str = ""
    setup: Setup = Setup()
    faults: tuple[AnyFault, ...] = ()
    suites: tuple[Suite, ...] = (DEMO_SUITE,)


def check_fault(fault: Fault, path: str) -> list[str]:
    """What the types cannot say; each complaint with its path."""
    when, problems = fault.when, []
    if when.every_s is not None and (when.for_s is None or when.for_s >= when.every_s):
        problems.append(f"{path}.when.every_s: needs a for_s that is shorter")
    if not fault.follows_commands:
        problems += [
            f"{path}.when.{name}: this fault follows the clock, not commands"
            for name in ("match", "nth")
            if getattr(when, name) is not None
        ]
    try:
        re.compile(when.match or "")
    except re.error as error:
        problems.append(f"{path}.when.match: not a regular expression: {error}")
    try:
        parse_indexes(fault.phones.indexes or "")
    except ValueError as error:
        problems.append(f"{path}.phones.indexes: {error}")
    if isinstance(fault, Latency) and not _is_range(fault.seconds):
        problems.append(f"{path}.seconds: neither a number from 0 on nor two of them, the smaller first")
    if isinstance(fault, Battery) and fault.level is None and not fault.drain_per_min:
        problems.append(f"{path}: needs level or drain_per_min")
    return problems


def check_suite(suite: Suite, path: str) -> list[str]:
    """What the types cannot say; each complaint with its path."""
    problems, seen = [], set[tuple[str, str]]()
    for at, tests in enumerate(suite.tests):
        where = f"{path}.tests[{at}]"
        if bool(tests.names) is (tests.count is not None):
            problems.append(f"{where}: needs either names or count")
        if not _is_range(tests.duration_s):
            problems.append(f"{where}.duration_s: neither a number from 0 on nor two of them, the smaller first")
        try:
            parse_indexes(tests.phones.indexes or "")
        except ValueError as error:
            problems.append(f"{where}.phones.indexes: {error}")
        for name in tests.all_names:
            if (tests.class_, name) in seen:
                problems.append(f"{where}: {tests.class_}#{name} is there already")
            seen.add((tests.class_, name))
    return problems


def _is_range(seconds: float | tuple[float, ...]) -> bool:
    if not isinstance(seconds, tuple):
        return seconds >= 0
    return len(seconds) == 2 and 0 <= seconds[0] <= seconds[1]  # noqa: PLR2004 - from, to


def parse_indexes(text: str) -> list[range]:
    """`1-10,15` as ranges. Raises ValueError."""
    ranges = []
    for piece in filter(None, (part.strip() for part in text.split(","))):
        found = re.fullmatch(r"(\d{1,6})(?:\s*-\s*(\d{1,6}))?", piece)
        if not found:
            raise ValueError(f"“{piece}” is neither a number nor a range like 3-8")
        first = int(found[1])
        ranges.append(range(first, int(found[2] or first) + 1))
    return ranges
