"""The vendor's door: JSON text frames, no request ids, one request at a time on each connection."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Sequence
from typing import Any, Final

import msgspec
from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.exceptions import ConnectionClosed

from corral.model.reading import read_json
from corral.simulator.phone.phone import Phone
from corral.simulator.vendor import actions, tags
from corral.simulator.vendor.request import ACTIONS, Request, VendorError
from corral.simulator.vendor.state import VendorState

__all__ = ["VendorServer", "actions", "tags"]  # importing the two fills the table

SUCCESS: Final = 10000
FAILURE: Final = 10001
_MAX_FRAME: Final = 16 << 20


class VendorServer:
    """Serves the phones that are connected and authorised."""

    def __init__(self, phones: Callable[[], Sequence[Phone]]) -> None:
        self._phones = phones
        self._state = VendorState()
        self._server: Server | None = None
        self._numbers = itertools.count(1)
        self._later: set[asyncio.Task[None]] = set()

    @property
    def url(self) -> str:
        """Where it listens."""
        if self._server is None:
            return ""
        host, port = next(iter(self._server.sockets)).getsockname()[:2]
        return f"ws://{host}:{port}"

    async def start(self, host: str, port: int) -> None:
        """Listen. Raises OSError when the port is taken."""
        self._server = await serve(self._serve, host, port, max_size=_MAX_FRAME, compression=None, close_timeout=1)

    async def aclose(self) -> None:
        if self._server is not None:
            self._server.close()
            await self._server.wait_closed()
        for task in list(self._later):
            task.cancel()
        await asyncio.gather(*self._later, return_exceptions=True)

    async def _serve(self, connection: ServerConnection) -> None:
        name = f"vendor-{next(self._numbers)}"
        gone = asyncio.create_task(connection.wait_closed())
        try:
            async for frame in connection:
                answering = asyncio.create_task(self.answer(frame, name))
                await asyncio.wait({answering, gone}, return_when=asyncio.FIRST_COMPLETED)
                if not answering.done():
                    answering.cancel()
                    await asyncio.gather(answering, return_exceptions=True)
                    return
                await connection.send(msgspec.json.encode(answering.result()).decode())
        except ConnectionClosed:
            pass
        finally:
            gone.cancel()

    async def answer(self, frame: str | bytes, connection: str) -> dict[str, Any]:
        """The reply to one frame, whatever it holds."""
        try:
            asked = read_json(frame, dict[str, Any])
            return {"code": SUCCESS, "message": "SUCCESS", "data": await self._act(asked, connection)}
        except msgspec.DecodeError as error:
            return _failed(f"not a request: {error}")
        except VendorError as error:
            return _failed(str(error))

    async def _act(self, asked: dict[str, Any], connection: str) -> Any:  # noqa: ANN401 - each action answers in its own shape
        action = ACTIONS.get(str(asked.get("action", "")).lower())
        if action is None:
            raise VendorError(f"unknown action: {asked.get('action')}")
        online = [phone for phone in self._phones() if phone.is_up and not phone.faults.is_unauthorized]
        request = Request(
            data=asked.get("data"),
            phones=_chosen(asked.get("devices", "all"), online),
            online=online,
            state=self._state,
            connection=connection,
            later=self._do_later,
        )
        return await action(request)

    def _do_later(self, work: Any) -> None:  # noqa: ANN401 - a coroutine
        task = asyncio.create_task(work)
        self._later.add(task)
        task.add_done_callback(self._later.discard)


def _failed(message: str) -> dict[str, Any]:
    return {"code": FAILURE, "message": message, "data": None}


def _chosen(devices: object, online: Sequence[Phone]) -> list[Phone]:
    """`all`, or serials and addresses with commas between."""
    if str(devices).strip().lower() in {"all", ""}:
        return list(online)
    wanted = [name.strip() for name in str(devices).split(",") if name.strip()]
    found = {name: phone for phone in online for name in (phone.serial, phone.handle)}
    missing = [name for name in wanted if name not in found]
    if missing:
        raise VendorError(f"no such device: {', '.join(missing)}")
    return [found[name] for name in wanted]
