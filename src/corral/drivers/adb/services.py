"""Opening a service on a phone: through admission, the adb server and the phone itself, each within a deadline."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext
from typing import Final, Self

from corral.drivers.adb.admission import Admission
from corral.drivers.adb.connection import Connection
from corral.drivers.adb.server import AdbServer
from corral.drivers.fence import MayTouch, always, check_touch
from corral.model.errors import DeviceOfflineError, DriverUnavailableError

HANDSHAKE_S: Final = 10.0


class Services:
    """The services of all phones of one server."""

    def __init__(self, server: AdbServer, admission: Admission, *, handshake_s: float = HANDSHAKE_S) -> None:
        self.server = server
        self.admission = admission
        self._handshake_s = handshake_s
        self._features: dict[str, frozenset[str]] = {}
        self._may_touch: MayTouch = always

    def under(self, may_touch: MayTouch) -> Self:
        """The same services, opened only where this says yes: asked once a phone's turn has come, just before it is."""
        fenced = copy.copy(self)
        fenced._may_touch = may_touch  # noqa: SLF001 - of its own kind
        return fenced

    @asynccontextmanager
    async def opened(self, handle: str, service: str, *, is_probe: bool = False) -> AsyncIterator[Connection]:
        """The service's own stream. Leaving the block, by cancellation too, closes it, which ends it on the phone.

        Raises TouchForbiddenError, and DeviceOfflineError when the phone does not open it in time. That one tells the
        command never to have started only where the phone was not yet asked: one that was and keeps silent may be
        doing it.
        A probe must hold its own place (`Admission.probing`), so that it is admitted while all of the work hangs.
        """
        async with nullcontext() if is_probe else self.admission.working(handle):
            connection = await self._open(handle, service)
            try:
                yield connection
            finally:
                connection.abort()

    @asynccontextmanager
    async def bridged(self, handle: str, service: bytes) -> AsyncIterator[Connection]:
        """A service for somebody who drives the phone by a bridge, which bounds how many are open at a time.

        It takes no place of the work's, because it may stay open for hours, and is never held against the phone: what
        a phone refuses is only an answer.
        """
        connection = await self._handshake(handle, service)
        try:
            yield connection
        finally:
            connection.abort()

    async def features(self, handle: str) -> frozenset[str]:
        """What the phone's adbd can do, which the server knows without asking it; remembered until `forget`."""
        if (known := self._features.get(handle)) is not None:
            return known
        try:
            words = await self.server.query(f"host-serial:{handle}:features", handle=handle)
        except TimeoutError as error:
            raise DriverUnavailableError("the adb server does not answer") from error
        features = self._features[handle] = frozenset(filter(None, words.split(",")))
        return features

    def forget(self, handle: str) -> None:
        """The phone was plugged in or changed its state: what was known of it may be wrong now."""
        self._features.pop(handle, None)
        self.admission.succeeded(handle)

    async def _open(self, handle: str, service: str) -> Connection:
        try:
            connection = await self._handshake(handle, service)
        except DeviceOfflineError as error:  # anything else is the server's or the caller's fault, not the phone's
            self.admission.failed(handle, error.message)
            raise
        self.admission.succeeded(handle)
        return connection

    async def _handshake(self, handle: str, service: str | bytes) -> Connection:
        connection: Connection | None = None
        is_asked = False
        try:
            async with asyncio.timeout(self._handshake_s):
                connection = await self.server.connect()
                await connection.request(f"host:transport:{handle}", handle=handle)
                check_touch(self._may_touch)
                is_asked = True
                await connection.request(service, handle=handle)
        except BaseException as error:
            if connection is not None:
                connection.abort()
            if isinstance(error, TimeoutError):
                raise self._timed_out(handle, is_started=is_asked) from error
            raise
        return connection

    def _timed_out(self, handle: str, *, is_started: bool) -> DeviceOfflineError:
        return DeviceOfflineError(f"{handle} did not answer within {self._handshake_s:g} s", is_started=is_started)
