"""One phone by its handle, on an adb server."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any, Final, NoReturn

from corral.drivers.adb.bridge.allowed import FEATURES
from corral.drivers.adb.connection import Connection
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
_INTRODUCTION_S: Final = 15.0
_NAMES: Final = ("name", "model", "device")
_PLAIN: Final = str.maketrans("", "", ";=\0\r")
"""Characters that would end a value in a greeting."""


class AdbPhone:
    """See Phone. Cancelling a call closes its connection, by which the phone ends the command."""

    def __init__(self, services: Services, handle: str) -> None:
        self._services = services
        self._handle = handle

    @property
    def handle(self) -> str:
        return self._handle

    def under(self, may_touch: Callable[[], bool], /) -> AdbPhone:
        return AdbPhone(self._services.under(may_touch), self._handle)

    @property
    def server_port(self) -> int:
        """Of the adb server that the phone is on."""
        return self._services.server.port

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

    async def introduce(self) -> bytes:
        """See AdbReach."""
        features = await self._services.features(self._handle)
        try:
            async with asyncio.timeout(_INTRODUCTION_S):
                said = await self.shell("; ".join(f"getprop ro.product.{name}" for name in _NAMES))
        except TimeoutError as error:
            raise DeviceOfflineError(f"{self._handle} does not say what it is", is_started=True) from error
        values = [*(line.translate(_PLAIN) for line in said.text.splitlines()), *_NAMES][: len(_NAMES)]
        named = "".join(f"ro.product.{name}={value};" for name, value in zip(_NAMES, values, strict=True))
        known = ",".join(feature for feature in FEATURES if feature in features)
        return f"device::{named}features={known}".encode()

    def open_service(self, service: bytes) -> AbstractAsyncContextManager[Connection]:
        """See AdbReach."""
        return self._services.bridged(self._handle, service)

    async def call(self, action: str, data: Mapping[str, Any]) -> NoReturn:  # noqa: ARG002 - the protocol's
        raise NotSupportedError(f"adb has no call '{action}': that is a vendor program's")
