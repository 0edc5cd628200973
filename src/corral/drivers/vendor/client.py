"""Requests to the vendor's program: one connection for each, one request on it, never a second try.

Answers carry no id of their request. On a connection that is used again, an answer that comes late would pass for that of
the next request; so none is used again. A request that was sent and not answered may have happened, and the error says so.
"""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Mapping
from typing import Any, Final, Self

import msgspec
from msgspec import Struct
from websockets.asyncio.client import ClientConnection
from websockets.exceptions import InvalidURI, WebSocketException

from corral.drivers.fence import MayTouch, always, check_touch
from corral.drivers.vendor.errors import from_reply
from corral.model.errors import DeviceError, DriverUnavailableError, OutcomeUnknownError
from corral.model.reading import read_json
from corral.sockets import DirectConnect

DEFAULT_URL: Final = "ws://127.0.0.1:22222"
CONNECT_S: Final = 5.0
REQUEST_S: Final = 600.0
LIMIT: Final = 32
_SUCCESS: Final = 10000
_REPLY_BYTES: Final = 128 << 20
_SHOWN: Final = 200


class Reply(Struct, frozen=True):
    """What every answer looks like."""

    code: int
    message: str | None = None
    data: Any = None


class VendorClient:
    """The program at one URL. At most `limit` requests are open at once; more wait."""

    def __init__(
        self, url: str = DEFAULT_URL, *, limit: int = LIMIT, connect_s: float = CONNECT_S, request_s: float = REQUEST_S
    ) -> None:
        self.url = url
        self._budget = asyncio.Semaphore(limit)
        self._connect_s = connect_s
        self._request_s = request_s
        self._may_touch: MayTouch = always

    def under(self, may_touch: MayTouch) -> Self:
        """The same program, asked only where this says yes, once a request's turn has come."""
        fenced = copy.copy(self)
        fenced._may_touch = may_touch  # noqa: SLF001 - of its own kind
        return fenced

    async def ask(
        self,
        action: str,
        *,
        devices: str | None = None,
        data: Mapping[str, Any] | None = None,
        within_s: float | None = None,
    ) -> Any:  # noqa: ANN401 - whatever the vendor answers
        """The data of the answer.

        Raises DriverUnavailableError and TouchForbiddenError if nothing was sent, OutcomeUnknownError if no answer came,
        and what the vendor's words mean, mostly CommandFailedError, if it says no.
        """
        request: dict[str, Any] = {"action": action}
        if devices is not None:
            request["devices"] = devices
        if data is not None:
            request["data"] = dict(data)
        async with self._budget:
            text = await self._exchange(action, msgspec.json.encode(request).decode(), within_s or self._request_s)
        reply = _decode(action, text)
        if reply.code != _SUCCESS:
            raise from_reply(action, reply.code, reply.message or "", handle=devices)
        return reply.data

    async def _exchange(self, action: str, request: str, within_s: float) -> str | bytes:
        connection = await self._connect()
        try:
            check_touch(self._may_touch)
            async with asyncio.timeout(within_s):
                await connection.send(request)
                return await connection.recv()
        except TimeoutError as error:
            raise OutcomeUnknownError(f"the vendor program did not answer '{action}' within {within_s:g} s") from error
        except (WebSocketException, OSError, EOFError, ValueError) as error:
            raise OutcomeUnknownError(f"the vendor program hung up on '{action}'") from error
        finally:
            # No farewell: a program that hangs would keep us waiting for its part of it.
            connection.transport.abort()

    async def _connect(self) -> ClientConnection:
        try:
            # The program is on this computer, whatever proxy the environment names for the world outside; and it owes
            # nobody an answer to a ping while a command runs.
            opening = DirectConnect(
                self.url,
                proxy=None,
                compression=None,
                ping_interval=None,
                open_timeout=self._connect_s,
                close_timeout=1,
                max_size=_REPLY_BYTES,
            )
        except (InvalidURI, ValueError) as error:
            raise DriverUnavailableError(f"'{self.url}' is not the URL of a WebSocket") from error
        try:
            return await opening
        except (OSError, WebSocketException, TimeoutError, EOFError, ValueError, LookupError) as error:
            raise DriverUnavailableError(
                f"no vendor program answers at {self.url}: start it, and enable its WebSocket interface ({error})"
            ) from error


def _decode(action: str, text: str | bytes) -> Reply:
    try:
        return read_json(text, Reply)
    except msgspec.DecodeError as error:
        shown = text[:_SHOWN]
        raise DeviceError(f"the vendor program answered '{action}' with something else: {shown!r} ({error})") from error
