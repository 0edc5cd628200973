"""`corral workflow`: recipes."""

import sys
from pathlib import Path
from typing import Annotated

import yaml
from cyclopts import App, Parameter

from corral.cli.exit_status import REFUSED, SUCCEEDED
from corral.cli.frame import show as show_problem
from corral.cli.options import DEFAULT, Options
from corral.cli.output import age, look, make_console, make_table, print_json, print_page, print_table, text_or_dash
from corral.client import Client
from corral.model.errors import InvalidRequestError, Problem, RecipeInvalidError
from corral.model.records import Workflow
from corral.workflow import find_problems, installed_actions

app = App(name="workflow", help="Validate, push, list and show workflows.", help_format="plaintext")
Files = Annotated[list[Path], Parameter(negative_iterable="")]


@app.command
def validate(files: Files, /, *, json: Annotated[bool, Parameter(negative="")] = False) -> int:
    """Say all that is wrong with recipe files, and where. Needs no server.

    Parameters
    ----------
    files
        Recipes, YAML or JSON.
    json
        Print the problems as JSON.
    """
    actions = installed_actions()
    found = {path: find_problems(read_file(path), actions) for path in files}
    if json:
        print_json({"files": [{"file": str(path), "problems": _plain(problems)} for path, problems in found.items()]})
    else:
        console = make_console()
        for path, problems in found.items():
            for problem in problems:
                console.print(show_problem(str(path), read_file(path).decode("utf-8", "replace"), problem))
            if not problems:
                console.print(look("ok", str(path)))
    return REFUSED if any(found.values()) else SUCCEEDED


@app.command
def push(files: Files, /, *, options: Options = DEFAULT) -> None:
    """Store recipe files, each as the next version of its name; what did not change stays as it is.

    Parameters
    ----------
    files
        Recipes, YAML or JSON.
    """
    with options.client() as client:
        pushed = [push_file(client, path) for path in files]
    if options.json:
        print_page("workflows", pushed)
        return
    for workflow in pushed:
        make_console().print(look("ok", f"{workflow.name}@{workflow.version}"))


@app.command(name="list")
def list_workflows(*, options: Options = DEFAULT) -> None:
    """List the newest version of each workflow."""
    with options.client() as client:
        found = list(client.workflows.list())
    if options.json:
        print_page("workflows", found)
        return
    table = make_table("workflow", "version", "mode", "steps", "params", "created", "by", right=("version", "steps"))
    for each in found:
        names = ", ".join(each.recipe.get("params", {})) or "-"
        steps, created = str(len(each.recipe.get("steps", []))), f"{age(each.created_at)} ago"
        table.add_row(each.name, str(each.version), each.mode, steps, names, created, text_or_dash(each.created_by))
    print_table(table, nothing="no workflows: corral workflow push FILE stores one")


@app.command
def show(workflow: str, /, *, options: Options = DEFAULT) -> None:
    """Print a workflow's recipe, as YAML that can be pushed again.

    Parameters
    ----------
    workflow
        Its name, or name@version.
    """
    name, separator, version = workflow.partition("@")
    if separator and not (version.isascii() and version.isdecimal()):
        raise InvalidRequestError(f"'{workflow:.80}': a version is a number, as in {name}@3", path="workflow")
    with options.client() as client:
        found = client.workflows.get(name, int(version) if separator else None)
    if options.json:
        print_json(found)
    else:
        sys.stdout.write(yaml.safe_dump(found.recipe, sort_keys=False, allow_unicode=True, width=120))


def push_file(client: Client, path: Path) -> Workflow:
    """Store a recipe file. What is wrong with it is shown with its lines; then RecipeInvalidError is raised."""
    source = read_file(path)
    try:
        return client.workflows.push(source)
    except RecipeInvalidError as invalid:
        text = source.decode("utf-8", "replace")
        placed = [Problem("", show_problem(str(path), text, problem).plain) for problem in invalid.problems]
        raise RecipeInvalidError(placed, code=invalid.code) from invalid


def read_file(path: Path) -> bytes:
    """Raises InvalidRequestError."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise InvalidRequestError(f"cannot read {path}: {error.strerror}", path=str(path)) from error


def _plain(problems: list[Problem]) -> list[dict[str, str]]:
    return [{"path": problem.path, "message": problem.message} for problem in problems]
