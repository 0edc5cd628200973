"""One call to the vendor's program, and the table in which its actions are found by name."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import Any, Final

from corral.simulator.phone.files import FileError
from corral.simulator.phone.phone import Phone
from corral.simulator.shell.streams import Captured
from corral.simulator.vendor.state import VendorState


class VendorError(Exception):
    """What is answered with code 10001."""


@dataclass(frozen=True, kw_only=True)
class Request:
    """One call: its data, the phones that it is for, and all that are online."""

    data: Any
    phones: Sequence[Phone]
    online: Sequence[Phone]
    state: VendorState
    connection: str
    later: Callable[[Coroutine[Any, Any, None]], None]

    def text(self, name: str) -> str:
        """A value that must be there. Numbers are taken for their text."""
        value = self.data.get(name) if isinstance(self.data, dict) else None
        if value is None or isinstance(value, dict | list):
            raise VendorError(f"data.{name} is missing")
        return str(value)

    async def shell(self, line: str) -> dict[str, str]:
        """Run a line on every phone of the call, all at once; what each printed, by its handle."""
        tasks = [asyncio.create_task(self._one(phone, line)) for phone in self.phones]
        try:
            printed = await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
        return {phone.handle: text for phone, text in zip(self.phones, printed, strict=True)}

    async def _one(self, phone: Phone, line: str) -> str:
        io = _Merged()
        running = asyncio.create_task(phone.run(line, io, connection=self.connection))
        try:
            await asyncio.wait({running})
        finally:
            running.cancel()
        if running.cancelled():
            raise VendorError(f"{phone.handle} went away")
        running.result()
        return bytes(io.stdout).decode(errors="replace")

    def store(self, phone: Phone, path: str, data: bytes) -> None:
        try:
            phone.files.write(path, data)
        except FileError as error:
            raise VendorError(f"{phone.handle}: {error}") from error


class _Merged(Captured):
    async def err(self, data: bytes) -> None:
        await self.out(data)


Action = Callable[[Request], Awaitable[Any]]
ACTIONS: Final[dict[str, Action]] = {}


def action(name: str) -> Callable[[Action], Action]:
    """Enter a handler into the table; names are told apart without regard to case."""

    def enter(handler: Action) -> Action:
        ACTIONS[name.lower()] = handler
        return handler

    return enter
