"""A phone's adbd: it listens on a port of its own for as long as the phone exists, and answers while the phone is up."""

from __future__ import annotations

import asyncio
import socket
from typing import TYPE_CHECKING, Final

from corral.simulator.adbd.connection import Connection
from corral.simulator.adbd.services import open_service

if TYPE_CHECKING:
    from corral.simulator.phone.phone import Phone

FEATURES: Final = ("shell_v2", "cmd", "stat_v2", "ls_v2", "fixed_push_mkdir")
"""Only what is really there."""


class Adbd:
    """The listener of one phone. While the phone is away its port refuses, yet stays bound, so nobody else can get it."""

    def __init__(self, phone: Phone) -> None:
        self._phone = phone
        self._connections: set[Connection] = set()
        self._count = 0
        self._server: asyncio.Server | None = None
        self._bound: socket.socket | None = None
        self._following: asyncio.Task[None] | None = None
        self._is_closed = False
        self._all_gone = asyncio.Event()
        self._all_gone.set()
        self._endpoint = ("", 0)

    @property
    def address(self) -> str:
        return f"{self._endpoint[0]}:{self._endpoint[1]}"

    async def start(self, host: str, port: int) -> None:
        """Take the port, and listen if the phone is up. Raises OSError when the port is taken."""
        self._endpoint = (host, port)
        self._bind()
        await self._follow()

    async def aclose(self) -> None:
        self._is_closed = True
        if self._following is not None:
            await self._following
        self._stop_listening()
        for connection in list(self._connections):
            connection.cut()
        await self._all_gone.wait()
        if self._bound is not None:
            self._bound.close()

    def look(self) -> None:
        """The phone's state changed: cut the line if it is away, let a waiting host in if it was authorised."""
        if not self._phone.is_up:
            self._phone.cut()
        for connection in list(self._connections):
            if self._phone.is_up:
                connection.on_authorized()
            else:
                connection.cut()
        if self._is_listening is not self._phone.is_up and self._following is None and not self._is_closed:
            self._following = asyncio.create_task(self._follow())
            self._following.add_done_callback(self._on_followed)

    @property
    def _is_listening(self) -> bool:
        return self._server is not None

    def _on_followed(self, _task: asyncio.Task[None]) -> None:
        self._following = None

    async def _follow(self) -> None:
        """Listen while the phone is up; else keep the port without listening, so that it refuses."""
        while self._is_listening is not self._phone.is_up and not self._is_closed:
            if self._is_listening:
                self._stop_listening()
                self._bind()
            elif self._bound is not None:
                self._server = await asyncio.start_server(self._on_connect, sock=self._bound, backlog=16)
                self._bound = None

    def _bind(self) -> None:
        self._bound = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        self._bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            self._bound.bind(self._endpoint)
        except OSError:
            self._bound.close()
            raise
        self._endpoint = self._bound.getsockname()

    def _stop_listening(self) -> None:
        if self._server is not None:
            self._server.close()
            self._server = None

    def _banner(self) -> bytes:
        model = self._phone.identity.model
        features = [name for name in FEATURES if name != "cmd" or self._phone.setup.cmd]
        props = {"name": model.product, "model": model.name, "device": model.device}
        shown = "".join(f"ro.product.{name}={value};" for name, value in props.items())
        return f"device::{shown}features={','.join(features)}".encode()

    async def _on_connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if not self._phone.is_up:
            writer.transport.abort()
            return
        self._count += 1
        connection = Connection(
            self._phone,
            name=f"adb-{self._count}",
            banner=self._banner(),
            reader=reader,
            writer=writer,
            opener=lambda destination, opened: open_service(self._phone, destination, opened),
        )
        self._connections.add(connection)
        self._all_gone.clear()
        try:
            await connection.serve()
        finally:
            self._connections.discard(connection)
            if not self._connections:
                self._all_gone.set()
