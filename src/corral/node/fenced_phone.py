"""A phone that may be touched only under a live lease, and that is found again after it was replugged."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from corral.drivers.adb.bridge import AdbReach, reach_by_adb
from corral.drivers.adb.phone import AdbPhone
from corral.drivers.fence import check_touch
from corral.drivers.protocol import Phone, ShellResult
from corral.model.errors import NotSupportedError


class FencedPhone:
    """Asks before every single command, with a clock that counts the time asleep, whether it may still be given.

    A command may wait for its turn: the phone asks again when it has come.
    """

    def __init__(self, find: Callable[[], Phone], may_touch: Callable[[], bool]) -> None:
        self._find = find
        self._may_touch = may_touch

    @property
    def handle(self) -> str:
        return self._find().handle

    @property
    def adb_port(self) -> int:
        """Of the adb server that it is on. Raises NotSupportedError where its driver has none."""
        phone = self._find()
        if not isinstance(phone, AdbPhone):
            raise NotSupportedError(f"{phone.handle} is on no adb server: its driver reaches it another way")
        return phone.server_port

    def reach(self) -> AdbReach:
        """The phone's adb, for a bridge. Raises NotSupportedError, TouchForbiddenError."""
        return reach_by_adb(self._phone())

    def may_touch(self) -> bool:
        return self._may_touch()

    def under(self, may_touch: Callable[[], bool], /) -> FencedPhone:
        return FencedPhone(self._find, lambda: self._may_touch() and may_touch())

    async def shell(self, command: str, *, max_output_bytes: int = 1 << 20) -> ShellResult:
        return await self._phone().shell(command, max_output_bytes=max_output_bytes)

    async def listen(self, command: str, hear: Callable[[bytes], None]) -> int:
        return await self._phone().listen(command, hear)

    async def screenshot(self) -> bytes:
        return await self._phone().screenshot()

    async def push(self, source: Path, path: str, *, mode: int = 0o644) -> None:
        await self._phone().push(source, path, mode=mode)

    async def pull(self, path: str, target: Path) -> None:
        await self._phone().pull(path, target)

    async def install(self, apk: Path, options: Sequence[str] = ()) -> None:
        await self._phone().install(apk, options)

    async def reboot(self) -> None:
        await self._phone().reboot()

    async def reconnect(self) -> None:
        await self._phone().reconnect()

    async def call(self, action: str, data: Mapping[str, Any]) -> Any:  # noqa: ANN401 - whatever the vendor answers
        return await self._phone().call(action, data)

    def _phone(self) -> Phone:
        check_touch(self._may_touch)
        return self._find().under(self._may_touch)
