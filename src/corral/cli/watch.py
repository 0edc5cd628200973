"""A run as it happens: a bar of states and failures as they come on a terminal, plain lines elsewhere."""

import sys
from collections.abc import Callable, Iterator
from typing import Final

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from corral.cli.output import colour_of, duration, look, make_console, make_table, short, symbol_of, text_or_dash
from corral.client import Client
from corral.model.errors import WaitTimeoutError
from corral.wire.views import Counts, Monitor, Tile

ORDER: Final = ("done", "error", "cancelled", "offline", "running", "waiting")
_BAR: Final = {"done": "█", "error": "▓", "cancelled": "▒", "offline": "░", "running": "▬", "waiting": "·"}
_TROUBLE: Final = frozenset({"error", "offline"})
_MOST_ROWS: Final = 20
_NARROWEST, _WIDEST = 20, 60


def watch(
    client: Client, run_id: object, *, timeout_s: float | None = None, is_stopped: Callable[[], bool] = lambda: False
) -> Monitor:
    """Show a run until it has ended or watching should stop, and return its last view.

    Interrupted, it says that the run goes on.
    """
    views = client.runs.watch(str(run_id), timeout_s=timeout_s, is_stopped=is_stopped)
    try:
        return _watch_live(views) if sys.stdout.isatty() else _watch_lines(views)
    except (KeyboardInterrupt, WaitTimeoutError) as error:
        if isinstance(error, KeyboardInterrupt):
            word = f"corral: stopped watching; the run goes on: corral run show {short(run_id)}, or corral run cancel"
            print(f"{word} {short(run_id)}", file=sys.stderr)  # noqa: T201 - the command line talks
        raise


def _watch_live(views: Iterator[Monitor]) -> Monitor:
    console = make_console()
    told: set[tuple[int, int]] = set()
    with Live(console=console, refresh_per_second=8, transient=True) as live:
        for view in views:
            for tile in _news(view, told):
                console.print(say_trouble(tile))
            live.update(render_progress(view, width=console.width))
    print_summary(view, console)
    return view


def _watch_lines(views: Iterator[Monitor]) -> Monitor:
    console = make_console()
    told: set[tuple[int, int]] = set()
    last: Counts | None = None
    for view in views:
        for tile in _news(view, told):
            console.print(say_trouble(tile))
        if view.run.counts != last:
            last = view.run.counts
            console.print(f"{view.server_time:%H:%M:%S} {say_counts(view.run.counts)}")
    print_summary(view, console)
    return view


def render_progress(view: Monitor, *, width: int) -> Group:
    """Two lines: whose progress, and the bar with its counts."""
    run = view.run
    head = Text.assemble((run.name, "bold"), f"  {short(run.run_id)}  ", look(run.status), f"  {spent_on(view)}")
    return Group(head, render_counts(view, width=width))


def spent_on(view: Monitor) -> str:
    """How long a run has been going, or took."""
    run = view.run
    return duration((run.finished_at or view.server_time) - (run.started_at or run.created_at))


def render_counts(view: Monitor, *, width: int) -> Text:
    """The bar, how many devices have ended, and how."""
    run = view.run
    ended = run.counts.total - run.counts.waiting - run.counts.running
    bar = render_bar(run.counts, width=max(_NARROWEST, min(_WIDEST, width - 40)))
    bar.append(f" {ended}/{run.counts.total}  ")
    return bar.append_text(_legend(run.counts))


def render_bar(counts: Counts, *, width: int) -> Text:
    """The states of a run's devices, each in its share of the width, and none that is there left out."""
    amounts = {state: getattr(counts, state) for state in ORDER if getattr(counts, state)}
    bar = Text()
    if not amounts:
        return bar.append("·" * width, style=colour_of("waiting"))
    widths = {state: max(1, amount * width // counts.total) for state, amount in amounts.items()}
    widest = max(widths, key=lambda state: widths[state])
    widths[widest] = max(1, widths[widest] + width - sum(widths.values()))
    for state, columns in widths.items():
        bar.append(_BAR[state] * columns, style=colour_of(state))
    return bar


def tabulate_counts(counts: Counts) -> Table:
    """How many devices ended how: a row for each state that occurs, and the total."""
    table = make_table("state", "devices", "share", right=("devices", "share"))
    for state in ORDER:
        if amount := getattr(counts, state):
            table.add_row(look(state), str(amount), f"{100 * amount / counts.total:.1f} %")
    table.add_row("total", str(counts.total), "")
    return table


def say_counts(counts: Counts) -> str:
    """The counts in a line, for a log."""
    words = [f"{getattr(counts, state)} {state}" for state in ORDER if getattr(counts, state)]
    return ", ".join(words) + f" of {counts.total}" if words else "no device yet"


def say_trouble(tile: Tile) -> Text:
    """One device that did not make it, in a line."""
    where = f"{tile.index} {tile.serial} on {tile.node_id}"
    step = f" at {tile.progress.step}" if tile.progress.step and tile.activity == "error" else ""
    reason = f": {tile.last_error_message}" if tile.last_error_message else ""
    return Text(
        f"{symbol_of(tile.activity)} device {where} {tile.activity}{step}{reason}", style=colour_of(tile.activity)
    )


def print_summary(view: Monitor, console: Console) -> None:
    """How a run ended: a line, and a table of the devices that did not make it."""
    run = view.run
    trouble = [tile for tile in view.heatmap.items if tile.activity in _TROUBLE]
    if trouble:
        console.print(_trouble_table(trouble))
        if len(trouble) > _MOST_ROWS:
            console.print(f"… and {len(trouble) - _MOST_ROWS} more: corral run show {short(run.run_id)}", style="dim")
    told = f"  {run.name}  {short(run.run_id)}  {say_counts(run.counts)}  in {spent_on(view)}"
    line = Text.assemble(look(run.status), told)
    console.print(line)
    if run.last_error_message and not trouble:
        console.print(run.last_error_message, style=colour_of("error"))


def _trouble_table(trouble: list[Tile]) -> Table:
    table = make_table("device", "serial", "node", "state", "step", "error", right=("device",))
    for tile in trouble[:_MOST_ROWS]:
        table.add_row(
            str(tile.index),
            tile.serial,
            tile.node_id,
            look(tile.activity),
            text_or_dash(tile.progress.step),
            text_or_dash(tile.last_error_message),
        )
    return table


def _legend(counts: Counts) -> Text:
    legend = Text()
    for state in ORDER:
        if amount := getattr(counts, state):
            legend.append(f"{symbol_of(state)}{amount} ", style=colour_of(state))
    return legend


def _news(view: Monitor, told: set[tuple[int, int]]) -> Iterator[Tile]:
    """Devices whose job ended badly since the last look."""
    for tile in view.heatmap.items:
        if tile.activity in _TROUBLE and (tile.index, tile.attempt) not in told:
            told.add((tile.index, tile.attempt))
            yield tile
