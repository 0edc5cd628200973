"""`corral playbook`: ordered choices of command assets."""

from typing import Annotated

from cyclopts import App, Parameter
from rich.text import Text

from corral.cli import run as runs
from corral.cli.options import DEFAULT, Options
from corral.cli.output import age, look, make_console, make_table, print_json, print_page, print_table, text_or_dash
from corral.client import parse_target
from corral.model.records import Playbook

app = App(name="playbook", help="List, show and run playbooks.", help_format="plaintext")


@app.command(name="list")
def list_playbooks(*, options: Options = DEFAULT) -> None:
    """List the playbooks."""
    with options.client() as client:
        found = list(client.playbooks.list())
    if options.json:
        print_page("playbooks", found)
        return
    table = make_table("playbook", "steps", "workflow", "state", "updated", right=("steps",))
    for each in found:
        table.add_row(each.name, str(len(each.steps)), _workflow(each), _state(each), f"{age(each.updated_at)} ago")
    print_table(table, nothing="no playbooks")


@app.command
def show(playbook: str, /, *, options: Options = DEFAULT) -> None:
    """Show a playbook's steps, with their probabilities.

    Parameters
    ----------
    playbook
        Its name.
    """
    with options.client() as client:
        found = client.playbooks.find(playbook)
    if options.json:
        print_json(found)
        return
    console = make_console()
    console.print(f"{found.name}  {found.title or ''}".rstrip(), _workflow(found), _state(found))
    table = make_table("", "command", "probability", "timeout", "on failure", right=("", "probability", "timeout"))
    for position, step in enumerate(found.steps, start=1):
        probability, timeout = step.get("probability"), step.get("timeout_s")
        table.add_row(
            str(position),
            str(step.get("command", "")),
            "always" if probability in {None, 1} else f"{probability:.0%}",
            "-" if timeout is None else f"{timeout:g}s",
            text_or_dash(step.get("on_failure")),
        )
    console.print(table)


@app.command
def run(
    playbook: str,
    /,
    *,
    on: Annotated[list[str] | None, Parameter(negative_iterable="")] = None,
    seed: str | None = None,
    watch: Annotated[bool, Parameter(negative="")] = False,
    timeout: float | None = None,
    options: Options = DEFAULT,
) -> int:
    """Run the workflow version that a playbook was compiled to.

    Parameters
    ----------
    playbook
        Its name.
    on
        Which devices, as for `corral run`.
    seed
        What draws of probabilities depend on.
    watch
        Show the run until it has ended, and exit with its result.
    timeout
        How many seconds to watch at most; the run then goes on.
    """
    target = parse_target(*(on or ["all"]))
    with options.client() as client:
        found = client.playbooks.find(playbook)
        created = client.runs.create(found.name, version=found.workflow_version, target=target, seed=seed)
        return runs.follow(client, created, options, watch=watch, timeout_s=timeout)


def _workflow(playbook: Playbook) -> str:
    return f"{playbook.name}@{playbook.workflow_version}"


def _state(playbook: Playbook) -> Text:
    return look("suspect", "outdated: save it again") if playbook.is_outdated else look("ok", "current")
