"""The farm that is to be broken: PostgreSQL, two servers behind a bad network, nodes, phones; every part a process.

Most phones can be reached by two nodes: when one node is lost the other one takes them over, so that two agents
are always near the same phone, and only leases keep them apart.
"""

import asyncio
import contextlib
import subprocess
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Final

import asyncpg
import httpx
from msgspec import Struct

from corral.engine import Engine
from corral.engine.migrate import list_definitions
from corral.simulator.control import Control
from tests.api.client import AS_OPERATOR, NODE_SECRET
from tests.api.process import SECRETS
from tests.chaos.database import Database
from tests.chaos.graph import CAPABILITIES
from tests.chaos.programs import Program
from tests.chaos.proxy import Proxy
from tests.drivers.conftest import kill
from tests.ports import free_port
from tests.simulator.process import Simulator, simulating

SERVERS: Final = 2
NODES: Final = tuple(CAPABILITIES)
DISK_BYTES: Final = 12 << 20
_SEEN: Final = "exists (select 1 from node_events n where n.node_id = e.node_id and n.event_id = e.event_id)"
# What the database's function that judges events says, and what it says where it is broken.
BREAKS: Final[dict[str, dict[str, str]]] = {
    "token": {
        "when j.lease_token is distinct from e.lease_token or j.lease_owner is distinct from e.node_id": "when false"
    },
    # It looks up what was recorded, and records nothing: see server_process.py.
    "dedupe": {
        "where e.fault is null and e.first_ord is not null": "where false",
        "when r.event_id is null or e.first_ord is null": f"when e.first_ord is null or {_SEEN}",
    },
    # See node_process.py.
    "deadline": {},
    "directory": {},
}


class Shape(Struct, frozen=True, kw_only=True):
    """How large, how patient, and how broken on purpose."""

    phones: int = 16
    lease_s: float = 6.0
    seed: int = 0
    broken: str | None = None


