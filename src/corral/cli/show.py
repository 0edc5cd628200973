"""A run as `corral run show` prints it."""

from rich.console import Console
from rich.text import Text

from corral.cli.heatmap import render_legend, render_tiles
from corral.cli.output import age, colour_of, look, make_table, short, text_or_dash
from corral.cli.watch import ORDER, print_summary, render_counts, spent_on
from corral.wire.views import LogLine, Monitor, MonitoredStep, Selected


def print_run(view: Monitor, console: Console, *, device: str | None) -> None:
    """The run, and its devices as a heatmap; or, of one device, the steps."""
    run = view.run
    told = f"  {run.workflow.name}@{run.workflow.version}  {run.run_id}  {age(run.created_at)} ago  "
    console.print(Text.assemble((run.name, "bold"), told, look(run.status), f"  {spent_on(view)}"))
    if device is not None:
        print_device(view.selected, console, device=device)
        return
    if run.status.is_terminal:
        print_summary(view, console)
    else:
        console.print(render_counts(view, width=console.width))
    tiles = {tile.index: str(tile.activity) for tile in view.heatmap.items}
    if tiles:
        console.print(render_tiles(tiles, width=console.width))
        counts = {state: getattr(run.counts, state) for state in ORDER}
        console.print(render_legend(ORDER, counts))
    elif view.selected.steps:
        _print_steps(view.selected.steps, console)
    _print_logs(view.logs_tail[-5:], console)
    if view.last_artifacts:
        console.print(
            f"{len(view.last_artifacts)} artifacts lately: corral artifacts list {short(run.run_id)}", style="dim"
        )


def print_device(selected: Selected, console: Console, *, device: str) -> None:
    """One device's part in a run: its steps and its log."""
    if not selected.index:
        console.print(f"device {device} is not part of this run", style=colour_of("error"))
        return
    _print_steps(selected.steps, console)
    _print_logs(selected.logs_tail[-10:], console)


def _print_steps(steps: list[MonitoredStep], console: Console) -> None:
    """The steps of one device, or of a distributed run."""
    table = make_table("step", "action", "state", "attempt", "took", "error", right=("attempt", "took"))
    for step in steps:
        took = age(step.started_at, now=step.finished_at) if step.started_at and step.finished_at else "-"
        reason = step.error_message or step.skip_cause
        table.add_row(
            step.step, text_or_dash(step.action), look(step.status), str(step.attempt), took, text_or_dash(reason)
        )
    console.print(table)


def _print_logs(lines: list[LogLine], console: Console) -> None:
    for line in lines:
        number = "" if line.index is None else f"{line.index:>4} "
        style = {"error": colour_of("error"), "warning": colour_of("suspect")}.get(line.level, "dim")
        console.print(Text(f"{line.at:%H:%M:%S} {number}{text_or_dash(line.step)}: {line.message}", style=style))
