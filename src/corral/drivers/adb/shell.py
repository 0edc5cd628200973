"""Commands of the phone's shell: by the shell protocol, which carries both outputs and the exit code.

A phone too old for it (before Android 7) gets the command with a line appended that tells the exit code; there the
two outputs come as one.
"""

from __future__ import annotations

import shlex
import struct
from collections.abc import AsyncIterator, Callable
from typing import Final

from corral.drivers.adb.connection import Connection
from corral.drivers.adb.services import Services
from corral.drivers.marked import TAIL_BYTES, Marker
from corral.drivers.protocol import ShellResult
from corral.model.errors import DeviceError, DeviceOfflineError

_PACKET: Final = struct.Struct("<BI")
_STDOUT, _STDERR, _EXIT, _CLOSE_STDIN = 1, 2, 3, 4
_CHUNK: Final = 1 << 16


async def run_shell(
    services: Services, handle: str, command: str, *, max_output_bytes: int, is_probe: bool = False
) -> ShellResult:
    """Run a command line; raises DeviceOfflineError if the phone goes away before it told how the command ended."""
    if "shell_v2" not in await services.features(handle):
        return await _run_marked(services, handle, command, max_output_bytes=max_output_bytes, is_probe=is_probe)
    async with services.opened(handle, f"shell,v2,raw:{command}", is_probe=is_probe) as connection:
        # Whoever reads from the terminal must find nobody there, rather than wait for ever.
        await connection.send(_PACKET.pack(_CLOSE_STDIN, 0))
        return await read_shell(connection, max_output_bytes=max_output_bytes)


async def read_shell(connection: Connection, *, max_output_bytes: int) -> ShellResult:
    """The packets of the shell protocol until the exit code. What exceeds the limit is read and dropped."""
    outputs = {_STDOUT: bytearray(), _STDERR: bytearray()}
    while True:
        kind, length = _PACKET.unpack(await connection.read_exactly(_PACKET.size))
        if kind == _EXIT:
            exit_code = await _read_exit(connection, length)
            return ShellResult(exit_code, bytes(outputs[_STDOUT]), bytes(outputs[_STDERR]))
        output = outputs.get(kind)
        async for chunk in _read_packet(connection, length):
            if output is not None:
                output += chunk[: max_output_bytes - len(output)]


async def listen_to_shell(services: Services, handle: str, command: str, *, hear: Callable[[bytes], None]) -> int:
    """As `run_shell`, with the output handed on as it comes, both kinds as one, and none of it kept."""
    if "shell_v2" not in await services.features(handle):
        return await _listen_marked(services, handle, command, hear=hear)
    async with services.opened(handle, f"shell,v2,raw:{command}") as connection:
        await connection.send(_PACKET.pack(_CLOSE_STDIN, 0))
        while True:
            kind, length = _PACKET.unpack(await connection.read_exactly(_PACKET.size))
            if kind == _EXIT:
                return await _read_exit(connection, length)
            async for chunk in _read_packet(connection, length):
                if kind in (_STDOUT, _STDERR):
                    hear(chunk)


async def _read_exit(connection: Connection, length: int) -> int:
    if length != 1:
        raise DeviceError(f"the phone sent an exit code of {length} bytes")
    return (await connection.read_exactly(1))[0]


async def _read_packet(connection: Connection, length: int) -> AsyncIterator[bytes]:
    while length:
        chunk = await connection.read(min(length, _CHUNK))
        if not chunk:
            raise DeviceOfflineError("the phone went away while the command ran", is_started=True)
        length -= len(chunk)
        yield chunk


async def _listen_marked(services: Services, handle: str, command: str, *, hear: Callable[[bytes], None]) -> int:
    """What may be the beginning of the last line is held back until more of it has come."""
    marker = Marker()
    tail = b""
    async with services.opened(handle, f"exec:{_marked(command, marker)}") as connection:
        while chunk := await connection.read():
            told, tail = (tail + chunk)[:-TAIL_BYTES], (tail + chunk)[-TAIL_BYTES:]
            if told:
                hear(told)
    length, exit_code = marker.find(tail)
    if told := tail[: len(tail) - length]:
        hear(told)
    return exit_code


def _marked(command: str, marker: Marker) -> str:
    return f"sh -c {shlex.quote(command)} 2>&1; code=$?; echo; echo {marker.word}$code"


async def _run_marked(
    services: Services, handle: str, command: str, *, max_output_bytes: int, is_probe: bool
) -> ShellResult:
    marker = Marker()
    kept, tail, total = bytearray(), b"", 0
    async with services.opened(handle, f"exec:{_marked(command, marker)}", is_probe=is_probe) as connection:
        while chunk := await connection.read():
            kept += chunk[: max_output_bytes - len(kept)]
            tail = (tail + chunk)[-TAIL_BYTES:]
            total += len(chunk)
    length, exit_code = marker.find(tail)
    return ShellResult(exit_code, bytes(kept[: total - length]), b"")
