"""What a bridge needs of a phone: that it is reached by adb, which is more than every driver can say."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from typing import Protocol, runtime_checkable

from corral.drivers.adb.connection import Connection
from corral.drivers.protocol import Phone
from corral.model.errors import NotSupportedError


@runtime_checkable
class AdbReach(Protocol):
    """A phone on an adb server. Errors are DeviceErrors."""

    async def introduce(self) -> bytes:
        """How it greets an adb server: what it is called and what it can do, as far as a bridge can do it, too."""
        ...

    def open_service(self, service: bytes) -> AbstractAsyncContextManager[Connection]:
        """A service's own stream, for the length of a block."""
        ...


def reach_by_adb(phone: Phone) -> AdbReach:
    """The phone's adb. Raises NotSupportedError where its driver has none."""
    if not isinstance(phone, AdbReach):
        raise NotSupportedError(f"{phone.handle} has no adb: its driver reaches it another way")
    return phone
