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

from corral.cli.output import colour_of, symbol_of
from corral.client import Client
from corral.drivers.words import AUTHORIZE
from corral.model.errors import CorralError
from corral.model.states import Connection, RunStatus

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
        hints=_hints(client),
    )


async def show_status(client: Client, console: Console, *, logs: Path, advice: str) -> None:
    """Show the farm until cancelled; `advice` says what to do while it has no phone."""
    if not console.is_terminal:
        await _tell_changes(client, console, advice=advice)
        return
    with Live(console=console, refresh_per_second=4, transient=True) as live:
        while True:
            outlook = await _look(client)
            live.update(render(client.base_url, outlook, logs=logs, advice=advice))
            await asyncio.sleep(_EVERY_S)


def render(url: str, outlook: Outlook | None, *, logs: Path, advice: str) -> Group:
    """The farm as a few lines."""
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim", justify="right")
    grid.add_column()
    grid.add_row("Corral", Text(url, style=f"bold link {url}"))
    if outlook is None:
        grid.add_row("server", Text("does not answer", style="yellow"))
    else:
        for name, text in _rows(outlook, advice=advice):
            grid.add_row(name, text)
    grid.add_row("logs", str(logs))
    return Group(grid, Text("Ctrl-C stops everything.", style="dim"))


def _rows(outlook: Outlook, *, advice: str) -> Iterator[tuple[str, Text]]:
    total, online = outlook.nodes
    yield "nodes", Text(f"{online} online" + (f", {total - online} silent" if total > online else ""))
    yield "devices", _devices(outlook.devices) if outlook.devices else Text(f"none yet: {advice}")
    yield "runs", Text("; ".join(outlook.runs) or "none going")
    for hint in outlook.hints:
        yield "!", Text(hint, style="yellow")


def _devices(states: dict[str, int]) -> Text:
    parts = [
        Text(f"{symbol_of(state)} {count} {state}", style=colour_of(state))
        for state, count in sorted(states.items(), reverse=True)
    ]
    return Text(" · ").join(parts)


def _hints(client: Client) -> tuple[str, ...]:
    """What a person should do about phones that cannot be used: the first few, and how many more there are."""
    found = [
        f"{device.label or device.serial}: {device.last_error_message or AUTHORIZE}"
        for device in client.devices.list()
        if device.connection == Connection.UNAUTHORIZED
    ]
    more = [f"and {len(found) - _MOST_HINTS} more; `corral devices` lists them"] if len(found) > _MOST_HINTS else []
    return (*found[:_MOST_HINTS], *more)


async def _look(client: Client) -> Outlook | None:
    try:
        return await asyncio.to_thread(look, client)
    except CorralError:
        return None


async def _tell_changes(client: Client, console: Console, *, advice: str) -> None:
    before: tuple[str, ...] = ()
    while True:
        outlook = await _look(client)
        told = (
            ("server: does not answer",)
            if outlook is None
            else tuple(f"{name}: {text}" for name, text in _rows(outlook, advice=advice))
        )
        for line in told:
            if line not in before:
                console.print(line)
        before = told
        await asyncio.sleep(_EVERY_S)
