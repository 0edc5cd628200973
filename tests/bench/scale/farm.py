"""Many nodes without phones, at one server: how they are started, paced and measured."""

import asyncio
import resource
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, Final

from corral.engine import Engine
from tests.api.client import AS_OPERATOR
from tests.api.process import ServerProcess, running
from tests.bench.databases import made_engine
from tests.bench.processes import memory_mb
from tests.bench.scale.node import LOOKAHEAD, SLOTS, STEPS, ModelNode
from tests.bench.scale.records import Load
from tests.bench.scale.tally import Tally, percentiles
from tests.bench.scale.usage import read_usage
from tests.bench.wire import Wire

_AT_ONCE: Final = 16
_FILES_PER_NODE: Final = 4
_SPARE_FILES: Final = 200
_LOOK_EVERY_S: Final = 0.2
_LONGEST_WAIT_S: Final = 300.0
WORKFLOW: Final[dict[str, Any]] = {
    "name": "load",
    "timeout_s": 3600,
    "steps": [
        {"id": f"step_{n}", "uses": "device.shell", "with": {"command": "true"}, "timeout_s": 600}
        for n in range(1, STEPS + 1)
    ],
}


class ModelFarm:
    """Nodes that are registered, and the server that they speak to."""

    def __init__(
        self, engine: Engine, server: ServerProcess, nodes: list[ModelNode], *, devices: int, tally: Tally
    ) -> None:
        self.engine = engine
        self.nodes = nodes
        self.tally = tally
        self._server = server
        self._devices = devices
        self._jobs_per_s = 0.0
        self._made = 0

    def start(self) -> None:
        for node in self.nodes:
            node.start()

    def set_pace(self, jobs_per_s: float) -> None:
        """How many jobs a second the phones of all nodes end from now on, as far as they have any."""
        self._jobs_per_s = jobs_per_s
        for node in self.nodes:
            node.set_pace(jobs_per_s * STEPS / len(self.nodes))

    async def create_run(self) -> float:
        """A run on every device, by the API; how long the answer took."""
        wire = await Wire.open(self._server.url)
        started_at = time.perf_counter()
        (await wire.ask(wire.request("POST", "/api/runs", AS_OPERATOR, {"workflow": "load"}))).json()
        wire.close()
        self._made += self._devices
        return time.perf_counter() - started_at

    async def ensure_jobs(self, count: float) -> None:
        """Have so many jobs wait, and as many again: some devices do more than their share."""
        while self._made - self.tally.all_jobs - len(self.nodes) * (SLOTS + LOOKAHEAD) < 2 * count:
            await self.create_run()

    async def fill(self) -> float:
        """Wait until every slot works; how long that took."""
        started_at = time.perf_counter()
        await self._until(lambda: all(node.is_full for node in self.nodes))
        for node in self.nodes:
            node.spread()
        await self._until(lambda: all(node.is_full for node in self.nodes))
        return time.perf_counter() - started_at

    async def measure(self, seconds: float) -> Load:
        """What happens from now on, for so long."""
        pid = self._server.process.pid
        before = await read_usage(self.engine, pid)
        self.tally.reset()
        started_at = time.perf_counter()
        await asyncio.sleep(seconds)
        took = time.perf_counter() - started_at
        used = (await read_usage(self.engine, pid)).since(before)
        tally = self.tally
        for node in self.nodes:
            node.check()
        return Load(
            seconds=round(took, 2),
            offered_jobs_per_s=round(self._jobs_per_s, 1),
            jobs=tally.jobs,
            events=tally.events,
            pull=percentiles(tally.pull_times),
            pulls=tally.pulls,
            callback=percentiles(tally.callback_times),
            heartbeat=percentiles(tally.heartbeat_times),
            server_s=round(used.server_s, 2),
            postgres_s=round(used.postgres_s, 2),
            housekeeping_s=round(used.housekeeping_s, 2),
            generator_s=round(used.generator_s, 2),
            other_s=round(used.other_s, 2),
            wal_bytes=used.wal_bytes,
            fsyncs=used.fsyncs,
            fsync_s=round(used.fsync_s, 2),
            starved=tally.starved,
            server_mb=round(memory_mb(pid), 1),
        )

    async def _until(self, is_so: Callable[[], bool]) -> None:
        async with asyncio.timeout(_LONGEST_WAIT_S):
            while not is_so():
                for node in self.nodes:
                    node.check()
                await asyncio.sleep(_LOOK_EVERY_S)


@asynccontextmanager
async def model_farm(dsn: str, *, nodes: int, devices_per_node: int) -> AsyncIterator[tuple[ModelFarm, float]]:
    """A farm on a database and a server process of its own, its nodes registered; and how long registering took."""
    _allow_files(nodes * _FILES_PER_NODE + _SPARE_FILES)
    async with (
        made_engine(dsn, f"farm_{nodes}") as engine,
        running("--database-url", engine.database.dsn, is_warm=False) as server,
    ):
        tally = Tally()
        made = [
            ModelNode(server.url, f"node-{number:05}", devices=devices_per_node, tally=tally) for number in range(nodes)
        ]
        wire = await Wire.open(server.url)
        (await wire.ask(wire.request("POST", "/api/workflows", AS_OPERATOR, WORKFLOW))).json()
        wire.close()
        logs = asyncio.create_task(_read_on(server))
        started_at = time.perf_counter()
        budget = asyncio.Semaphore(_AT_ONCE)

        async def register(node: ModelNode) -> None:
            async with budget:
                await node.register()

        await asyncio.gather(*(register(node) for node in made))
        took = time.perf_counter() - started_at
        try:
            yield ModelFarm(engine, server, made, devices=nodes * devices_per_node, tally=tally), took
        finally:
            await asyncio.gather(*(node.stop() for node in made))
            logs.cancel()


async def _read_on(server: ServerProcess) -> None:
    """A server whose log nobody reads would stop at a full pipe."""
    assert server.process.stderr is not None
    while line := await server.process.stderr.readline():
        if b" error " in line or b" warning " in line:
            print(f"    server: {line.decode().strip()}", flush=True)


def _allow_files(needed: int) -> None:
    """The server's process inherits the limit, and has as many ends of connections. Raises where it is too low."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < needed:
        raise RuntimeError(f"{needed} open files are needed, and the limit is {hard}: raise it (ulimit -n), or --nodes")
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard if hard != resource.RLIM_INFINITY else needed, hard))
