"""`corral simulate` as a process of its own."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec

from tests.warm import Process, start_corral


class Simulator:
    def __init__(self, process: Process, addresses: list[str], control_port: int) -> None:
        self.process = process
        self.addresses = addresses
        self.control_port = control_port

    async def stop(self) -> tuple[int | None, str]:
        self.process.send_signal(signal.SIGTERM)
        _, err = await asyncio.wait_for(self.process.communicate(), 30)
        return self.process.returncode, err.decode()


@asynccontextmanager
async def simulating(folder: Path, *args: str, is_warm: bool = True) -> AsyncIterator[Simulator]:
    listed = folder / "addresses"
    command = ("simulate", "--addresses", listed, "--log-format", "json", *args)
    process = await start_corral(*command, env=dict(os.environ), is_warm=is_warm)
    try:
        assert process.stderr is not None
        async with asyncio.timeout(60):
            while b"simulating" not in (line := await process.stderr.readline()):
                assert line, "the simulator ended"
        yield Simulator(process, listed.read_text().splitlines(), msgspec.json.decode(line)["control_port"])
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
