"""A whole farm on this computer: a server, a node for the phones that are attached, and one for simulated ones.

Simulated phones have an adb server of their own: the one that this computer's phones are on is left alone.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import tempfile
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import httpx

from corral.cli.children import Child, Children
from corral.cli.ports import LOOPBACK, claim_port, url_host
from corral.config import CONFIG_FILE
from corral.drivers.adb.binary import find_adb
from corral.model.errors import ChildDiedError, ConfigInvalidError, CorralError
from corral.node.config import ENVIRONMENT
from corral.node.state import try_lock

SIMULATED: Final = "simulated"
"""What the node of simulated phones is called."""

_READY_S: Final = 120.0
_LOOK_S: Final = 0.1
_ADB_S: Final = 10.0
_KEPT: Final = ENVIRONMENT["adb_path"]
_OURS: Final = re.compile(r"(CORRAL|COORDINATOR|NODE_AGENT)_.*|DATABASE_URL")


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
    adb_program: Path | None = None
    """The adb for simulated phones, as the nodes' settings name it; None finds one."""

    config: Path | None = None
    """The settings file that the server and the nodes read, too."""

    environment: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    """What the processes inherit."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Farm:
    """What is up."""

    url: str
    logs: Path
    children: Children


@asynccontextmanager
async def raise_farm(plan: FarmPlan) -> AsyncIterator[Farm]:
    """Start everything; stop everything at the end.

    Raises ConfigInvalidError and ChildDiedError, and DriverUnavailableError where simulated phones find no adb.
    """
    if plan.simulated:
        find_adb(plan.adb_program, environment=plan.environment)
    port = claim_port(plan.host, plan.port)
    url = f"http://{url_host(plan.host)}:{port}"
    # From the last line up at the end: the node before the adb server that it would start again, the directory last.
    async with AsyncExitStack() as stack:
        directory = stack.enter_context(_directory(plan.data_dir))
        adb_ports: list[int] = []
        stack.push_async_callback(_stop_adb, plan, adb_ports)
        children = await stack.enter_async_context(Children(directory / "logs", _environment(plan, directory)))
        server = await children.start("server", _server_flags(plan, port))
        await _until_ready(url, server)
        node = ["node", "--server", url, "--data-dir", str(directory), *_config(plan)]
        if plan.has_node:
            await children.start("node", [*node, *plan.node_flags])
        if plan.simulated:
            addresses = await _simulate(plan, children, directory)
            # Chosen now: earlier, one of the phones might have been given the same port, and been taken for the adb server.
            adb_ports.append(claim_port(LOOPBACK, 0))
            state = ["--node-id", SIMULATED, "--state-dir", str(directory / f"node-{SIMULATED}")]
            phones = ["--drivers", "adb", "--adb-port", str(adb_ports[0]), "--adb-connect", addresses]
            await children.start(f"{SIMULATED} node", [*node, *state, *phones])
        yield Farm(url=url, logs=children.logs, children=children)


def without_settings(environ: Mapping[str, str]) -> dict[str, str]:
    """The environment with nothing in it that would configure Corral, and no settings file where we stand either.

    Where adb is stays known: a computer may have no other.
    """
    kept = {name: value for name, value in environ.items() if name in _KEPT or not _OURS.fullmatch(name)}
    return {**kept, CONFIG_FILE: os.devnull}


@contextlib.contextmanager
def _directory(data_dir: Path | None) -> Iterator[Path]:
    if data_dir is not None:
        with claim_directory(data_dir):
            yield data_dir
        return
    with tempfile.TemporaryDirectory(prefix="corral-", ignore_cleanup_errors=True) as directory:
        Path(directory).chmod(0o711)  # root's PostgreSQL is another user's, and passes through
        yield Path(directory)


@contextlib.contextmanager
def claim_directory(path: Path) -> Iterator[None]:
    """Make sure that no other farm is up from here. The kernel lets go of the lock however we end: none is ever stale."""
    try:
        path.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path / "up.lock", os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        message = f"cannot keep data in {path}: {error.strerror}. Choose another directory with --data-dir"
        raise ConfigInvalidError(message, path="data_dir") from error
    try:
        if not try_lock(descriptor):
            message = f"another `corral up` works from {path}. Stop it, or choose another directory with --data-dir"
            raise ConfigInvalidError(message, path="data_dir")
        yield
    finally:
        os.close(descriptor)


def _server_flags(plan: FarmPlan, port: int) -> list[str]:
    data = ["--ephemeral"] if plan.data_dir is None else ["--data-dir", str(plan.data_dir)]
    return ["server", "--host", plan.host, "--port", str(port), *data, *_config(plan)]


def _environment(plan: FarmPlan, directory: Path) -> dict[str, str]:
    """What the processes inherit. What is temporary is kept in the farm's own directory, and goes with it.

    A PostgreSQL whose server was killed notices within a minute that its directory is gone, and ends.
    """
    return dict(plan.environment) if plan.data_dir is not None else {**plan.environment, "TMPDIR": str(directory)}


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


async def _stop_adb(plan: FarmPlan, ports: list[int]) -> None:
    """End the adb server that only our own node used, if it came to that."""
    for port in ports:
        with contextlib.suppress(CorralError, OSError, TimeoutError):
            process = await asyncio.create_subprocess_exec(
                str(find_adb(plan.adb_program, environment=plan.environment)),
                "-P",
                str(port),
                "kill-server",
                stdout=asyncio.subprocess.DEVNULL,
                stderr=asyncio.subprocess.DEVNULL,
                env=plan.environment,
            )
            await asyncio.wait_for(process.wait(), _ADB_S)
