"""What `corral up` shows: the address, nodes, devices, runs; live in a terminal, a line per change elsewhere."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from corral.client import Client
from corral.model.errors import CorralError
from corral.model.states import RunStatus

_EVERY_S: Final = 1.0
_MOST_RUNS: Final = 5
_MOST_HINTS: Final = 4


@dataclass(frozen=True, slots=True)
class Outlook:
    """The farm at one moment."""

    nodes: tuple[int, int]
    """How many, and how many of them are online."""

    devices: dict[str, int]
    """How many in each state: online, offline, quarantined."""

    runs: tuple[str, ...]
    hints: tuple[str, ...]


def look(client: Client) -> Outlook:
    """Ask the server. Raises what the client raises."""
    farm = client.nodes.status()
    states = Counter("quarantined" if each.health == "quarantined" else each.status for each in farm.devices)
    running = client.runs.list(statuses=[RunStatus.QUEUED, RunStatus.RUNNING], most=_MOST_RUNS)
    return Outlook(
        nodes=(len(farm.nodes), sum(node.online for node in farm.nodes)),
        devices=dict(states),
        runs=tuple(f"{run.name} {run.succeeded + run.failed}/{run.total_jobs} {run.status}" for run in running),
        hints=tuple(_hints(client))[:_MOST_HINTS],
    )


async def show_status(client: Client, console: Console, *, logs: Path) -> None:
    """Show the farm until cancelled."""
    if not console.is_terminal:
        await _tell_changes(client, console)
        return
    with Live(console=console, refresh_per_second=4, transient=True) as live:
        while True:
            outlook = await _look(client)
            live.update(render(client.base_url, outlook, logs=logs))
            await asyncio.sleep(_EVERY_S)


def render(url: str, outlook: Outlook | None, *, logs: Path) -> Group:
    """The farm as a few lines."""
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim", justify="right")
    grid.add_column()
    grid.add_row("Corral", Text(url, style=f"bold link {url}"))
    if outlook is None:
        grid.add_row("server", Text("does not answer", style="yellow"))
    else:
        for name, text in _rows(outlook):
            grid.add_row(name, text)
    grid.add_row("logs", str(logs))
    return Group(grid, Text("Ctrl-C stops everything.", style="dim"))


def _rows(outlook: Outlook) -> Iterator[tuple[str, Text]]:
    total, online = outlook.nodes
    yield "nodes", Text(f"{online} online" + (f", {total - online} silent" if total > online else ""))
    yield "devices", _devices(outlook.devices)
    yield "runs", Text("; ".join(outlook.runs) or "none going")
    for hint in outlook.hints:
        yield "!", Text(hint, style="yellow")


def _devices(states: dict[str, int]) -> Text:
    if not states:
        return Text("none yet: attach one by USB with USB debugging on, or start with --simulate 20")
    styles = {"online": "green", "offline": "red", "quarantined": "magenta"}
    parts = [
        Text(f"{count} {state}", style=styles.get(state, "")) for state, count in sorted(states.items(), reverse=True)
    ]
    return Text(" · ").join(parts)


def _hints(client: Client) -> Iterator[str]:
    """What a person should do about phones that cannot be used."""
    for device in client.devices.list():
        if device.connection == "unauthorized":
            yield f"{device.label or device.serial}: {device.last_error_message or 'confirm USB debugging on its screen'}"


async def _look(client: Client) -> Outlook | None:
    try:
        return await asyncio.to_thread(look, client)
    except CorralError:
        return None


async def _tell_changes(client: Client, console: Console) -> None:
    before: tuple[str, ...] = ()
    while True:
        outlook = await _look(client)
        told = (
            ("server: does not answer",)
            if outlook is None
            else tuple(f"{name}: {text}" for name, text in _rows(outlook))
        )
        for line in told:
            if line not in before:
                console.print(line, markup=False, highlight=False)
        before = told
        await asyncio.sleep(_EVERY_S)
