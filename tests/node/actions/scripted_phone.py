"""A phone that answers from a script, and a bench to work on it: for tests of what is said to a phone and how it is heard.

It knows no Android. Each rule is a regular expression over the command line and what to answer: the text, a whole
result, an error to raise, or a list of these, one per call, of which the last stays.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any, Self
from uuid import UUID

from corral.drivers.adb.bridge import reach_by_adb
from corral.drivers.adb.private import PrivateAdb, private_adb
from corral.drivers.protocol import Phone, ShellResult
from corral.model.testing import Chunk, ClaimedCase, Offer
from corral.node.actions.protocol import ArtifactKind, Level, StoredFile
from corral.node.actions.scratch import OWN
from corral.wire.testing import ToldResult
from corral.workflow.context import DeviceContext, RunContext

Answer = str | ShellResult | Exception
Script = Mapping[str, Answer | list[Answer]]

PNG = bytes.fromhex("89504e470d0a1a0a0000000d49484452000004380000092408060000") + b"rest of the picture"
"""The beginning of a picture of 1080 by 2340."""


def failed(exit_code: int, stderr: str = "", stdout: str = "") -> ShellResult:
    return ShellResult(exit_code, stdout.encode(), stderr.encode())


class ScriptedPhone:
    """Answers by the first rule whose expression is found in the command, or that equals it; fails without one."""

    handle = "scripted:1"

    def __init__(self, script: Script | None = None) -> None:
        self._script: dict[str, Answer | list[Answer]] = {}
        self.learn(script or {})
        self.commands: list[str] = []
        self.heard = asyncio.Event()
        """Set by the first command."""

        self.pushed: dict[str, bytes] = {}
        self.files: dict[str, bytes] = {}
        self.installed: list[tuple[Path, tuple[str, ...]]] = []
        self.calls: list[tuple[str, Mapping[str, Any]]] = []
        self.answer_to_call: object = None
        self.picture: bytes | Exception = PNG
        self.reboots = 0
        self.trouble_with_reboot: Exception | None = None
        self.reconnects = 0

    def learn(self, script: Script) -> None:
        self._script.update(
            {rule: [*answer] if isinstance(answer, list) else answer for rule, answer in script.items()}
        )

    async def shell(self, command: str, *, max_output_bytes: int = 1 << 20) -> ShellResult:
        self.commands.append(command)
        self.heard.set()
        for rule, answer in self._script.items():
            if rule == command or re.search(rule, command):
                return self._result(answer, max_output_bytes)
        raise AssertionError(f"nobody told the phone what to answer to: {command}")

    async def listen(self, command: str, hear: Callable[[bytes], None]) -> int:
        result = await self.shell(command)
        hear(result.stdout + result.stderr)
        return result.exit_code

    def under(self, _may_touch: Callable[[], bool], /) -> Self:
        return self

    async def screenshot(self) -> bytes:
        if isinstance(self.picture, Exception):
            raise self.picture
        return self.picture

    async def push(self, source: Path, path: str, *, mode: int = 0o644) -> None:  # noqa: ARG002 - as in the protocol
        self.pushed[path] = source.read_bytes()

    async def pull(self, path: str, target: Path) -> None:
        with target.open("xb") as opened:
            opened.write(self.files[path])

    async def install(self, apk: Path, options: Sequence[str] = ()) -> None:
        self.installed.append((apk, tuple(options)))

    async def reboot(self) -> None:
        self.reboots += 1
        if self.trouble_with_reboot:
            raise self.trouble_with_reboot

    async def reconnect(self) -> None:
        self.reconnects += 1

    async def call(self, action: str, data: Mapping[str, Any]) -> Any:  # noqa: ANN401 - as in the protocol
        self.calls.append((action, data))
        return self.answer_to_call

    def _result(self, answer: Answer | list[Answer], most: int) -> ShellResult:
        one = (answer.pop(0) if len(answer) > 1 else answer[0]) if isinstance(answer, list) else answer
        if isinstance(one, Exception):
            raise one
        if isinstance(one, ShellResult):
            return one
        return ShellResult(0, one.encode()[:most], b"")


class ScriptedBench:
    """A step's place of work that remembers what was logged and stored."""

    def __init__(self, scratch: Path, phone: Phone | None = None, *, allows_shell: bool = False) -> None:
        self.step_id = "look"
        self.run = RunContext(run_id="run-1", job_id="job-1", node_id="node-1")
        self.device = DeviceContext(serial="S1", index=1, node_id="node-1")
        self.phone: Phone = phone or ScriptedPhone()
        self.scratch = scratch
        self.allows_shell = allows_shell
        self.lines: list[tuple[Level, str]] = []
        self.stored: list[tuple[Path, ArtifactKind, str | None]] = []
        self.inputs: dict[str, Path] = {}
        self.results: list[ToldResult] = []
        self.reported = asyncio.Event()
        self.may_touch = True
        self.offered: list[tuple[str, str]] = []
        self.chunks: list[list[tuple[str, str, int]]] = []
        """The shared tests that this phone is given, portion by portion."""

    def log(self, level: Level, message: str) -> None:
        self.lines.append((level, message))

    async def store(self, path: Path, *, kind: ArtifactKind, name: str | None = None) -> StoredFile:
        self.stored.append((path, kind, name))
        content = path.read_bytes()
        return StoredFile(path=path, sha256=hashlib.sha256(content).hexdigest(), size_bytes=len(content))

    @property
    def adb_port(self) -> int:
        return 5037

    def own_adb(self) -> AbstractAsyncContextManager[PrivateAdb]:
        return private_adb(
            reach=lambda: reach_by_adb(self.phone), may_touch=lambda: self.may_touch, folder=self.scratch / OWN / "adb"
        )

    def report_tests(self, results: Sequence[ToldResult]) -> None:
        self.results += results
        self.reported.set()

    async def offer_tests(
        self, tests: Sequence[tuple[str, str]], *, chunk: str, test_retries: int, infra_retries: int
    ) -> Offer:
        assert chunk in ("count", "duration")
        assert min(test_retries, infra_retries) >= 0
        self.offered = [*tests]
        return Offer(len(tests), is_first=True)

    async def claim_tests(self, request_id: UUID) -> Chunk:
        assert request_id.version
        if not self.chunks:
            return Chunk([], is_done=True)
        return Chunk([ClaimedCase(*each) for each in self.chunks.pop(0)], is_done=False)

    async def fetch(self, file: str) -> Path:
        return self.inputs[file]
