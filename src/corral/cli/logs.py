"""`corral logs`."""

import sys
from typing import Annotated

import msgspec
from cyclopts import Parameter
from rich.text import Text

from corral.cli.options import DEFAULT, Options
from corral.cli.output import colour_of, make_console, text_or_dash
from corral.cli.refs import find_run
from corral.model.records import RunLogLine


def logs(
    run: str = "last",
    /,
    *,
    device: Annotated[str | None, Parameter(name=["--device", "-d"])] = None,
    follow: Annotated[bool, Parameter(name=["--follow", "-f"], negative="")] = False,
    options: Options = DEFAULT,
) -> None:
    """Print the log of a run, oldest line first; with --json, a JSON object in each line.

    Parameters
    ----------
    run
        The run's id, the beginning of it, or last.
    device
        Only this device's lines: its number or serial.
    follow
        Go on with what comes, until the run has ended.
    """
    console = make_console()
    with options.client() as client:
        run_id = find_run(client, run)
        for line in client.runs.logs(run_id, device=device, follow=follow):
            if options.json:
                sys.stdout.write(msgspec.json.encode(line).decode() + "\n")
                sys.stdout.flush()
            else:
                console.print(render_line(line), soft_wrap=True)


def render_line(line: RunLogLine) -> Text:
    """Time, device, step and message; trouble in colour."""
    styles = {"error": colour_of("error"), "warning": colour_of("suspect"), "debug": "dim"}
    text = Text(f"{line.at.astimezone():%H:%M:%S} ", style="dim")
    text.append(f"{text_or_dash(line.index_no):>4} ", style="bold")
    text.append(f"{line.level:<7} {text_or_dash(line.step)}: {line.message}", style=styles.get(line.level, ""))
    return text
