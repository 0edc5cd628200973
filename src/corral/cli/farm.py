"""A whole farm on this computer: a server, a node for the phones that are attached, and one for simulated ones.

Simulated phones have an adb server of their own: the one that this computer's phones are on is left alone.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import httpx

from corral.cli.children import Child, Children
from corral.config import is_loopback
from corral.drivers.adb.binary import find_adb
from corral.model.errors import ChildDiedError, ConfigInvalidError, CorralError

LOOPBACK: Final = "127.0.0.1"
SIMULATED: Final = "simulated"
"""What the node of simulated phones is called."""

_READY_S: Final = 120.0
_LOOK_S: Final = 0.1
_ADB_S: Final = 10.0


@dataclass(frozen=True, kw_only=True, slots=True)
class FarmPlan:
    """What to bring up."""

    host: str = "127.0.0.1"
    port: int = 8080
    data_dir: Path | None = None
    """None keeps everything in a temporary directory, which is gone at the end."""

    simulated: int = 0
    scenario: str = "calm"
    seed: int = 0
    has_node: bool = True
    """Whether to work with the phones that are attached to this computer."""

    node_flags: tuple[str, ...] = ()
    config: Path | None = None
    """The settings file that the server and the nodes read, too."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Farm:
    """What is up."""

    url: str
    logs: Path
    children: Children


@asynccontextmanager
async def raise_farm(plan: FarmPlan) -> AsyncIterator[Farm]:
    """Start everything; stop everything at the end. Raises ConfigInvalidError and ChildDiedError."""
    port = claim_port(plan.host, plan.port)
    url = f"http://{_url_host(plan.host)}:{port}"
    # From the last line up at the end: the node before the adb server that it would start again, the directory last.
    async with AsyncExitStack() as stack:
        directory = stack.enter_context(_directory(plan.data_dir))
        adb_port = claim_port(LOOPBACK, 0)
        if plan.simulated:
            stack.push_async_callback(_stop_adb, adb_port)
        children = await stack.enter_async_context(Children(directory / "logs"))
        server = await children.start("server", _server_flags(plan, port))
        await _until_ready(url, server)
        node = ["node", "--server", url, "--data-dir", str(directory), *_config(plan)]
        if plan.has_node:
            await children.start("node", [*node, *plan.node_flags])
        if plan.simulated:
            addresses = await _simulate(plan, children, directory)
            private = ["--node-id", SIMULATED, "--drivers", "adb", "--adb-port", str(adb_port)]
            await children.start(SIMULATED, [*node, *private, "--adb-connect", addresses])
        yield Farm(url=url, logs=children.logs, children=children)


def claim_port(host: str, port: int) -> int:
    """A port that is free: the one given, or any if it is 0. Raises ConfigInvalidError, which says what to do."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        if sys.platform != "win32":
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise ConfigInvalidError(_in_use(host, port, error), path="port") from error
        claimed: int = probe.getsockname()[1]
    return claimed


def _in_use(host: str, port: int, error: OSError) -> str:
    told = f"cannot listen on {host}:{port}: {error.strerror}"
    with contextlib.suppress(httpx.HTTPError, ValueError):
        answer = httpx.get(f"http://{_url_host(host)}:{port}/health", timeout=2)
        if "version" in answer.json():
            return f"{told}. A Corral server runs there already: open it, or choose another port with --port"
    return f"{told}. Choose another port with --port, or any free one with --port 0"


def _url_host(host: str) -> str:
    if not is_loopback(host):
        return "127.0.0.1"  # from this computer, whatever else it listens on
    return f"[{host}]" if ":" in host else host


@contextlib.contextmanager
def _directory(data_dir: Path | None) -> Iterator[Path]:
    if data_dir is not None:
        data_dir.mkdir(parents=True, exist_ok=True)
        yield data_dir
        return
    with tempfile.TemporaryDirectory(prefix="corral-") as directory:
        yield Path(directory)


def _server_flags(plan: FarmPlan, port: int) -> list[str]:
    data = ["--ephemeral"] if plan.data_dir is None else ["--data-dir", str(plan.data_dir)]
    return ["server", "--host", plan.host, "--port", str(port), *data, *_config(plan)]


def _config(plan: FarmPlan) -> list[str]:
    return [] if plan.config is None else ["--config", str(plan.config)]


async def _until_ready(url: str, server: Child) -> None:
    deadline = time.monotonic() + _READY_S
    async with httpx.AsyncClient(base_url=url, timeout=5) as client:
        while time.monotonic() < deadline:
            if server.process.returncode is not None:
                raise ChildDiedError(f"the server did not start:\n{server.last_lines()}")
            with contextlib.suppress(httpx.HTTPError):
                if (await client.get("/ready")).is_success:
                    return
            await asyncio.sleep(_LOOK_S)
    raise ChildDiedError(f"the server was not ready within {_READY_S:.0f} s; its log is {server.log}")


async def _simulate(plan: FarmPlan, children: Children, directory: Path) -> str:
    """Start simulated phones; their addresses, once all can be reached."""
    addresses = directory / "simulated-phones"
    addresses.unlink(missing_ok=True)
    options = ["--devices", str(plan.simulated), "--scenario", plan.scenario, "--seed", str(plan.seed)]
    simulator = await children.start("simulator", ["simulate", *options, "--addresses", str(addresses)])
    while not addresses.exists():
        if simulator.process.returncode is not None:
            raise ChildDiedError(f"the simulator did not start:\n{simulator.last_lines()}")
        await asyncio.sleep(_LOOK_S)
    return ",".join(addresses.read_text(encoding="utf-8").split())


async def _stop_adb(port: int) -> None:
    """End the adb server that only our own node used."""
    with contextlib.suppress(CorralError, OSError, TimeoutError):
        process = await asyncio.create_subprocess_exec(
            str(find_adb()),
            "-P",
            str(port),
            "kill-server",
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
        )
        await asyncio.wait_for(process.wait(), _ADB_S)
