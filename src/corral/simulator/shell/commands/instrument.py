"""`am instrument`: the suites of the scenario, told of as Android's own runner tells of tests."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from typing import Final, NamedTuple, assert_never

from corral.model.reading import read_count
from corral.simulator.phone.desktop import NoActivityError
from corral.simulator.phone.suites import ScriptedTest
from corral.simulator.scenario.model import Outcome, Suite
from corral.simulator.shell.call import Call

_FLAGS: Final = frozenset({"-w", "-r", "-m", "--no-window-animation", "--no-hidden-api-checks", "--no-test-api-access"})
_WITH_VALUE: Final = frozenset({"-p", "-f", "--user", "--abi"})
_START, _OK, _ERROR, _FAILURE, _IGNORED, _ASSUMPTION = 1, 0, -1, -2, -3, -4
_DONE: Final = -1


class Wanted(NamedTuple):
    """What the command line asks for."""

    component: str
    arguments: dict[str, str]
    is_raw: bool


async def instrument(call: Call, args: Sequence[str]) -> int:
    """Execute tests of a suite; the exit code is 0 whenever the runner could be started, as Android's is."""
    wanted = _read(args)
    package, _, runner = wanted.component.partition("/")
    suite = call.phone.suites.get(package)
    if suite is None or call.phone.packages.get(package) is None or (runner and _full(package, runner) != suite.runner):
        return await _refuse(call, wanted.component)
    with contextlib.suppress(NoActivityError):
        call.phone.desktop.start(suite.target)
    return await _Session(call, suite, wanted).run()


async def list_instrumentation(call: Call) -> int:
    """`pm list instrumentation`."""
    for suite in call.phone.suites.all():
        if call.phone.packages.get(suite.package) is not None:
            await call.print(f"instrumentation:{suite.package}/{suite.runner} (target={suite.target})")
    return 0


def _read(args: Sequence[str]) -> Wanted:
    arguments: dict[str, str] = {}
    component, flags = "", set[str]()
    rest = iter(args)
    for arg in rest:
        if arg == "-e":
            name = next(rest, "")
            arguments[name] = next(rest, "")
        elif arg in _WITH_VALUE:
            next(rest, "")
        elif arg in _FLAGS:
            flags.add(arg)
        else:
            component = arg
    return Wanted(component, arguments, "-r" in flags)


def _full(package: str, runner: str) -> str:
    return f"{package}{runner}" if runner.startswith(".") else runner


async def _refuse(call: Call, component: str) -> int:
    if "/" not in component:
        return await call.fail(f"Error: No instrumentation found for: {component}")
    package, _, runner = component.partition("/")
    info = f"ComponentInfo{{{package}/{_full(package, runner)}}}"
    await call.print(f"INSTRUMENTATION_STATUS: Error=Unable to find instrumentation info for: {info}")
    await call.print("INSTRUMENTATION_STATUS: id=ActivityManagerService\nINSTRUMENTATION_STATUS_CODE: -1")
    return await call.fail(f"android.util.AndroidException: INSTRUMENTATION_FAILED: {component}")


