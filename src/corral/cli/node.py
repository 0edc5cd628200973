"""`corral node`: the agent that runs where the phones are."""

import asyncio
import os
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from corral.cli.until_stopped import run_until_stopped
from corral.drivers.open import open_driver
from corral.drivers.protocol import Driver
from corral.node.actions.registry import node_actions
from corral.node.agent import run_agent
from corral.node.config import NO_DRIVER, NodeConfig, load_node_config
from corral.telemetry import bound, configure_logs


def node(
    *,
    server_url: Annotated[str | None, Parameter(name=["--server-url", "--server"])] = None,
    node_id: str | None = None,
    name: str | None = None,
    max_concurrency: int | None = None,
    lookahead: int | None = None,
    drivers: Annotated[str | None, Parameter(name=["--drivers", "--driver"])] = None,
    adb_path: str | None = None,
    adb_port: int | None = None,
    adb_connect: str | None = None,
    vendor_url: str | None = None,
    allow_shell: Annotated[bool | None, Parameter(negative="")] = None,
    data_dir: str | None = None,
    state_dir: str | None = None,
    spool_limit_bytes: Annotated[int | None, Parameter(name=["--spool-limit-bytes", "--spool-limit"])] = None,
    file_cache_bytes: int | None = None,
    min_battery_percent: float | None = None,
    max_temperature_c: float | None = None,
    min_free_storage_mb: int | None = None,
    health_interval_s: float | None = None,
    labels: str | None = None,
    capabilities: Annotated[str | None, Parameter(name=["--capabilities", "--capability"])] = None,
    log_format: str | None = None,
    log_level: str | None = None,
    config: Path | None = None,
) -> None:
    """Work with the phones of this computer for a Corral server.

    Every flag can also be set in the environment or in a TOML file; the secret only there. SIGTERM finishes what runs
    and stops; a second one stops at once.

    Parameters
    ----------
    server_url
        Where the server is.
    node_id
        What this node is called, for good; the computer's name by default.
    name
        What people call it.
    max_concurrency
        How many jobs of phones, and steps of distributed runs, are worked on at once.
    lookahead
        How many jobs to have at hand besides.
    drivers
        The ways to phones, separated by commas: adb, vendor, or those of extensions; none for a node without phones.
    adb_path
        The adb program to start a server with, if none runs.
    adb_port
        The port of the adb server.
    adb_connect
        Addresses to connect to over the network, separated by commas: host, host:port or host:port-port.
    vendor_url
        The address of the vendor's program.
    allow_shell
        Let recipes run programs on this computer (shell.run).
    data_dir
        Where Corral keeps its data.
    state_dir
        Where this node keeps its state; node-<id> in the data directory by default.
    spool_limit_bytes
        How much may wait on disk for the server.
    file_cache_bytes
        How much of the server's input files to keep.
    min_battery_percent
        A phone with less charge gets no work.
    max_temperature_c
        A hotter phone gets no work.
    min_free_storage_mb
        A phone with less free storage gets no work; 0 for no limit.
    health_interval_s
        How often each phone is asked how it is.
    labels
        What to remember about this node: key=value, separated by commas.
    capabilities
        What this node can do for distributed steps besides its actions, separated by commas.
    log_format
        text or json.
    log_level
        debug, info, warning or error.
    config
        A TOML file with a [node] table.
    """
    flags = {key: value for key, value in locals().items() if key != "config"}
    settings = load_node_config(flags, os.environ, file=config)
    configure_logs(log_format=settings.log_format, level=settings.log_level, secrets=settings.secrets)
    run_until_stopped(lambda stopping: _run(settings, stopping))


async def _run(settings: NodeConfig, stopping: asyncio.Event) -> None:
    with bound(node_id=settings.id):
        await run_agent(settings, stopping, drivers=open_drivers(settings), actions=node_actions())


def open_drivers(settings: NodeConfig) -> list[Driver]:
    """The drivers that the settings name; raises ConfigInvalidError."""
    told: dict[str, dict[str, Any]] = {
        "adb": {"port": settings.adb_port, "program": settings.adb_program},
        "vendor": {"url": settings.vendor_url},
    }
    return [open_driver(name, told.get(name)) for name in dict.fromkeys(settings.drivers) if name != NO_DRIVER]
