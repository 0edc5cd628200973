"""Following which devices the adb server lists: for ever, through every restart of the server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

from corral.drivers.adb.connection import Connection
from corral.drivers.adb.parse import Listed, parse_devices
from corral.drivers.adb.server import ANSWER_S, AdbServer
from corral.drivers.backoff import Backoff
from corral.model.errors import DeviceError
from corral.telemetry import logger

_log = logger(__name__)


async def track_devices(server: AdbServer) -> AsyncGenerator[list[Listed] | None, None]:
    """All devices listed, and again all of them whenever one changed; None once the server is away."""
    backoff, trouble = Backoff(), ""
    while True:
        try:
            async with aclosing(_follow(server)) as news:
                async for listed in news:
                    backoff.reset()
                    trouble = ""
                    yield listed
        except (DeviceError, TimeoutError) as error:
            said = str(error) or "it does not answer"
            # Once, and not at every attempt: the server may be away for days.
            if said != trouble:
                _log.warning("the adb server is away: %s", said)
            trouble = said
        yield None
        await asyncio.sleep(backoff.fail())


async def _follow(server: AdbServer) -> AsyncGenerator[list[Listed], None]:
    """Raises DeviceError when the connection ends."""
    await server.ensure()
    connection = await _start_tracking(server)
    try:
        while True:
            yield parse_devices(await connection.read_string())
    finally:
        connection.abort()


async def _start_tracking(server: AdbServer) -> Connection:
    async with asyncio.timeout(ANSWER_S):
        connection = await server.connect()
        try:
            await connection.request("host:track-devices-l")
        except BaseException:
            connection.abort()
            raise
    return connection