class _Session:
    """One instrumentation, from its first test to its last word."""

    def __init__(self, call: Call, suite: Suite, wanted: Wanted) -> None:
        self._call = call
        self._suite = suite
        self._is_raw = wanted.is_raw
        self._is_listing = wanted.arguments.get("log") == "true"
        self._arguments = wanted.arguments
        self._total = 0
        self._current = 0
        self._failures = 0

    async def run(self) -> int:
        tests, missing = self._choose()
        self._total = len(tests) + len(missing)
        began = self._call.phone.clock.now()
        for class_name in missing:
            self._current += 1
            await self._tell(class_name, "initializationError", _START)
            stack = f"java.lang.ClassNotFoundException: {class_name}\n\tat java.lang.Class.classForName(Native Method)"
            await self._fail(class_name, "initializationError", _FAILURE, stack)
        for test in tests:
            self._current += 1
            if not await self._execute(test):
                return 0
        await self._finish(self._call.phone.clock.now() - began)
        return 0

    def _choose(self) -> tuple[list[ScriptedTest], list[str]]:
        tests = list(self._call.phone.suites.tests_of(self._suite))
        missing: list[str] = []
        if wanted := self._arguments.get("class"):
            names = [name for name in wanted.split(",") if name]
            known = {test.class_name for test in tests}
            missing = list(
                dict.fromkeys(name.partition("#")[0] for name in names if name.partition("#")[0] not in known)
            )
            tests = [test for test in tests if {test.class_name, f"{test.class_name}#{test.name}"} & set(names)]
        if shards := read_count(self._arguments.get("numShards", "")):
            index = read_count(self._arguments.get("shardIndex", "")) or 0
            tests = [test for at, test in enumerate(tests) if at % shards == index]
        return tests, missing

    async def _execute(self, test: ScriptedTest) -> bool:
        """Whether the process is still there afterwards."""
        phone = self._call.phone
        await self._tell(test.class_name, test.name, _START)
        if self._is_listing:
            is_ignored = test.group.outcome == "skip"
            await self._tell(test.class_name, test.name, _IGNORED if is_ignored else _OK)
            return True
        outcome = phone.suites.outcome_of(test, phone.identity)
        if outcome != "skip":
            await phone.clock.sleep(phone.suites.seconds_of(test, phone.identity))
        return await self._conclude(test, outcome)

    async def _conclude(self, test: ScriptedTest, outcome: Outcome) -> bool:
        match outcome:
            case "pass":
                await self._tell(test.class_name, test.name, _OK)
            case "skip":
                await self._tell(test.class_name, test.name, _IGNORED)
            case "assume":
                stack = "org.junit.AssumptionViolatedException: got: <false>, expected: is <true>"
                await self._tell(test.class_name, test.name, _ASSUMPTION, stack=_trace(stack, test))
            case "fail" | "flaky":
                stack = "java.lang.AssertionError: expected:<1> but was:<2>"
                await self._fail(test.class_name, test.name, _FAILURE, _trace(stack, test))
            case "error":
                stack = "java.lang.IllegalStateException: not now"
                await self._fail(test.class_name, test.name, _ERROR, _trace(stack, test))
            case "crash":
                await self._crash(test)
                return False
            case "reboot":
                self._call.phone.reboot()
                await asyncio.Event().wait()
            case "hang":
                await asyncio.Event().wait()
            case _:
                assert_never(outcome)
        return True

    async def _fail(self, class_name: str, name: str, code: int, stack: str) -> None:
        self._failures += 1
        await self._tell(class_name, name, code, stack=stack)

    async def _tell(self, class_name: str, name: str, code: int, *, stack: str | None = None) -> None:
        if code == _START:
            stream = f"\n{class_name}:" if self._current == 1 else ""
        else:
            stream = "." if stack is None else f"\nError in {name}({class_name}):\n{stack}"
        if not self._is_raw:
            await self._call.write(stream.encode())
            return
        bundle = {
            "class": class_name,
            "current": str(self._current),
            "id": "AndroidJUnitRunner",
            "numtests": str(self._total),
            **({} if stack is None else {"stack": stack}),
            "stream": stream,
            "test": name,
        }
        lines = [f"INSTRUMENTATION_STATUS: {key}={value}" for key, value in bundle.items()]
        await self._call.print("\n".join([*lines, f"INSTRUMENTATION_STATUS_CODE: {code}"]))

    async def _crash(self, test: ScriptedTest) -> None:
        why = f"java.lang.NullPointerException: in {test.name}"
        lines = (f"longMsg={why}", "shortMsg=Process crashed.")
        if not self._is_raw:
            await self._call.print("INSTRUMENTATION_RESULT: shortMsg=Process crashed.\nINSTRUMENTATION_CODE: 0")
            return
        await self._call.print(
            "".join(f"INSTRUMENTATION_RESULT: {line}\n" for line in lines) + "INSTRUMENTATION_CODE: 0"
        )

    async def _finish(self, seconds: float) -> None:
        count = "1 test" if self._total == 1 else f"{self._total} tests"
        verdict = f"OK ({count})"
        if self._failures:
            verdict = f"FAILURES!!!\nTests run: {self._total},  Failures: {self._failures}"
        stream = f"\n\nTime: {seconds:.3f}\n\n{verdict}\n\n"
        if not self._is_raw:
            await self._call.print(stream)
            return
        await self._call.print(f"INSTRUMENTATION_RESULT: stream={stream}\nINSTRUMENTATION_CODE: {_DONE}")


def _trace(first: str, test: ScriptedTest) -> str:
    file = test.class_name.rpartition(".")[2].partition("$")[0]
    return (
        f"{first}\n\tat org.junit.Assert.fail(Assert.java:89)\n"
        f"\tat {test.class_name}.{test.name}({file}.java:42)\n\tat java.lang.reflect.Method.invoke(Native Method)\n"
    )
