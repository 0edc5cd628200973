"""`corral server` as a process of its own."""

import asyncio
import atexit
import os
import re
import shutil
import signal
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx

from tests.api.client import NODE_SECRET, OPERATOR_TOKEN
from tests.warm import Process, start_corral

SECRETS = {"NODE_AGENT_SHARED_SECRET": NODE_SECRET, "COORDINATOR_AUTH_TOKEN": OPERATOR_TOKEN}
_OURS = re.compile(r"CORRAL_|COORDINATOR_|NODE_AGENT_|DATABASE_URL")


class ServerProcess:
    """A running server, and what it has said."""

    def __init__(self, process: Process, data_dir: Path) -> None:
        self.process = process
        self._data_dir = data_dir
        self.lines: list[str] = []
        self.url = ""

    async def read_until(self, text: str) -> str:
        """The next line with the text; fails if the process ends first."""
        assert self.process.stderr is not None
        while line := (await self.process.stderr.readline()).decode():
            self.lines.append(line)
            if text in line:
                return line
        raise AssertionError(f"no {text!r} in:\n{''.join(self.lines)}")

    async def until_it_serves(self) -> None:
        line = await self.read_until("serving on ")
        self.url = re.findall(r"http://[^\s\"]+", line)[0]
        # The line is written just before the socket opens.
        async with self.client() as http:
            for _ in range(1000):
                try:
                    await http.get("/health")
                except httpx.ConnectError:
                    await asyncio.sleep(0.01)
                else:
                    return
        raise AssertionError("the server does not answer")

    async def read_rest(self) -> str:
        assert self.process.stderr is not None
        self.lines.append((await self.process.stderr.read()).decode())
        return "".join(self.lines)

    async def stop(self) -> int:
        if self.process.returncode is None:
            self.process.send_signal(signal.SIGTERM)
        await self.read_rest()
        return await self.process.wait()

    async def kill(self) -> None:
        """As a power cut would, for good: its directory goes, too."""
        if self.process.returncode is None:
            self.process.kill()
        await self.process.wait()
        await asyncio.to_thread(shutil.rmtree, self._data_dir, ignore_errors=True)

    def client(self) -> httpx.AsyncClient:
        return httpx.AsyncClient(base_url=self.url, timeout=60)


async def start(*flags: str, env: dict[str, str] | None = None, is_warm: bool = True) -> ServerProcess:
    """Start `corral server` with nothing of our environment that would configure it."""
    data_dir = tempfile.mkdtemp(prefix="corral-")
    atexit.register(shutil.rmtree, data_dir, ignore_errors=True)  # of one that is not ended by `kill`
    inherited = {name: value for name, value in os.environ.items() if not _OURS.match(name)}
    settings = {**inherited, "CORRAL_DATA_DIR": data_dir, **(env or {})}
    return ServerProcess(await start_corral("server", *flags, env=settings, is_warm=is_warm), Path(data_dir))


@asynccontextmanager
async def running(
    *flags: str, port: int = 0, env: dict[str, str] | None = None, is_warm: bool = True
) -> AsyncIterator[ServerProcess]:
    """A server with secrets, from the moment that it listens; on any free port, unless it is to come back at the same one."""
    server = await start("--port", str(port), *flags, env={**SECRETS, **(env or {})}, is_warm=is_warm)
    try:
        await server.until_it_serves()
        yield server
    finally:
        await server.kill()
