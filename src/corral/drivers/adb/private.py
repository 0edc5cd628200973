"""An adb server of its own for somebody, with one phone on it and no other: a child process that ends with the block.

It looks for phones nowhere: not on USB, where it would take them from the node's server, nor for emulators, nor in the
network. The one that it has comes by a bridge, which asks before each touch whether it is still allowed.
"""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final, NamedTuple

from corral.drivers.adb.binary import find_adb
from corral.drivers.adb.bridge import AdbReach, bridge_port
from corral.drivers.adb.discover import connect
from corral.drivers.adb.server import AdbServer
from corral.model.errors import DeviceError, DeviceOfflineError, DriverUnavailableError

_HOST: Final = "127.0.0.1"
_START_S: Final = 15.0
_CONNECTED_S: Final = 20.0
_LOOK_EVERY_S: Final = 0.05
_TRIES: Final = 3
_KEPT: Final = ("PATH", "SYSTEMROOT", "SYSTEMDRIVE", "TEMP", "TMP", "LD_LIBRARY_PATH")
_ALONE: Final = {
    "ADB_USB": "0",
    "ADB_EMU": "0",
    "ADB_MDNS": "0",
    "ADB_MDNS_AUTO_CONNECT": "",
    "ADB_LOCAL_TRANSPORT_MAX_PORT": "5554",
    "ADB_REJECT_KILL_SERVER": "1",  # a command that kills it would start another, which looks everywhere
}
_NO_DEVICE: Final = "no-usb-device"
_WORDS: Final = 500


class PrivateAdb(NamedTuple):
    """How the phone is reached there: `adb -P <port> -s <serial>`, with this program."""

    serial: str
    port: int
    program: Path


@asynccontextmanager
async def private_adb(
    *, reach: Callable[[], AdbReach], may_touch: Callable[[], bool], folder: Path, program: Path | None = None
) -> AsyncIterator[PrivateAdb]:
    """A server with that phone, for the length of a block. Its keys and its log are in the folder.

    Raises NotSupportedError where the phone has no adb, and other DeviceErrors where the server or the phone does not come.
    """
    reach()
    found = await asyncio.to_thread(find_adb, program)
    async with bridge_port(reach=reach, may_touch=may_touch) as bridged:
        serial = f"{_HOST}:{bridged}"
        async with _serving(found, folder) as server:
            await connect(server, serial)
            await _wait_for(server, serial)
            yield PrivateAdb(serial, server.port, found)


@asynccontextmanager
async def _serving(program: Path, folder: Path) -> AsyncIterator[AdbServer]:
    process, server = await _start(program, folder)
    try:
        yield server
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def _start(program: Path, folder: Path) -> tuple[asyncio.subprocess.Process, AdbServer]:
    """A port that was free a moment ago may be taken now: another is tried."""
    await asyncio.to_thread(folder.mkdir, parents=True, exist_ok=True)
    log = folder / "adb.log"
    for _ in range(_TRIES):
        server = AdbServer(port=_free_port())
        with log.open("wb") as words:
            process = await _spawn(program, server.port, folder, words.fileno())
        try:
            if await _listens(process, server):
                return process, server
        except BaseException:
            process.kill()
            await process.wait()
            raise
    said = log.read_bytes()[-_WORDS:].decode(errors="replace").strip()
    raise DriverUnavailableError(f"{program} could not start an adb server for this step: {said}")


async def _spawn(program: Path, port: int, folder: Path, words: int) -> asyncio.subprocess.Process:
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    home = str(folder)
    try:
        return await asyncio.create_subprocess_exec(
            str(program),
            *("-P", str(port), "--one-device", _NO_DEVICE, "nodaemon", "server"),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=words,
            stderr=words,
            env={**kept, **_ALONE, "HOME": home, "USERPROFILE": home, "TMPDIR": home, "ANDROID_USER_HOME": home},
        )
    except OSError as error:
        raise DriverUnavailableError(f"{program} cannot be run: {error}") from error


async def _listens(process: asyncio.subprocess.Process, server: AdbServer) -> bool:
    """Whether the server answers; not where the process ended first."""
    try:
        async with asyncio.timeout(_START_S):
            while process.returncode is None:
                try:
                    await server.query("host:version")
                except DeviceError:
                    await asyncio.sleep(_LOOK_EVERY_S)
                else:
                    return True
    except TimeoutError as error:
        raise DriverUnavailableError(f"an adb server for this step did not start within {_START_S:g} s") from error
    return False


async def _wait_for(server: AdbServer, serial: str) -> None:
    """Connected is not yet greeted: return when the phone can be used."""
    try:
        async with asyncio.timeout(_CONNECTED_S):
            while await _state(server, serial) != "device":  # noqa: ASYNC110 - the server has no event for one phone
                await asyncio.sleep(_LOOK_EVERY_S)
    except TimeoutError as error:
        raise DeviceOfflineError("the phone did not come to the step's own adb server", is_started=False) from error


async def _state(server: AdbServer, serial: str) -> str | None:
    try:
        return await server.query(f"host-serial:{serial}:get-state", handle=serial)
    except DeviceError:
        return None


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((_HOST, 0))
        port: int = probe.getsockname()[1]
        return port
