"""`corral up`: a whole farm in one terminal."""

import asyncio
import os
from collections.abc import Coroutine
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter
from rich.console import Console

from corral.cli.attached import advise_phones, load_attached
from corral.cli.farm import Farm, FarmPlan, raise_farm
from corral.cli.farm_logs import follow_logs
from corral.cli.farm_status import show_status
from corral.cli.output import colour_of, make_console
from corral.cli.until_stopped import run_until_stopped
from corral.client import Client
from corral.config import ServerConfig, load_server_config
from corral.drivers.adb.binary import find_adb
from corral.model.errors import CorralError
from corral.node.config import NodeConfig, load_node_config


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
    logs: Annotated[bool, Parameter(negative="")] = False,
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
        The ways to phones, separated by commas: adb, vendor. By default adb, and vendor if its program answers here.
    logs
        Print what the processes log, as it comes.
    config
        A TOML file with [server] and [node] tables.
    """
    told = {"host": host, "port": port, "data_dir": data_dir, "ephemeral": ephemeral}
    settings = load_server_config(told, os.environ, file=config)
    load_node = load_attached if node else load_node_config
    attached = load_node({"drivers": drivers}, os.environ, file=config)
    plan = FarmPlan(
        host=settings.host,
        port=settings.port,
        data_dir=None if settings.ephemeral else settings.data_path,
        simulated=simulate,
        scenario=scenario,
        seed=seed,
        has_node=node,
        node_flags=_flags({"--node-id": node_id, "--drivers": ",".join(attached.drivers)}),
        adb_program=attached.adb_program,
        config=config,
        environment=_environment(settings),
    )
    token = None if settings.operator_token is None else settings.operator_token.reveal()
    run_until_stopped(
        lambda stopping: _run(plan, stopping, token=token, follows=logs, attached=attached if node else None)
    )


async def _run(
    plan: FarmPlan, stopping: asyncio.Event, *, token: str | None, follows: bool, attached: NodeConfig | None
) -> None:
    console = make_console()
    if attached is not None:
        _introduce(attached, console)
    console.print("Starting the server…", style="dim")
    async with raise_farm(plan) as farm:
        advice = advise_phones(attached, simulated=plan.simulated)
        with Client(farm.url, token=token) as client:
            await stay_up(farm, client, console, stopping, follows=follows, advice=advice)
        console.print("Stopping…", style="dim")


async def stay_up(
    farm: Farm,
    client: Client,
    console: Console,
    stopping: asyncio.Event,
    *,
    follows: bool = False,
    advice: str,
) -> None:
    """Show the farm, with `follows` also what its processes log, until told to stop. Raises ChildDiedError.

    `advice` says what to do while there is no phone.
    """
    if not console.is_terminal:
        console.print(f"Corral is at {farm.url}; logs are in {farm.logs}", soft_wrap=True)
    shown: list[Coroutine[Any, Any, Any]] = [
        stopping.wait(),
        farm.children.until_one_dies(),
        show_status(client, console, logs=farm.logs, advice=advice),
    ]
    if follows:
        shown.append(follow_logs(farm.logs, console))
    tasks = [asyncio.create_task(each) for each in shown]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _environment(settings: ServerConfig) -> dict[str, str]:
    """Ours; and where only the server's table names the secret, our own nodes get to know it, too."""
    found = dict(os.environ)
    if settings.node_secret is not None:
        found.setdefault("NODE_AGENT_SHARED_SECRET", settings.node_secret.reveal())
    return found


def _introduce(attached: NodeConfig, console: Console) -> None:
    """Say how phones are reached, where that is not plain; without adb, the farm comes up without its phones."""
    if "vendor" in attached.drivers:
        console.print(f"Phones of the vendor's program at {attached.vendor_url} are used.", style="dim", soft_wrap=True)
    try:
        if "adb" in attached.drivers:
            find_adb(attached.adb_program)
    except CorralError as error:
        told = f"! phones that are attached to this computer cannot be reached: {error.message}"
        console.print(told, style=colour_of("suspect"), soft_wrap=True)


def _flags(told: dict[str, Any]) -> tuple[str, ...]:
    return tuple(word for name, value in told.items() if value is not None for word in (name, str(value)))
