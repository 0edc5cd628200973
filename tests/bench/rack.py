"""Simulated phones in a process of their own, and a real adb server that nobody else uses."""

import os
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

from corral.drivers.adb.server import AdbServer
from tests.drivers.conftest import kill
from tests.ports import free_port
from tests.simulator.process import Simulator, simulating


class Rack(NamedTuple):
    simulator: Simulator
    adb_port: int
    environment: dict[str, str]
    """What adb runs in: a home for its keys, and no scanning for emulators, which would find other people's phones."""

    folder: Path


@asynccontextmanager
async def rack(devices: int) -> AsyncIterator[Rack]:
    """So many phones, until the block ends."""
    port = free_port()
    with tempfile.TemporaryDirectory(prefix="corral-bench-", ignore_cleanup_errors=True) as folder:
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": folder,
            "TMPDIR": folder,
            "ADB_LOCAL_TRANSPORT_MAX_PORT": "5554",
        }
        await AdbServer(port=port, environment=environment).ensure()
        try:
            async with simulating(Path(folder), "--devices", str(devices)) as simulator:
                yield Rack(simulator, port, environment, Path(folder))
        finally:
            await kill(port)
