"""The client of a running simulator's control port."""

from __future__ import annotations

import asyncio
import itertools
from types import TracebackType
from typing import Any, Final, Literal, Self, TypeVar

import msgspec

from corral.model.errors import InvalidRequestError
from corral.model.reading import read_json
from corral.simulator.control.messages import (
    Clear,
    Inject,
    ListPhones,
    PhoneState,
    ReadRecord,
    ReadViolations,
    Reply,
    Request,
    WaitFor,
)
from corral.simulator.record import Entry, Violation
from corral.simulator.scenario.model import Fault

_MAX_LINE: Final = 256 << 20
T = TypeVar("T")


class Control:
    """One connection; requests follow one another. Raises InvalidRequestError for what the simulator refuses."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._ids = itertools.count(1)
        self._turn = asyncio.Lock()

    @classmethod
    async def connect(cls, port: int, host: str = "127.0.0.1") -> Self:
        """Raises ConnectionError when nobody listens."""
        return cls(*await asyncio.open_connection(host, port, limit=_MAX_LINE))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        self._writer.close()
        try:
            await self._writer.wait_closed()
        except ConnectionError:
            return

    async def phones(self) -> list[PhoneState]:
        return await self._ask(ListPhones(id=next(self._ids)), list[PhoneState])

    async def inject(self, fault: Fault | dict[str, Any]) -> tuple[str, int]:
        """Let something go wrong, times counted from now: the fault's name, and how many phones it is meant for."""
        plain = msgspec.to_builtins(fault)
        return await self._ask(Inject(id=next(self._ids), fault=plain), tuple[str, int])

    async def clear(self, name: str | None = None) -> None:
        """End a fault, or all."""
        await self._ask(Clear(id=next(self._ids), name=name), type(None))

    async def record(self, *, after: int = 0, phone: str | None = None) -> list[Entry]:
        """The commands after a number, of one phone (by serial) or of all."""
        return await self._ask(ReadRecord(id=next(self._ids), after=after, phone=phone), list[Entry])

    async def violations(self) -> list[Violation]:
        return await self._ask(ReadViolations(id=next(self._ids)), list[Violation])

    async def wait_for(
        self, match: str, *, state: Literal["started", "ended"] = "started", phone: str | None = None, after: int = 0
    ) -> Entry:
        """Wait until a command that fits has started or ended. This connection does nothing else meanwhile."""
        return await self._ask(WaitFor(id=next(self._ids), match=match, state=state, phone=phone, after=after), Entry)

    async def _ask(self, request: Request, answer: type[T]) -> T:
        async with self._turn:
            self._writer.write(msgspec.json.encode(request) + b"\n")
            await self._writer.drain()
            line = await self._reader.readline()
        if not line:
            raise ConnectionError("the simulator went away")
        reply = read_json(line, Reply)
        if reply.error is not None:
            raise InvalidRequestError(reply.error)
        return msgspec.convert(reply.result, answer)
