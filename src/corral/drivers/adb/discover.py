"""Phones over Wi-Fi: asking the adb server to connect to addresses."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from typing import Final

from corral.drivers.adb.errors import from_words
from corral.drivers.adb.server import AdbServer
from corral.model.errors import CorralError, DeviceError, DeviceOfflineError, InvalidRequestError

CONNECT_S: Final = 20.0
DEFAULT_PORT: Final = 5555
AT_ONCE: Final = 16
MOST_ADDRESSES: Final = 4096
_HIGHEST_PORT: Final = 65535
_ADDRESS: Final = re.compile(
    r"^(?P<host>\[[0-9a-fA-F:.%]+\]|[^\s:\[\]]+)(?::(?P<first>\d{1,5})(?:-(?P<last>\d{1,5}))?)?$"
)
_CONNECTED: Final = "connected to"
_ALREADY: Final = "already connected to"


def is_address(handle: str) -> bool:
    """Whether adb reaches this phone over TCP, by that address."""
    return bool(re.match(r"^(\[.+\]|[^:]+):\d+$", handle))


def expand(address: str) -> list[str]:
    """`host`, `host:port` or `host:port-port` as one address for each port. Raises InvalidRequestError."""
    match = _ADDRESS.match(address.strip())
    if not match:
        raise InvalidRequestError(f"'{address}' is not an address: write host, host:port or host:port-port")
    first = int(match["first"] or DEFAULT_PORT)
    last = int(match["last"] or first)
    if not 1 <= first <= last <= _HIGHEST_PORT:
        raise InvalidRequestError(f"'{address}' names no ports: they go from 1 to {_HIGHEST_PORT}, upwards")
    return [f"{match['host']}:{port}" for port in range(first, last + 1)]


async def discover(server: AdbServer, addresses: Sequence[str]) -> list[str]:
    """Connect to each address, a few at once; a line for each that failed."""
    failures: list[str] = []
    wanted: dict[str, None] = {}
    for address in addresses:
        try:
            wanted.update(dict.fromkeys(expand(address)))
        except InvalidRequestError as error:
            failures.append(error.message)
    if len(wanted) > MOST_ADDRESSES:
        return [*failures, f"{len(wanted)} addresses are more than one scan tries, which is {MOST_ADDRESSES}"]
    try:
        await server.ensure()
    except DeviceError as error:
        return [*failures, error.message]
    budget = asyncio.Semaphore(AT_ONCE)

    async def attempt(address: str) -> str | None:
        async with budget:
            try:
                await connect(server, address)
            except CorralError as error:
                return error.message if address in error.message else f"{address}: {error.message}"
        return None

    async with asyncio.TaskGroup() as group:
        attempts = [group.create_task(attempt(address)) for address in wanted]
    return failures + [line for task in attempts if (line := task.result())]


async def connect(server: AdbServer, address: str) -> None:
    """Raises what the server's words mean: it says OKAY either way."""
    words = await _connect(server, address)
    # The server calls itself connected also to a phone that it lost, and would wait for it rather than try.
    if words.startswith(_ALREADY) and await _is_lost(server, address):
        await disconnect(server, address)
        words = await _connect(server, address)
    if not words.startswith((_CONNECTED, _ALREADY)):
        raise from_words(words, handle=address)


async def reconnect(server: AdbServer, address: str) -> None:
    """Break the connection, and connect anew."""
    await disconnect(server, address)
    await connect(server, address)


async def _connect(server: AdbServer, address: str) -> str:
    try:
        return await server.query(f"host:connect:{address}", handle=address, within_s=CONNECT_S)
    except TimeoutError as error:
        raise DeviceOfflineError(f"{address} did not answer within {CONNECT_S:g} s", is_started=False) from error


async def _is_lost(server: AdbServer, address: str) -> bool:
    try:
        await server.query(f"host-serial:{address}:get-state", handle=address)
    except DeviceOfflineError:
        return True
    except (DeviceError, TimeoutError):
        return False
    return False


async def disconnect(server: AdbServer, address: str) -> None:
    """Break the connection; that there was none is fine, too."""
    try:
        await server.query(f"host:disconnect:{address}", handle=address)
    except DeviceOfflineError:
        return
    except TimeoutError as error:
        raise DeviceOfflineError(f"{address} could not be disconnected", is_started=False) from error
