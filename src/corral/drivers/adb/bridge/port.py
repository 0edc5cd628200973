"""A phone's adb on a port of this computer: `adb connect 127.0.0.1:<port>` reaches that phone and no other."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Final

from corral.drivers.adb.bridge.bridge import serve_bridge
from corral.drivers.adb.bridge.line import TcpLine
from corral.drivers.adb.bridge.reach import AdbReach
from corral.model.errors import DeviceError, TouchForbiddenError
from corral.telemetry import logger

_HOST: Final = "127.0.0.1"
_MOST_LINES: Final = 8
_log = logger(__name__)


@asynccontextmanager
async def bridge_port(*, reach: Callable[[], AdbReach], may_touch: Callable[[], bool]) -> AsyncIterator[int]:
    """Listen on a free port of the loopback interface for the length of a block; leaving it cuts whatever is open."""
    lines: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await serve_bridge(TcpLine(reader, writer), reach=reach, may_touch=may_touch)
        except (DeviceError, TouchForbiddenError) as error:
            _log.info("an adb connection ended", why=error.message)

    def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if len(lines) >= _MOST_LINES:
            writer.transport.abort()
            return
        task = asyncio.create_task(serve(reader, writer))
        lines.add(task)
        task.add_done_callback(lines.discard)

    server = await asyncio.start_server(accept, _HOST, 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        tasks = list(lines)
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
