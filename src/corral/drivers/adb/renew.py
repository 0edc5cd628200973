"""Connecting anew to phones over Wi-Fi that the adb server lost: it lists them as offline, and mostly leaves it at that."""

from __future__ import annotations

import asyncio
from typing import Final

from corral.drivers.adb.discover import connect
from corral.drivers.adb.server import AdbServer
from corral.drivers.backoff import Backoff
from corral.model.errors import DeviceError

_FIRST_S: Final = 1.0
_LONGEST_S: Final = 30.0
_AT_ONCE: Final = 8


class Renewals:
    """One attempt after another for each lost address, until `end`. A few at once, so that a dead hub costs little."""

    def __init__(self, server: AdbServer) -> None:
        self._server = server
        self._budget = asyncio.Semaphore(_AT_ONCE)
        self._tasks: dict[str, asyncio.Task[None]] = {}

    @property
    def addresses(self) -> list[str]:
        return list(self._tasks)

    def begin(self, address: str) -> None:
        if address not in self._tasks:
            self._tasks[address] = asyncio.create_task(self._renew(address), name=f"adb renew {address}")

    def end(self, address: str) -> None:
        if task := self._tasks.pop(address, None):
            task.cancel()

    async def aclose(self) -> None:
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _renew(self, address: str) -> None:
        backoff = Backoff(first_s=_FIRST_S, longest_s=_LONGEST_S)
        while True:
            await asyncio.sleep(backoff.fail())
            try:
                async with self._budget:
                    await connect(self._server, address)
            except (DeviceError, TimeoutError):
                continue  # the sighting says so already
