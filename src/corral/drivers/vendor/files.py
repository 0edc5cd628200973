"""Files and pictures through a shell that carries only text: as base64, in pieces that fit a command line.

The program's own uploadFile, pullFile and installApk answer before they have done anything and never say whether they
did; this is slower, about a megabyte a second, and knows.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import shlex
from pathlib import Path
from typing import IO, Final

from corral.drivers.partial import partial_file
from corral.drivers.protocol import ShellResult
from corral.drivers.vendor.client import VendorClient
from corral.drivers.vendor.shell import run_shell
from corral.model.errors import CommandFailedError, DeviceError
from corral.model.reading import read_count

_SENT_AT_ONCE: Final = 18_000
_FETCHED_AT_ONCE: Final = 1 << 20
_LARGEST_OUTPUT: Final = 96 << 20


async def push(client: VendorClient, handle: str, *, source: Path, path: str, mode: int) -> None:
    """Write beside the target and move it there once it is whole. What an earlier attempt left behind is overwritten."""
    partial, target = shlex.quote(f"{path}.corral-part"), shlex.quote(path)
    try:
        file = source.open("rb")
    except OSError as error:
        raise DeviceError(f"{source} cannot be read: {error.strerror or error}") from error
    with file:
        await _do(client, handle, f"true > {partial}", path)
        sent = await _send(client, handle, file, partial=partial, path=path)
    await _do(client, handle, f"chmod {mode & 0o7777:o} {partial} && mv -f {partial} {target}", path)
    size = await _size(client, handle, path)
    if size != sent:
        raise DeviceError(f"{path} has {size} bytes on the phone after {sent} were sent")


async def pull(client: VendorClient, handle: str, *, path: str, target: Path) -> None:
    """Fetch piece by piece. Raises DeviceError if the file changed its size on the way."""
    size = await _size(client, handle, path)
    async with partial_file(target) as file:
        received = 0
        while received < size:
            piece = await fetch(
                client,
                handle,
                f"dd if={shlex.quote(path)} bs={_FETCHED_AT_ONCE} skip={received // _FETCHED_AT_ONCE} count=1 2>/dev/null",
            )
            if len(piece) != min(_FETCHED_AT_ONCE, size - received):
                raise DeviceError(f"{received + len(piece)} of the {size} bytes of {path} arrived")
            await asyncio.to_thread(file.write, piece)
            received += len(piece)


async def fetch(client: VendorClient, handle: str, command: str) -> bytes:
    """The output of a command, byte by byte. Raises CommandFailedError where the phone cannot encode it."""
    result = await run_shell(client, handle, f"{command} | base64", max_output_bytes=_LARGEST_OUTPUT)
    if result.exit_code != 0:
        raise CommandFailedError(_words(result, "the phone could not encode the output"))
    try:
        return base64.b64decode(b"".join(result.stdout.split()), validate=True)
    except binascii.Error as error:
        raise DeviceError("what the phone sent is not base64: it was cut off or garbled on the way") from error


async def _send(client: VendorClient, handle: str, file: IO[bytes], *, partial: str, path: str) -> int:
    sent = 0
    while chunk := await asyncio.to_thread(file.read, _SENT_AT_ONCE):
        encoded = base64.b64encode(chunk).decode()
        await _do(client, handle, f"echo '{encoded}' | base64 -d >> {partial}", path)
        sent += len(chunk)
    return sent


async def _size(client: VendorClient, handle: str, path: str) -> int:
    result = await run_shell(client, handle, f"wc -c < {shlex.quote(path)}")
    size = read_count(result.text.strip())
    if result.exit_code != 0 or size is None:
        raise CommandFailedError(f"{path}: {_words(result, 'the phone did not tell its size')}")
    return size


async def _do(client: VendorClient, handle: str, command: str, path: str) -> None:
    """Run what succeeds in silence. A full phone may complain and still exit with 0."""
    result = await run_shell(client, handle, command)
    if result.exit_code != 0 or result.stdout or result.stderr:
        raise CommandFailedError(f"{path}: {_words(result, 'the phone refused without a word')}")


def _words(result: ShellResult, otherwise: str) -> str:
    return result.stderr.decode(errors="replace").strip() or result.text.strip() or otherwise
