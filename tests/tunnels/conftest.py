"""Servers, a node, simulated phones on a real adb server; and whoever holds one of them, with an adb of their own."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import pytest

from corral.client import Client
from corral.client.tunnels import AdbTunnel
from tests.api.client import OPERATOR_TOKEN
from tests.api.conftest import cluster
from tests.drivers.conftest import adb_environment, adb_port
from tests.engine.conftest import farm_dsn, kept_database
from tests.node.conftest import make_rig
from tests.node.rig import Rig
from tests.simulator.adb import Adb, AdbPhone

__all__ = ["adb_environment", "adb_port", "cluster", "farm_dsn", "kept_database", "make_rig"]


@pytest.fixture(scope="session")
def adb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Adb]:
    """The adb of whoever holds phones, on a server of its own."""
    server = Adb(tmp_path_factory.mktemp("holder"))
    server.start()
    yield server
    server.stop()


class Holder:
    """Somebody who holds a phone."""

    def __init__(self, rig: Rig, adb: Adb, client: Client, session: dict[str, Any], tunnel: AdbTunnel) -> None:
        self.rig = rig
        self.adb = adb
        self.client = client
        self.session = session
        self.tunnel = tunnel
        self.phone = AdbPhone(adb, tunnel.address)

    @property
    def session_id(self) -> str:
        return str(self.session["session_id"])

    @property
    def serial(self) -> str:
        return str(self.session["device"]["serial"])

    async def connect(self) -> str:
        return (await self.adb("connect", self.tunnel.address)).text

    async def begin_to_wait(self) -> asyncio.subprocess.Process:
        """A command on the phone that would go on for ever, from the moment that it runs."""
        process = await self.adb.begin("-s", self.tunnel.address, "shell", "echo begun; sleep 100000")
        assert process.stdout is not None
        assert await process.stdout.readline() == b"begun\n"
        return process

    async def post(self, what: str, **body: object) -> None:
        (await self.rig.http.post(f"/api/sessions/{self.session_id}/{what}", json=body)).raise_for_status()


Holding = Callable[..., AbstractAsyncContextManager[Holder]]


@pytest.fixture
def holding(adb: Adb) -> Holding:
    """Holds a phone of a rig, with its adb at hand; `url` is that of the server to go through."""

    @asynccontextmanager
    async def hold(rig: Rig, *, url: str | None = None) -> AsyncIterator[Holder]:
        answer = await rig.http.post("/api/sessions", json={"wait_s": 30, "ttl_s": 600})
        answer.raise_for_status()
        session = answer.json()
        assert session["state"] == "active", session
        client = Client(url or rig.server.url, token=OPERATOR_TOKEN)
        with client, client.tunnels.open(session["session_id"]) as tunnel:
            yield Holder(rig, adb, client, session, tunnel)
            await adb("disconnect", tunnel.address)

    return hold
