"""A real adb server of the tests' own: its port, its home and its keys are nobody else's."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from corral.drivers.adb.server import AdbServer
from corral.model.errors import DeviceError
from tests.ports import free_port


@pytest.fixture(scope="session")
def adb_environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What adb runs in: a home for its keys, and no scanning for emulators, which would find other tests' phones."""
    home = str(tmp_path_factory.mktemp("adb"))
    return {
        "PATH": os.environ["PATH"],
        "HOME": home,
        "TMPDIR": home,
        "ADB_LOCAL_TRANSPORT_MAX_PORT": "5554",
        "ANDROID_ADB_SERVER_PORT": str(free_port()),
    }


@pytest.fixture(scope="session")
def adb_port(adb_environment: dict[str, str]) -> Iterator[int]:
    """The port of a running adb server, which is stopped when the tests have ended."""
    port = int(adb_environment["ANDROID_ADB_SERVER_PORT"])

    # Each in a loop of its own: the fixture outlives those of the tests.
    asyncio.run(AdbServer(port=port, environment=adb_environment).ensure())
    yield port
    asyncio.run(kill(port))


async def kill(port: int) -> None:
    with contextlib.suppress(DeviceError):
        await AdbServer(port=port).query("host:kill")


@pytest.fixture
def apk(tmp_path: Path) -> Path:
    """A file that stands for a package where its content does not matter."""
    path = tmp_path / "app.apk"
    path.write_bytes(b"PK" + bytes(100_000))
    return path
