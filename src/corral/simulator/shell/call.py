"""What a command of the shell is given, and the table in which commands are found by name."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Protocol

from corral.simulator.scenario.board import Effects

if TYPE_CHECKING:
    from corral.simulator.phone.phone import Phone


class Io(Protocol):
    """The three streams of a command."""

    async def read(self) -> bytes:
        """The next bytes of the input; none at its end."""
        ...

    async def out(self, data: bytes) -> None: ...

    async def err(self, data: bytes) -> None: ...


@dataclass(frozen=True, kw_only=True)
class Call:
    """One command being run: on which phone, with which arguments and streams, in which directory."""

    phone: Phone
    effects: Effects
    name: str
    args: Sequence[str]
    io: Io
    directory: str = "/"
    run: Callable[[str], Awaitable[int]]
    """Runs another command line with the same streams, for `sh -c` and the like."""

    async def print(self, text: str) -> None:
        """A line of output."""
        await self.io.out(f"{text}\n".encode())

    async def write(self, data: bytes) -> None:
        await self.io.out(data)

    async def fail(self, message: str, status: int = 1) -> int:
        """A line of complaint, and the status to return."""
        await self.io.err(f"{message}\n".encode())
        return status

    async def input(self) -> bytes:
        """All that there is to read."""
        parts = []
        while part := await self.io.read():
            parts.append(part)
        return b"".join(parts)

    def path(self, name: str) -> str:
        """A path as seen from the current directory."""
        return name if name.startswith("/") else f"{self.directory.rstrip('/')}/{name}"


Handler = Callable[[Call], Awaitable[int]]


@dataclass(frozen=True)
class Entry:
    """A command of the table."""

    handler: Handler
    reads: bool | frozenset[str] = field(default=False)
    """Whether it only looks; or the first arguments with which it only looks."""

    def is_read_only(self, args: Sequence[str]) -> bool:
        if isinstance(self.reads, bool):
            return self.reads
        return bool(args) and args[0] in self.reads


COMMANDS: Final[dict[str, Entry]] = {}


def command(*names: str, reads: bool | Sequence[str] = False) -> Callable[[Handler], Handler]:
    """Enter a handler into the table under these names."""

    def enter(handler: Handler) -> Handler:
        for name in names:
            COMMANDS[name] = Entry(handler, reads if isinstance(reads, bool) else frozenset(reads))
        return handler

    return enter
