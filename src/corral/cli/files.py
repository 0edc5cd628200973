"""`corral files`: what recipes install or copy to phones."""

import sys
from functools import partial
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TaskID, TextColumn, TransferSpeedColumn

from corral.cli.options import DEFAULT, Options
from corral.cli.output import age, look, make_console, make_table, print_page, print_table, size, text_or_dash
from corral.model.errors import InvalidRequestError

app = App(name="files", help="Push and list the files that recipes install or copy.", help_format="plaintext")


@app.command
def push(
    paths: Annotated[list[Path], Parameter(negative_iterable="")],
    /,
    *,
    name: str | None = None,
    options: Options = DEFAULT,
) -> None:
    """Upload files; recipes then say their names. What the server has already is not sent again.

    Parameters
    ----------
    paths
        The files.
    name
        What to call it, where there is one file; its own name by default.
    """
    if name is not None and len(paths) > 1:
        raise InvalidRequestError("one name cannot be that of several files", path="--name")
    for path in paths:
        if not path.is_file():
            raise InvalidRequestError(f"there is no file {path}", path=str(path))
    stored = []
    # The bar goes to standard error: standard output is for what was asked.
    bar = Progress(
        TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn(),
        console=Console(file=sys.stderr), transient=True, disable=not sys.stderr.isatty(),
    )  # fmt: skip
    with options.client() as client, bar:
        for path in paths:
            task = bar.add_task(path.name, total=path.stat().st_size)
            stored.append(client.files.upload(path, name=name, progress=partial(_advance, bar, task)))
    if options.json:
        print_page("files", stored)
        return
    for file in stored:
        make_console().print(look("ok", file.name), size(file.size_bytes), file.sha256, soft_wrap=True)


def _advance(bar: Progress, task: TaskID, sent: int, _size: int) -> None:
    bar.update(task, completed=sent)


@app.command(name="list")
def list_files(*, name: str | None = None, options: Options = DEFAULT) -> None:
    """List input files, newest first.

    Parameters
    ----------
    name
        Everything that this name meant.
    """
    with options.client() as client:
        found = list(client.files.list(name=name))
    if options.json:
        print_page("files", found)
        return
    table = make_table("file", "size", "type", "sha256", "newest", "created", "by", right=("size",))
    for each in found:
        table.add_row(
            each.name,
            size(each.size_bytes),
            text_or_dash(each.content_type),
            each.sha256[:12],
            "✓" if each.is_newest else "-",
            f"{age(each.created_at)} ago",
            text_or_dash(each.created_by),
        )
    print_table(table, nothing="no files")
