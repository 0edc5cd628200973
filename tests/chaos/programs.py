"""Processes that are killed, paused and started again. Each writes its words to a file of its own."""

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Mapping
from pathlib import Path

_REST_S = 0.5


class Program:
    """A command that is kept running unless it was put down on purpose."""

    def __init__(self, name: str, arguments: list[str], *, env: Mapping[str, str], log: Path) -> None:
        self.name = name
        self.restarts = 0
        self._arguments = arguments
        self._env = dict(env)
        self._log = log
        self._process: asyncio.subprocess.Process | None = None
        self._is_wanted = False
        self._watching: asyncio.Task[None] | None = None
        self._turn = asyncio.Lock()

    @property
    def is_up(self) -> bool:
        return self._process is not None and self._process.returncode is None

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process is not None and self.is_up else None

    async def start(self) -> None:
        async with self._turn:
            self._is_wanted = True
            if not self.is_up:
                await self._spawn()

    async def kill(self) -> None:
        """As a power cut would. It stays down until it is started."""
        async with self._turn:
            self._is_wanted = False
            if self._process is not None:
                self._signal(signal.SIGKILL)
                await self._process.wait()

    async def stop(self, within_s: float = 40.0) -> None:
        """As a person would; killed if it takes too long."""
        async with self._turn:
            self._is_wanted = False
        if self._process is None or not self.is_up:
            return
        self._signal(signal.SIGCONT)
        self._signal(signal.SIGTERM)
        try:
            await asyncio.wait_for(self._process.wait(), within_s)
        except TimeoutError:
            await self.kill()

    def pause(self) -> None:
        self._signal(signal.SIGSTOP)

    def resume(self) -> None:
        self._signal(signal.SIGCONT)

    def _signal(self, which: int) -> None:
        if self._process is not None and self.is_up:
            with contextlib.suppress(ProcessLookupError):
                self._process.send_signal(which)

    async def _spawn(self) -> None:
        with self._log.open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                *self._arguments,
                env={**os.environ, **self._env},
                stdin=asyncio.subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        self._watching = asyncio.create_task(self._watch(self._process))

    async def _watch(self, process: asyncio.subprocess.Process) -> None:
        """A supervisor's: what ends by itself is started again."""
        await process.wait()
        await asyncio.sleep(_REST_S)
        async with self._turn:
            if self._is_wanted and self._process is process:
                self.restarts += 1
                await self._spawn()
