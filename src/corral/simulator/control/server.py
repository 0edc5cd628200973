"""The control port: loopback only, one request at a time on each connection."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING, Any, Final

import msgspec

from corral.model.errors import CorralError, InvalidRequestError
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
from corral.simulator.phone.phone import Phone
from corral.simulator.record import Entry
from corral.simulator.scenario.load import parse_fault

if TYPE_CHECKING:
    from corral.simulator.fleet import Fleet

_MAX_LINE: Final = 1 << 20


class ControlServer:
    """Answers for one fleet."""

    def __init__(self, fleet: Fleet) -> None:
        self._fleet = fleet
        self._server: asyncio.Server | None = None
        self._serving: set[asyncio.Task[None]] = set()

    @property
    def port(self) -> int:
        return int(self._server.sockets[0].getsockname()[1]) if self._server else 0

    async def start(self, host: str, port: int) -> None:
        """Listen. Raises OSError when the port is taken."""
        self._server = await asyncio.start_server(self._accept, host, port, limit=_MAX_LINE)

    async def aclose(self) -> None:
        if self._server is not None:
            self._server.close()
        for task in list(self._serving):
            task.cancel()
        await asyncio.gather(*self._serving, return_exceptions=True)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(self._serve(reader, writer))
        self._serving.add(task)
        task.add_done_callback(self._serving.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while line := await reader.readline():
                writer.write(msgspec.json.encode(await self._reply(line)) + b"\n")
                await writer.drain()
        except (ConnectionError, ValueError):  # ValueError: a line beyond the limit
            pass
        finally:
            writer.close()

    async def _reply(self, line: bytes) -> Reply:
        try:
            request = read_json(line, Request)
        except msgspec.DecodeError as error:
            return Reply(id=0, error=f"not a request: {error}")
        try:
            return Reply(id=request.id, result=await self._do(request))
        except CorralError as error:
            return Reply(id=request.id, error=error.message)

    async def _do(self, request: Request) -> Any:  # noqa: ANN401 - each request has its own answer
        match request:
            case ListPhones():
                return [_state(phone) for phone in self._fleet.phones]
            case Inject(fault=fault):
                return self._fleet.inject(parse_fault(fault))
            case Clear(name=name):
                self._fleet.clear(name)
                return None
            case ReadRecord():
                found = [entry for entry in self._fleet.record.entries if entry.number > request.after]
                return [entry for entry in found if request.phone in {None, entry.phone}][: request.limit]
            case ReadViolations():
                return list(self._fleet.violations)
            case WaitFor():
                return await self._wait_for(request)

    async def _wait_for(self, request: WaitFor) -> Entry:
        try:
            pattern = re.compile(request.match)
        except re.error as error:
            raise InvalidRequestError(f"match: not a regular expression: {error}") from error

        def fits(entry: Entry) -> bool:
            has_ended = entry.ended_s is not None or request.state == "started"
            is_meant = entry.number > request.after and request.phone in {None, entry.phone}
            return has_ended and is_meant and pattern.search(entry.line) is not None

        return await self._fleet.record.wait_for(fits)


def _state(phone: Phone) -> PhoneState:
    return PhoneState(
        index=phone.identity.index,
        serial=phone.serial,
        address=phone.handle,
        model=phone.identity.model.name,
        os_version=phone.identity.model.release,
        is_up=phone.is_up,
        is_authorized=not phone.faults.is_unauthorized,
        has_booted=phone.has_booted,
        battery=phone.battery,
        celsius=phone.celsius,
        foreground=phone.desktop.front.package,
        faults=phone.faults.names(),
    )
