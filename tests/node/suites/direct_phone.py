"""A simulated phone that is asked without adb in between: for tests of what is made of its answers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn, Self

from corral.drivers.protocol import ShellResult
from corral.model.errors import DeviceOfflineError
from corral.simulator import Fleet
from corral.simulator.phone.phone import Phone
from corral.simulator.scenario.model import Scenario, ScriptedTests, Suite
from corral.simulator.shell.streams import Captured

PACKAGE = "dev.x.test"


def fleet_with(*tests: ScriptedTests, devices: int = 1) -> Fleet:
    """Phones with this suite."""
    return Fleet(devices, seed=3, scenario=Scenario(suites=(Suite(package=PACKAGE, tests=tests),)))


def going(outcome: str, *names: str, class_name: str = "dev.x.ATest", **more: Any) -> ScriptedTests:  # noqa: ANN401 - of the scenario
    return ScriptedTests(class_=class_name, names=names, outcome=outcome, duration_s=0, **more)  # type: ignore[arg-type]


class _Heard(Captured):
    def __init__(self, hear: Callable[[bytes], None]) -> None:
        super().__init__()
        self._hear = hear

    async def out(self, data: bytes) -> None:
        self._hear(data)

    async def err(self, data: bytes) -> None:
        self._hear(data)


class DirectPhone:
    """See drivers.protocol.Phone; a phone that goes down in a command is away, as adb says it."""

    handle = "direct:1"

    def __init__(self, phone: Phone) -> None:
        self._phone = phone
        self.lines: list[str] = []

    async def shell(self, command: str, *, max_output_bytes: int = 1 << 20) -> ShellResult:
        io = Captured()
        code = await self._run(command, io)
        return ShellResult(code, bytes(io.stdout)[:max_output_bytes], bytes(io.stderr)[:max_output_bytes])

    async def listen(self, command: str, hear: Callable[[bytes], None]) -> int:
        return await self._run(command, _Heard(hear))

    async def _run(self, command: str, io: Captured) -> int:
        self.lines.append(command)
        running = asyncio.ensure_future(self._phone.run(command, io, connection="direct"))
        try:
            await asyncio.wait({running})
        finally:
            running.cancel()
        if running.cancelled():
            raise DeviceOfflineError("the phone went away while the command ran", is_started=True)
        return running.result()

    def under(self, _may_touch: Callable[[], bool], /) -> Self:
        return self

    async def screenshot(self) -> NoReturn:
        raise NotImplementedError

    async def push(self, source: Path, path: str, *, mode: int = 0o644) -> None:
        raise NotImplementedError

    async def pull(self, path: str, target: Path) -> None:
        raise NotImplementedError

    async def install(self, apk: Path, options: Sequence[str] = ()) -> None:
        raise NotImplementedError

    async def reboot(self) -> None:
        raise NotImplementedError

    async def reconnect(self) -> None:
        raise NotImplementedError

    async def call(self, action: str, data: Mapping[str, Any]) -> NoReturn:
        raise NotImplementedError