class Farm:
    """All that runs. Its parts are put down and started again by the nemesis."""

    def __init__(self, folder: Path, shape: Shape) -> None:
        self.folder = folder
        self.shape = shape
        self.database = Database(folder / "database")
        self.server_ports = [free_port() for _ in range(SERVERS)]
        self.servers: list[Program] = []
        self.nodes: dict[str, Program] = {}
        self.disks: dict[str, Path] = {}
        self.adb_ports: dict[str, int] = {}
        self.addresses: dict[str, list[str]] = {}
        self.dsn = ""
        self.steps_record = folder / "steps.jsonl"
        self.steps_record.touch()
        self.proxy: Proxy
        self.simulator: Simulator
        self.control: Control

    @classmethod
    @asynccontextmanager
    async def running(cls, folder: Path, shape: Shape) -> AsyncIterator["Farm"]:
        """A farm whose phones are all online."""
        farm = cls(folder, shape)
        async with AsyncExitStack() as stack:
            await farm.database.make()
            stack.push_async_callback(farm.database.stop)
            await farm._fill_database()
            await farm._enter(stack)
            yield farm

    async def _enter(self, stack: AsyncExitStack) -> None:
        record = ["--record", str(self.folder / "record.jsonl"), "--seed", str(self.shape.seed)]
        quick = self.folder / "quick.yaml"
        quick.write_text("name: quick\ndescription: Phones that start fast.\nsetup: {boot_s: 1}\n")
        self.simulator = await stack.enter_async_context(
            simulating(self.folder, "--devices", str(self.shape.phones), "--scenario", str(quick), *record)
        )
        stack.push_async_callback(self.simulator.stop)
        self.control = await stack.enter_async_context(await Control.connect(self.simulator.control_port))
        self.proxy = await stack.enter_async_context(
            Proxy.listening(
                list(NODES),
                lambda: list(self.server_ports),
                seed=self.shape.seed,
                path=self.folder / "requests.jsonl",
            )
        )
        stack.push_async_callback(self._stop_programs)
        self.servers = [self._make_server(place) for place in range(SERVERS)]
        for server in self.servers:
            await server.start()
        self.addresses = _share_out(self.simulator.addresses)
        for node in NODES:
            await self._make_disk(node, stack)
            self.adb_ports[node] = free_port()
            stack.push_async_callback(kill, self.adb_ports[node])
            self.nodes[node] = self._make_node(node)
            await self.nodes[node].start()
        await self._until_online()

    async def query(self, statement: str, *values: object) -> list[asyncpg.Record]:
        connection = await asyncpg.connect(self.dsn)
        try:
            return await connection.fetch(statement, *values)
        finally:
            await connection.close()

    async def ask(self, method: str, path: str, *, body: object = None) -> httpx.Response:
        """Any server's answer, without the network in between; raises httpx.HTTPError where none answers."""
        failure: httpx.HTTPError | None = None
        for port in self.server_ports:
            try:
                async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", headers=AS_OPERATOR) as http:
                    answer = await http.request(method, path, json=body, timeout=10)
                    answer.raise_for_status()
                    return answer
            except httpx.HTTPError as error:
                failure = error
        assert failure is not None
        raise failure

    async def _fill_database(self) -> None:
        await self.database.start()
        self.dsn = self.database.dsn
        async with Engine.connect(self.dsn) as engine:
            await engine.migrate()
        lease_s = self.shape.lease_s
        await self.query(
            "update corral.settings set lease_time = make_interval(secs => $1), offline_grace = make_interval(secs => $1),"
            " upkeep_gap = make_interval(secs => $1 / 2), deadline_slack = '5 s', start_within = '5 minutes'",
            lease_s,
        )
        if self.shape.broken is not None and (rules := BREAKS[self.shape.broken]):
            (judge,) = [sql for sql in list_definitions() if "function corral.fn_judge_events(" in sql]
            for says, would_say in rules.items():
                assert judge.count(says) == 1, "the rule must be there to be taken out"
                judge = judge.replace(says, would_say)
            await self.query(judge)

    def _make_server(self, place: int) -> Program:
        broken = [str(Path(__file__).with_name("server_process.py"))]
        program = broken if self.shape.broken == "dedupe" else ["-m", "corral.cli"]
        arguments = [*program, "server", "--port", str(self.server_ports[place]), "--database-url", self.dsn]
        store = ["--storage-url", str(self.folder / "store"), "--data-dir", str(self.folder / f"server-{place}")]
        log = self.folder / f"server-{place}.log"
        return Program(f"server {place}", [*arguments, *store], env=SECRETS, log=log)

    def _make_node(self, node: str) -> Program:
        script = str(Path(__file__).with_name("node_process.py"))
        arguments = [
            *(script, str(self.folder / f"{node}.clock"), "node", "--node-id", node),
            *("--server", f"http://127.0.0.1:{self.proxy.ports[node]}", "--state-dir", str(self.disks[node] / "state")),
            *("--adb-port", str(self.adb_ports[node]), "--adb-connect", ",".join(self.addresses[node])),
            *("--max-concurrency", "8", "--lookahead", "2", "--health-interval-s", "20"),
            *("--allow-shell", "--capability", CAPABILITIES[node]),
        ]
        home = self.folder / f"{node}-home"
        home.mkdir()
        env = {
            "NODE_AGENT_SHARED_SECRET": NODE_SECRET,
            "HOME": str(home),
            "TMPDIR": str(home),
            "ADB_LOCAL_TRANSPORT_MAX_PORT": "5554",
        }
        if self.shape.broken is not None:
            env["CHAOS_BREAK"] = self.shape.broken
        return Program(f"node {node}", arguments, env=env, log=self.folder / f"{node}.log")

    async def _make_disk(self, node: str, stack: AsyncExitStack) -> None:
        """A small disk for the node's state, where this machine lets us mount one; a plain directory elsewhere."""
        path = self.folder / f"{node}-disk"
        path.mkdir()
        self.disks[node] = path
        command = ["mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES}", "corral-chaos", str(path)]
        with contextlib.suppress(OSError):
            if (await asyncio.to_thread(subprocess.run, command, capture_output=True, check=False)).returncode == 0:
                stack.callback(subprocess.run, ["umount", "--lazy", str(path)], capture_output=True, check=False)

    async def _stop_programs(self) -> None:
        await asyncio.gather(*(program.stop() for program in (*self.nodes.values(), *self.servers)))

    async def _until_online(self) -> None:
        async with asyncio.timeout(120):
            while True:
                with contextlib.suppress(httpx.HTTPError):
                    status = (await self.ask("GET", "/api/nodes/status")).json()
                    if sum(each["status"] == "online" for each in status["devices"]) == self.shape.phones:
                        return
                await asyncio.sleep(0.2)


def _share_out(addresses: list[str]) -> dict[str, list[str]]:
    """Each pair of nodes shares three quarters of its phones; the others are one node's alone."""
    half = len(addresses) // 2
    found = {}
    for pair, phones in ((NODES[:2], addresses[:half]), (NODES[2:], addresses[half:])):
        shared = len(phones) * 3 // 4
        middle = shared + (len(phones) - shared) // 2
        found[pair[0]] = phones[:middle]
        found[pair[1]] = phones[:shared] + phones[middle:]
    return found
