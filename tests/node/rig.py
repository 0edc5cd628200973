"""A node as a process of its own, and all that it needs: a server, a real adb server, simulated phones."""

import asyncio
import contextlib
import os
import re
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import asyncpg
import httpx

from corral.simulator import Fleet
from tests.api.client import AS_OPERATOR, NODE_SECRET
from tests.api.process import SECRETS, ServerProcess, start
from tests.warm import Process, start_corral

_OURS = re.compile(r"CORRAL_|COORDINATOR_|NODE_AGENT_|DATABASE_URL|ANDROID_")


class NodeProcess:
    """A running `corral node`, and what it has said."""

    def __init__(self, process: Process) -> None:
        self.process = process
        self.lines: list[str] = []
        self._said = asyncio.Condition()
        self.reading = asyncio.create_task(self._read())

    async def read_until(self, text: str) -> str:
        """The first line with the text, said already or yet to come; fails if the process ends first."""
        async with self._said:
            while not (found := [line for line in self.lines if text in line]):
                if self.reading.done():
                    raise AssertionError(f"no {text!r} in:\n{self.text}")
                await self._said.wait()
        return found[0]

    async def end(self) -> int:
        """Wait for its own end."""
        await self.reading
        return await self.process.wait()

    async def stop(self) -> int:
        if self.process.returncode is None:
            self.process.send_signal(signal.SIGTERM)
        return await self.end()

    async def kill(self) -> None:
        if self.process.returncode is None:
            self.process.kill()
        await self.end()

    @property
    def text(self) -> str:
        return "".join(self.lines)

    async def _read(self) -> None:
        assert self.process.stderr is not None
        while line := (await self.process.stderr.readline()).decode():
            async with self._said:
                self.lines.append(line)
                self._said.notify_all()
        async with self._said:
            self._said.notify_all()


class Desk:
    """A server, and nodes that connect to phones at these addresses, wherever they are."""

    def __init__(
        self, server: ServerProcess, addresses: list[str], *, dsn: str, adb_port: int, state: Path, env: dict[str, str]
    ) -> None:
        self.server = server
        self.dsn = dsn
        self.state = state
        self.fleet_addresses = addresses
        """What nodes are told to connect to."""

        self._env = env
        self._adb_port = adb_port
        self.http = httpx.AsyncClient(base_url=server.url, headers=AS_OPERATOR, timeout=60)

    async def start_node(self, *flags: str, node_id: str = "desk", state: Path | None = None) -> NodeProcess:
        """A node that connects to all phones."""
        env = {name: value for name, value in os.environ.items() if not _OURS.match(name)}
        process = await start_corral(
            *("node", "--server", self.server.url, "--node-id", node_id),
            *("--state-dir", str(state or self.state), "--adb-port", str(self._adb_port)),
            *("--adb-connect", ",".join(self.fleet_addresses), *flags),
            env={**env, "NODE_AGENT_SHARED_SECRET": NODE_SECRET},
        )
        return NodeProcess(process)

    @asynccontextmanager
    async def node(self, *flags: str, online: int | None = None) -> AsyncIterator[NodeProcess]:
        """A node from the moment that all phones are online, or so many, until the block ends."""
        node = await self.start_node(*flags)
        is_online = asyncio.create_task(self.until_online(online))
        try:
            await asyncio.wait((is_online, node.reading), return_when=asyncio.FIRST_COMPLETED)
            assert not node.reading.done(), node.text
            await is_online
            yield node
        finally:
            is_online.cancel()
            await node.kill()

    async def stop_server(self) -> None:
        """As a power cut would."""
        await self.server.kill()

    async def start_server(self) -> None:
        """The server again, at the same address."""
        port = self.server.url.rpartition(":")[2]
        self.server = await start("--port", port, "--database-url", self.dsn, env={**SECRETS, **self._env})
        self.server.url = self.http.base_url.scheme + "://" + self.http.base_url.netloc.decode()
        await self.server.read_until("serving on ")  # written just before the socket opens

    async def until_online(self, count: int | None = None) -> None:
        wanted = len(self.fleet_addresses) if count is None else count

        def is_so(status: dict[str, Any]) -> bool:
            online = [device for device in status["devices"] if device["status"] == "online"]
            return len(online) >= wanted

        await self.until("/api/nodes/status", is_so)

    async def until(self, path: str, is_so: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """What the server says, once it is so. Another process has no event to wait for."""
        while True:
            with contextlib.suppress(httpx.ConnectError):  # a server that was just started
                answer = await self.http.get(path)
                answer.raise_for_status()
                told: dict[str, Any] = answer.json()
                if is_so(told):
                    return told
            await asyncio.sleep(0.05)

    async def given_run(self, steps: list[dict[str, Any]], **fields: Any) -> str:  # noqa: ANN401 - of the request
        """Start a run of these steps on all phones; its id."""
        recipe = {"name": "work", "steps": steps, **fields.pop("recipe", {})}
        (await self.http.post("/api/workflows", json=recipe)).raise_for_status()
        body = {"workflow": "work", "target": {"all": True}, **fields}
        answer = await self.http.post("/api/runs", json=body)
        answer.raise_for_status()
        run_id: str = answer.json()["run_id"]
        return run_id

    async def until_ended(self, run_id: str) -> dict[str, Any]:
        """The monitor view of the run, once it has ended."""
        return await self.until(f"/api/runs/{run_id}", lambda view: bool(view["run"]["finished_at"]))

    async def until_counted(self, run_id: str, **least: int) -> dict[str, Any]:
        def is_so(view: dict[str, Any]) -> bool:
            return all(view["run"]["counts"][name] >= count for name, count in least.items())

        return await self.until(f"/api/runs/{run_id}", is_so)

    async def look(self, run_id: str, device: object) -> dict[str, Any]:
        answer = await self.http.get(f"/api/runs/{run_id}", params={"device": str(device)})
        answer.raise_for_status()
        view: dict[str, Any] = answer.json()["selected"]
        return view

    async def query(self, statement: str) -> list[asyncpg.Record]:
        """What the database holds, where no route tells it."""
        connection = await asyncpg.connect(self.dsn)
        try:
            return await connection.fetch(statement)
        finally:
            await connection.close()


class Rig(Desk):
    """The farm of one test, its phones simulated in this process."""

    def __init__(
        self,
        server: ServerProcess,
        fleet: Fleet,
        *,
        dsn: str,
        adb_port: int,
        state: Path,
        env: dict[str, str] | None = None,
    ) -> None:
        super().__init__(server, fleet.addresses, dsn=dsn, adb_port=adb_port, state=state, env=env or {})
        self.fleet = fleet

    async def restart_server(self) -> int:
        """The server again, after `stop_server`; how many commands the phones had got just before it served."""
        await self.start_server()
        return self.fleet.record.count

    async def until_quiet(self) -> int:
        """Return once no phone does anything; how many commands they had got."""
        while self.fleet.record.running():  # noqa: ASYNC110 - the simulator has no event for it
            await asyncio.sleep(0.02)
        return self.fleet.record.count

    async def until_running(self, line: str, count: int) -> None:
        """Return once so many phones execute the command."""
        while sum(entry.line == line for entry in self.fleet.record.running()) < count:  # noqa: ASYNC110 - as above
            await asyncio.sleep(0.02)

    def lines_of(self, serial: str) -> list[str]:
        """The commands that the phone got, the node's own questions left out."""
        return [entry.line for entry in self.fleet.record.entries if entry.phone == serial and not entry.is_read_only]
