"""Tunnels: the adb of a phone that is held, on a port of this computer.

A thread of its own carries them, so that whoever holds the phone is free to do something with it.
"""

from __future__ import annotations

import asyncio
import threading
from types import TracebackType
from typing import Final, Self
from uuid import UUID

from corral.client.carrying import Carrier
from corral.client.transport import Transport
from corral.model.errors import ServerUnavailableError

_START_S: Final = 10.0
_STOP_S: Final = 10.0


class AdbTunnel:
    """The adb of one phone at `address`, for `adb connect`, until `close` or the session's end. A context manager.

    Listens on the loopback interface alone. Each connection to it is one tunnel; `trouble` says why the last one that
    the server refused or cut was.
    """

    def __init__(self, transport: Transport, session_id: UUID, *, port: int = 0) -> None:
        self._carrier = Carrier(transport.socket_url(f"/api/sessions/{session_id}/adb"), transport.credentials)
        self._wanted_port = port
        self._loop = asyncio.new_event_loop()
        self._stopping: asyncio.Event | None = None
        self._is_listening = threading.Event()
        self._error: OSError | None = None
        self._port = 0
        self._thread = threading.Thread(target=self._run, name=f"adb tunnel {session_id}", daemon=True)

    @property
    def address(self) -> str:
        """What `adb connect` is to be told."""
        return f"127.0.0.1:{self._port}"

    @property
    def trouble(self) -> str | None:
        """Why the server refused or cut a tunnel last, in its own words; None if it never did."""
        return self._carrier.trouble

    def open(self) -> Self:
        """Listen. Raises ServerUnavailableError where this computer does not let us. Calling it twice does no harm."""
        if self._is_listening.is_set():
            return self
        self._thread.start()
        if not self._is_listening.wait(_START_S) or self._error is not None:
            raise ServerUnavailableError(f"cannot listen on 127.0.0.1:{self._wanted_port}: {self._error}")
        return self

    def close(self) -> None:
        """Cut whatever is open. Calling it twice does no harm."""
        if self._thread.is_alive() and self._stopping is not None:
            self._loop.call_soon_threadsafe(self._stopping.set)
            self._thread.join(_STOP_S)

    def __enter__(self) -> Self:
        return self.open()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _run(self) -> None:
        try:
            self._loop.run_until_complete(self._serve())
        finally:
            self._is_listening.set()
            self._loop.close()

    async def _serve(self) -> None:
        self._stopping = asyncio.Event()
        try:
            server = await asyncio.start_server(self._carrier.accept, "127.0.0.1", self._wanted_port)
        except OSError as error:
            self._error = error
            return
        self._port = server.sockets[0].getsockname()[1]
        self._is_listening.set()
        try:
            await self._stopping.wait()
        finally:
            server.close()
            await self._carrier.aclose()


class Tunnels:
    """`client.tunnels`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def open(self, session_id: UUID | str, *, port: int = 0) -> AdbTunnel:
        """A tunnel to the phone of an active session, not yet listening: use it in a `with`, or `open` it."""
        return AdbTunnel(self._transport, UUID(str(session_id)), port=port)
