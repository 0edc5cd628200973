"""One phone by its handle, on an adb server."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NoReturn

from corral.drivers.adb.discover import is_address, reconnect
from corral.drivers.adb.errors import from_words
from corral.drivers.adb.install import install
from corral.drivers.adb.services import Services
from corral.drivers.adb.shell import listen_to_shell, run_shell
from corral.drivers.adb.sync import pull, push
from corral.drivers.png import check_png
from corral.drivers.protocol import ShellResult
from corral.model.errors import DeviceOfflineError, DriverUnavailableError, NotSupportedError

_PICTURE_BYTES: Final = 64 << 20


class AdbPhone:
    """See Phone. Cancelling a call closes its connection, by which the phone ends the command."""

    def __init__(self, services: Services, handle: str) -> None:
        self._services = services
        self._handle = handle

    @property
    def handle(self) -> str:
        return self._handle

    async def shell(self, command: str, *, max_output_bytes: int = 1 << 20) -> ShellResult:
        return await run_shell(self._services, self._handle, command, max_output_bytes=max_output_bytes)

    async def listen(self, command: str, hear: Callable[[bytes], None]) -> int:
        return await listen_to_shell(self._services, self._handle, command, hear=hear)

    async def screenshot(self) -> bytes:
        # exec rather than shell: nothing may touch the bytes on their way.
        async with self._services.opened(self._handle, "exec:screencap -p") as connection:
            data = await connection.read_to_end(_PICTURE_BYTES)
        return check_png(data)

    async def push(self, source: Path, path: str, *, mode: int = 0o644) -> None:
        await push(self._services, self._handle, source=source, path=path, mode=mode)

    async def pull(self, path: str, target: Path) -> None:
        await pull(self._services, self._handle, path=path, target=target)

    async def install(self, apk: Path, options: Sequence[str] = ()) -> None:
        await install(self._services, self._handle, apk=apk, options=options)

    async def reboot(self) -> None:
        async with self._services.opened(self._handle, "reboot:") as connection:
            try:
                # adbd closes when it handed the request on; a phone that is quicker breaks the connection instead.
                await connection.read_to_end(1 << 16)
            except DeviceOfflineError:
                return

    async def reconnect(self) -> None:
        server, handle = self._services.server, self._handle
        self._services.forget(handle)
        if is_address(handle):
            await reconnect(server, handle)
            return
        try:
            words = await server.query(f"host-serial:{handle}:reconnect", handle=handle)
        except TimeoutError as error:
            raise DriverUnavailableError("the adb server does not answer") from error
        # The server says OKAY to a phone that it does not know, and then that it does not know it.
        if not words.startswith("reconnecting"):
            raise from_words(words, handle=handle)

    async def call(self, action: str, data: Mapping[str, Any]) -> NoReturn:  # noqa: ARG002 - the protocol's
        raise NotSupportedError(f"adb has no call '{action}': that is a vendor program's")
