"""`corral up`: a whole farm in one terminal."""

import asyncio
import os
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter
from rich.console import Console

from corral.cli.farm import Farm, FarmPlan, raise_farm
from corral.cli.farm_status import show_status
from corral.cli.until_stopped import run_until_stopped
from corral.client import Client
from corral.config import load_server_config


def up(
    *,
    simulate: int = 0,
    scenario: str = "calm",
    seed: int = 0,
    host: str | None = None,
    port: int | None = None,
    data_dir: str | None = None,
    ephemeral: Annotated[bool | None, Parameter(negative="")] = None,
    node: bool = True,
    node_id: str | None = None,
    drivers: str | None = None,
    config: Path | None = None,
) -> None:
    """Bring up a farm on this computer: database, server, a node on whatever phones are attached. Ctrl-C stops it.

    Parameters
    ----------
    simulate
        Add this many simulated phones, on a node of their own.
    scenario
        What goes wrong with them: a YAML file, or calm, busy-lab, bad-hub or chaos.
    seed
        The same seed gives the same simulated phones and the same story.
    host
        The address to listen on. Any but a loopback address needs both secrets.
    port
        The port to listen on; 0 for any free one.
    data_dir
        Where to keep the data.
    ephemeral
        Keep nothing: use a temporary directory.
    node
        Work with the phones that are attached to this computer.
    node_id
        What this computer's node is called; the computer's name by default.
    drivers
        The ways to phones, separated by commas: adb, vendor.
    config
        A TOML file with [server] and [node] tables.
    """
    told = {"host": host, "port": port, "data_dir": data_dir, "ephemeral": ephemeral}
    settings = load_server_config(told, os.environ, file=config)
    plan = FarmPlan(
        host=settings.host,
        port=settings.port,
        data_dir=None if settings.ephemeral else settings.data_path,
        simulated=simulate,
        scenario=scenario,
        seed=seed,
        has_node=node,
        node_flags=_flags({"--node-id": node_id, "--drivers": drivers}),
        config=config,
    )
    token = None if settings.operator_token is None else settings.operator_token.reveal()
    run_until_stopped(lambda stopping: _run(plan, stopping, token=token))


async def _run(plan: FarmPlan, stopping: asyncio.Event, *, token: str | None) -> None:
    console = Console()
    console.print("Starting the server…", style="dim")
    async with raise_farm(plan) as farm:
        with Client(farm.url, token=token) as client:
            await stay_up(farm, client, console, stopping)
        console.print("Stopping…", style="dim")


async def stay_up(farm: Farm, client: Client, console: Console, stopping: asyncio.Event) -> None:
    """Show the farm until told to stop. Raises ChildDiedError."""
    if not console.is_terminal:
        console.print(f"Corral is at {farm.url}; logs are in {farm.logs}", highlight=False)
    tasks = [
        asyncio.create_task(each)
        for each in (stopping.wait(), farm.children.until_one_dies(), show_status(client, console, logs=farm.logs))
    ]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _flags(told: dict[str, Any]) -> tuple[str, ...]:
    return tuple(word for name, value in told.items() if value is not None for word in (name, str(value)))
