"""A phone's adbd: it listens on a port of its own for as long as the phone exists, and answers while the phone is up."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from corral.simulator.adbd.connection import Connection
from corral.simulator.adbd.services import open_service

if TYPE_CHECKING:
    from corral.simulator.phone.phone import Phone

FEATURES: Final = ("shell_v2", "cmd", "stat_v2", "ls_v2", "fixed_push_mkdir")
"""Only what is really there."""


class Adbd:
    """The listener of one phone. The port stays taken while the phone is away, so nobody else can get it."""

    def __init__(self, phone: Phone) -> None:
        self._phone = phone
        self._connections: set[Connection] = set()
        self._count = 0
        self._server: asyncio.Server | None = None
        self.address = ""

    async def start(self, host: str, port: int) -> None:
        """Listen. Raises OSError when the port is taken."""
        self._server = await asyncio.start_server(self._on_connect, host, port, backlog=16)
        bound = self._server.sockets[0].getsockname()
        self.address = f"{bound[0]}:{bound[1]}"

    async def aclose(self) -> None:
        if self._server is not None:
            self._server.close()
        self.look()
        for connection in list(self._connections):
            connection.cut()
        if self._server is not None:
            await self._server.wait_closed()

    def look(self) -> None:
        """The phone's state changed: cut the line if it is away, let a waiting host in if it was authorised."""
        if not self._phone.is_up:
            self._phone.cut()
        for connection in list(self._connections):
            if self._phone.is_up:
                connection.on_authorized()
            else:
                connection.cut()

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
        try:
            await connection.serve()
        finally:
            self._connections.discard(connection)
