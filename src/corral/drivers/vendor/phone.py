"""One phone by its handle, through the vendor's program."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from corral.drivers.installed import PACKAGE_PATH, check_installed
from corral.drivers.png import check_png
from corral.drivers.protocol import ShellResult
from corral.drivers.vendor.client import VendorClient
from corral.drivers.vendor.files import fetch, pull, push
from corral.drivers.vendor.screen import take_by_screen
from corral.drivers.vendor.shell import run_shell
from corral.model.errors import CommandFailedError, DeviceOfflineError, OutcomeUnknownError

_MOST_HEARD: Final = 16 << 20


class VendorPhone:
    """See Phone. Everything that a shell command can do is done by one."""

    def __init__(self, client: VendorClient, handle: str) -> None:
        self._client = client
        self._handle = handle

    @property
    def handle(self) -> str:
        return self._handle

    def under(self, may_touch: Callable[[], bool], /) -> VendorPhone:
        return VendorPhone(self._client.under(may_touch), self._handle)

    async def shell(self, command: str, *, max_output_bytes: int = 1 << 20) -> ShellResult:
        return await run_shell(self._client, self._handle, command, max_output_bytes=max_output_bytes)

    async def listen(self, command: str, hear: Callable[[bytes], None]) -> int:
        """All at the end: the program says nothing before it."""
        result = await self.shell(command, max_output_bytes=_MOST_HEARD)
        hear(result.stdout)
        hear(result.stderr)
        return result.exit_code

    async def screenshot(self) -> bytes:
        try:
            data = await fetch(self._client, self._handle, "screencap -p")
        except CommandFailedError:
            return await take_by_screen(self._client, self._handle)
        return check_png(data)

    async def push(self, source: Path, path: str, *, mode: int = 0o644) -> None:
        await push(self._client, self._handle, source=source, path=path, mode=mode)

    async def pull(self, path: str, target: Path) -> None:
        await pull(self._client, self._handle, path=path, target=target)

    async def install(self, apk: Path, options: Sequence[str] = ()) -> None:
        await self.push(apk, PACKAGE_PATH)
        result = await self.shell(shlex.join(["pm", "install", *options, PACKAGE_PATH]))
        await self.shell(f"rm -f {PACKAGE_PATH}")
        check_installed(apk.name, (result.stdout + b"\n" + result.stderr).decode(errors="replace"))

    async def reboot(self) -> None:
        try:
            await self.shell("reboot")
        except (OutcomeUnknownError, DeviceOfflineError) as error:
            # A phone that restarts at once takes the answer with it.
            if isinstance(error, DeviceOfflineError) and not error.is_started:
                raise

    async def reconnect(self) -> None:
        """Ask the program's adb to. That it agreed is no proof; the watch tells."""
        await self._client.ask("adb", devices=self._handle, data={"command": "reconnect"})

    async def call(self, action: str, data: Mapping[str, Any]) -> Any:  # noqa: ANN401 - whatever the vendor answers
        """An action of the program on this phone. Never repeated, also when no answer comes."""
        return await self._client.ask(action, devices=self._handle, data=data)
