"""`corral demo`: a farm of simulated phones, and a workflow on all of them, in one command."""

import asyncio
import os
import sys
import threading
import time
import webbrowser
from collections.abc import Iterator
from typing import Annotated, Final

from cyclopts import Parameter, validators
from cyclopts.types import Port
from rich.console import Console
from rich.text import Text

from corral.cli.attached import advise_phones
from corral.cli.exit_status import ENDED_EARLY, status_of_run
from corral.cli.farm import Farm, FarmPlan, raise_farm, without_settings
from corral.cli.heatmap import render_tiles
from corral.cli.output import make_console
from corral.cli.ports import LOOPBACK, claim_port
from corral.cli.program import name_program
from corral.cli.until_stopped import run_until_stopped
from corral.cli.up import stay_up
from corral.cli.watch import tabulate_counts
from corral.cli.watch import watch as watch_run
from corral.client import Client
from corral.model.errors import ConfigInvalidError, WaitTimeoutError
from corral.node.config import load_node_config
from corral.workflow import preset_texts

_USUAL_PORT: Final = 8080
_ONLINE_S: Final = 120.0
_LOOK_S: Final = 0.2
_LAST_WORDS_S: Final = 1.0
_Devices = Annotated[int, Parameter(validator=validators.Number(gte=1, lte=9999))]


def demo(
    *,
    devices: _Devices = 100,
    workflow: str = "screenshot-sweep",
    scenario: str = "calm",
    seed: int = 1,
    port: Port | None = None,
    once: Annotated[bool, Parameter(negative="")] = False,
    browser: bool = True,
) -> None:
    """Start a server and simulated phones, run a workflow on all of them, and leave everything up to look at.

    Nothing is kept: all data is in a temporary directory. With --once, stop after the run; the exit status is the
    run's, as with `corral run`.

    Parameters
    ----------
    devices
        How many phones.
    workflow
        Which of the presets to run.
    scenario
        What goes wrong: a YAML file, or calm, busy-lab, bad-hub or chaos.
    seed
        The same seed gives the same phones and the same story.
    port
        The port to listen on; 8080, or any free one where that is taken.
    once
        Stop after the run.
    browser
        Open the server's page where there is a screen.
    """
    environment = without_settings(os.environ)
    plan = FarmPlan(
        port=_choose_port(port),
        simulated=devices,
        scenario=scenario,
        seed=seed,
        has_node=False,
        adb_program=load_node_config({}, environment).adb_program,
        environment=environment,
    )
    console = make_console()
    statuses: list[int] = []

    async def show(stopping: asyncio.Event) -> None:
        console.print(f"Starting a server and {devices} simulated phones…", style="dim")
        async with raise_farm(plan) as farm:
            with Client(farm.url) as client:
                statuses.append(await _until_done(farm, client, console, stopping, devices=devices, workflow=workflow))
                if not once and not stopping.is_set():
                    _invite(farm, console, opens_browser=browser)
                    await stay_up(farm, client, console, stopping, advice=advise_phones(None, simulated=devices))
            console.print("Stopping…", style="dim")

    run_until_stopped(show)
    if once:
        sys.exit(statuses[0] if statuses else 1)


def _choose_port(port: int | None) -> int:
    if port is not None:
        return port
    try:
        return claim_port(LOOPBACK, _USUAL_PORT)
    except ConfigInvalidError:
        return 0


async def _until_done(
    farm: Farm, client: Client, console: Console, stopping: asyncio.Event, *, devices: int, workflow: str
) -> int:
    """Run the workflow on all phones, unless told to stop or a process dies before; the exit status."""
    gone = threading.Event()
    working = asyncio.create_task(asyncio.to_thread(_work, client, console, gone, devices=devices, workflow=workflow))
    dying = asyncio.create_task(farm.children.until_one_dies())
    stopped = asyncio.create_task(stopping.wait())
    try:
        await asyncio.wait({working, dying, stopped}, return_when=asyncio.FIRST_COMPLETED)
        if working.done() and working.exception() is not None:  # perhaps because of who died, which says more
            await asyncio.wait({dying}, timeout=_LAST_WORDS_S)
        if dying.done():
            dying.result()
        gone.set()
        return await working
    finally:
        gone.set()
        dying.cancel()
        stopped.cancel()
        await asyncio.gather(working, dying, stopped, return_exceptions=True)


def _work(client: Client, console: Console, gone: threading.Event, *, devices: int, workflow: str) -> int:
    begun = time.monotonic()
    with console.status("0 phones are online") as status:
        for online in _count_online(client, gone, until=devices):
            status.update(f"{online} of {devices} phones are online")
    if gone.is_set():
        return ENDED_EARLY
    console.print(f"{devices} simulated phones online after {time.monotonic() - begun:.1f} s", highlight=False)
    names = [client.workflows.push(text).name for text in preset_texts().values()]
    console.print(f"presets loaded: {', '.join(names)}\n", highlight=False)
    run = client.runs.create(workflow, target="all", name=f"demo: {workflow}")
    view = watch_run(client, run.run_id, is_stopped=gone.is_set)
    console.print(render_tiles({tile.index: str(tile.activity) for tile in view.heatmap.items}, width=console.width))
    console.print(tabulate_counts(view.run.counts))
    return status_of_run(view.run.status)


def _count_online(client: Client, gone: threading.Event, *, until: int) -> Iterator[int]:
    deadline = time.monotonic() + _ONLINE_S
    while not gone.wait(_LOOK_S):
        online = sum(device.status == "online" for device in client.nodes.status().devices)
        yield online
        if online >= until:
            return
        if time.monotonic() > deadline:
            raise WaitTimeoutError(f"only {online} of {until} phones came online within {_ONLINE_S:.0f} s")


def _invite(farm: Farm, console: Console, *, opens_browser: bool) -> None:
    console.print(
        Text.assemble("\nThe farm stays up at ", (farm.url, f"bold link {farm.url}"), ". From another terminal:")
    )
    program = name_program()
    for command in ("devices --heatmap", "run soak --on 1-50 --watch"):
        console.print(f"  CORRAL_URL={farm.url} {program} {command}", soft_wrap=True)
    console.print()
    if opens_browser and console.is_terminal and _has_screen():
        webbrowser.open(farm.url)


def _has_screen() -> bool:
    return sys.platform in {"win32", "darwin"} or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
