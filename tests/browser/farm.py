"""A farm for a browser to look at: a real server, which can be stopped and come back, a real node, simulated phones."""

import asyncio
import contextlib
import os
import signal
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, cast

import httpx

from corral.cli.children import Child, Children
from corral.drivers.adb.binary import find_adb
from corral.simulator.control.client import Control
from corral.workflow import preset_texts
from tests.ports import free_port
from tests.warm import start_corral

LOOPBACK = "127.0.0.1"
# Passes on phones that were told that they are ready, and on no other.
CHECK = """
name: readiness
title: Readiness
params: {mark: {type: string, default: corral_ready}}
steps:
  - {id: wake, title: Wake the device, uses: device.bootstrap}
  - id: ready
    title: See that it is ready
    uses: assert.shell
    with: {command: "settings get global {{ params.mark }}", equals: "1"}
  - {id: look, title: Take a picture, uses: device.screenshot}
"""
PREPARE = """
name: prepare
params: {mark: {type: string, default: corral_ready}}
steps:
  - {id: put, uses: device.shell, with: {command: "settings put global {{ params.mark }} 1"}}
"""
SLOW = """
name: slow
title: Slow
steps:
  - {id: one, uses: flow.sleep, with: {duration_s: 4}}
  - {id: two, uses: flow.sleep, with: {duration_s: 4}}
"""


class WarmChildren(Children):
    """As a farm's processes are otherwise, but for how they begin."""

    async def start(self, name: str, command: Sequence[str]) -> Child:
        log = self.logs / f"{name}.log"
        process = await start_corral(*command, env=self._environment, log=log)
        child = Child(name, cast("asyncio.subprocess.Process", process), log)
        self._children.append(child)
        return child


class BrowserFarm:
    """What runs, and what a test asks of it besides what the browser does."""

    def __init__(self, children: Children, directory: Path) -> None:
        self._children = children
        self._directory = directory
        self._port = free_port()
        self._control_port = 0
        self._server: Child | None = None
        self._simulator: Child | None = None
        self.adb_port = 0
        self.url = f"http://{LOOPBACK}:{self._port}"
        self.http = httpx.AsyncClient(base_url=self.url, timeout=30)

    async def start_server(self) -> None:
        flags = ["--port", str(self._port), "--data-dir", str(self._directory / "server")]
        self._server = await self._children.start("server", ["server", *flags])
        for _ in range(1200):
            with contextlib.suppress(httpx.HTTPError):
                if (await self.http.get("/ready")).is_success:
                    return
            assert self._server.process.returncode is None, self._server.last_lines()
            await asyncio.sleep(0.05)
        raise AssertionError(self._server.last_lines())

    async def stop_server(self) -> None:
        assert self._server is not None
        self._server.process.terminate()
        await self._server.process.wait()

    async def start_phones(self, count: int) -> list[str]:
        """Simulate so many phones; their addresses."""
        addresses = self._directory / "addresses"
        self._control_port = free_port()
        flags = ["--devices", str(count), "--addresses", str(addresses), "--control-port", str(self._control_port)]
        self._simulator = simulator = await self._children.start("simulator", ["simulate", *flags])
        while not addresses.exists():
            assert simulator.process.returncode is None, simulator.last_lines()
            await asyncio.sleep(0.05)
        return addresses.read_text(encoding="utf-8").split()

    async def start_node(self, addresses: Sequence[str] = ()) -> None:
        """Start a node that connects to these addresses, and return once all of them are online."""
        self.adb_port = free_port()
        where = ["--server", self.url, "--data-dir", str(self._directory / "node"), "--node-id", "rack-1"]
        adb = ["--drivers", "adb", "--adb-port", str(self.adb_port)]
        connect = ["--adb-connect", ",".join(addresses)] if addresses else []
        node = await self._children.start("node", ["node", *where, *adb, *connect])
        while await self.count_nodes() == 0 or await self.count_online() < len(addresses):
            assert node.process.returncode is None, node.last_lines()
            await asyncio.sleep(0.1)

    @contextmanager
    def still_phones(self) -> Iterator[None]:
        """No phone answers within the block, so that what was begun there goes on until its end."""
        assert self._simulator is not None
        self._simulator.process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self._simulator.process.send_signal(signal.SIGCONT)

    @asynccontextmanager
    async def faulty(self, index: int, fault: dict[str, Any]) -> AsyncIterator[None]:
        """Let something go wrong on one phone for the length of a block."""
        device = await self.device(index)
        async with await Control.connect(self._control_port) as control:
            name, meant_for = await control.inject({**fault, "phones": {"serials": [device["serial"]]}})
            assert meant_for == 1
            yield
            await control.clear(name)

    async def device(self, index: int) -> dict[str, Any]:
        page: dict[str, Any] = (await self.http.get("/api/devices", params={"after": index - 1, "limit": 1})).json()
        device: dict[str, Any] = page["devices"][0]
        return device

    async def count_nodes(self) -> int:
        return len((await self.http.get("/api/nodes/status")).json()["nodes"])

    async def count_online(self) -> int:
        status: dict[str, Any] = (await self.http.get("/api/nodes/status")).json()
        return sum(device["status"] == "online" for device in status["devices"])

    async def store(self, *recipes: str) -> None:
        for recipe in recipes:
            answer = await self.http.post(
                "/api/workflows", content=recipe, headers={"content-type": "application/yaml"}
            )
            answer.raise_for_status()

    async def run(self, workflow: str, *, indexes: list[Any] | None = None, **request: object) -> str:
        """Ask for a run; its id."""
        target = {"all": True} if indexes is None else {"indexes": indexes}
        answer = await self.http.post("/api/runs", json={"workflow": workflow, "target": target, **request})
        assert answer.is_success, answer.text
        run_id: str = answer.json()["run_id"]
        return run_id

    async def until_ended(self, run_id: str) -> dict[str, Any]:
        """The run's view once it has ended."""
        while True:
            view: dict[str, Any] = (await self.http.get(f"/api/runs/{run_id}")).json()
            if view["run"]["finished_at"] is not None:
                return view
            await asyncio.sleep(0.1)


@asynccontextmanager
async def raise_browser_farm(
    directory: Path, *, phones: int, environment: Mapping[str, str] | None = None
) -> AsyncIterator[BrowserFarm]:
    (directory / "logs").mkdir(parents=True, exist_ok=True)
    async with WarmChildren(directory / "logs", {**os.environ, **(environment or {})}) as children:
        farm = BrowserFarm(children, directory)
        try:
            await farm.start_server()
            if phones:
                await farm.start_node(await farm.start_phones(phones))
                await farm.store(CHECK, PREPARE, SLOW, *preset_texts().values())
            yield farm
        finally:
            await farm.http.aclose()
    if farm.adb_port:
        adb = await asyncio.create_subprocess_exec(
            str(find_adb()), "-P", str(farm.adb_port), "kill-server", stderr=asyncio.subprocess.DEVNULL
        )
        await adb.wait()
