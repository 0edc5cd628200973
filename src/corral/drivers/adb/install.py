"""Installing a package: streamed into the package manager, or by way of a file where a phone is too old for that."""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from corral.drivers.adb.pump import open_source, pump, read_chunks
from corral.drivers.adb.services import Services
from corral.drivers.adb.shell import run_shell
from corral.drivers.adb.sync import push
from corral.drivers.installed import PACKAGE_PATH, check_installed

_ANSWER_BYTES: Final = 1 << 16


async def install(services: Services, handle: str, *, apk: Path, options: Sequence[str]) -> None:
    if "cmd" in await services.features(handle):
        await _stream(services, handle, apk=apk, options=options)
    else:
        await _by_file(services, handle, apk=apk, options=options)


async def _stream(services: Services, handle: str, *, apk: Path, options: Sequence[str]) -> None:
    with open_source(apk) as file:
        size = (await asyncio.to_thread(apk.stat)).st_size
        command = shlex.join(["cmd", "package", "install", *options, "-S", str(size)])
        async with services.opened(handle, f"exec:{command}") as connection:
            words = await pump(connection, read_chunks(file), connection.read_to_end(_ANSWER_BYTES))
    check_installed(apk.name, words.decode(errors="replace"))


async def _by_file(services: Services, handle: str, *, apk: Path, options: Sequence[str]) -> None:
    await push(services, handle, source=apk, path=PACKAGE_PATH, mode=0o644)
    command = shlex.join(["pm", "install", *options, PACKAGE_PATH])
    result = await run_shell(services, handle, command, max_output_bytes=_ANSWER_BYTES)
    await run_shell(services, handle, f"rm -f {PACKAGE_PATH}", max_output_bytes=_ANSWER_BYTES)
    check_installed(apk.name, (result.stdout + result.stderr).decode(errors="replace"))
