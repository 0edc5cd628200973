"""Several server processes on one port: start them, start again what dies, stop them together."""

import asyncio
import contextlib
import signal
import sys
from typing import Final

from corral.config import ServerConfig, to_bytes
from corral.telemetry import logger

_RESTART_S: Final = 1.0
_GOODBYE_S: Final = 20.0
_log = logger(__name__)


async def supervise(config: ServerConfig, stopping: asyncio.Event) -> None:
    """Keep the workers running until told to stop."""
    async with asyncio.TaskGroup() as group:
        for number in range(config.workers):
            group.create_task(_keep(config, stopping, number=number))


async def _keep(config: ServerConfig, stopping: asyncio.Event, *, number: int) -> None:
    while not stopping.is_set():
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "corral.cli.worker", stdin=asyncio.subprocess.PIPE, start_new_session=True
        )
        try:
            await _attend(process, config, stopping)
        finally:
            await _stop(process)
        if not stopping.is_set():
            _log.error("a worker died; starting it again", worker=number, status=process.returncode)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(stopping.wait(), _RESTART_S)


async def _attend(process: asyncio.subprocess.Process, config: ServerConfig, stopping: asyncio.Event) -> None:
    """Tell the worker its settings, over a pipe that nobody else reads, and wait for its end or for ours."""
    if process.stdin is not None:
        process.stdin.write(to_bytes(config) + b"\n")
        with contextlib.suppress(ConnectionError):
            await process.stdin.drain()
    ended, told = asyncio.create_task(process.wait()), asyncio.create_task(stopping.wait())
    try:
        await asyncio.wait({ended, told}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        ended.cancel()
        told.cancel()


async def _stop(process: asyncio.subprocess.Process) -> None:
    if process.returncode is not None:
        return
    process.send_signal(signal.SIGTERM)
    try:
        await asyncio.wait_for(process.wait(), _GOODBYE_S)
    except TimeoutError:
        process.kill()
        await process.wait()
