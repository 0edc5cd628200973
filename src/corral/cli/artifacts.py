"""`corral artifacts`: what the jobs of a run brought."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Final, Literal

from cyclopts import App, Parameter

from corral.cli.options import DEFAULT, Options
from corral.cli.output import age, make_console, make_table, print_page, print_table, size, text_or_dash
from corral.cli.refs import find_run
from corral.client import Client
from corral.model.errors import InvalidRequestError, NotFoundError
from corral.model.records import Artifact

app = App(name="artifacts", help="List or fetch the screenshots, logs and files of a run.", help_format="plaintext")
Kind = Literal["screenshot", "log", "file"]
_UNFIT: Final = re.compile(r"[^A-Za-z0-9._@-]")


@app.command(name="list")
def list_artifacts(
    run: str = "last",
    /,
    *,
    device: str | None = None,
    kind: Kind | None = None,
    options: Options = DEFAULT,
) -> None:
    """List the artifacts of a run, newest first.

    Parameters
    ----------
    run
        The run's id, the beginning of it, or last.
    device
        Only this device's: its number, serial or id.
    kind
        Only screenshots, logs or files.
    """
    with options.client() as client:
        found = list(_find(client, run, device=device, kind=kind))
    if options.json:
        print_page("artifacts", found)
        return
    table = make_table(
        "artifact",
        "device",
        "serial",
        "kind",
        "step",
        "attempt",
        "size",
        "created",
        right=("device", "attempt", "size"),
    )
    for each in found:
        table.add_row(
            str(each.artifact_id),
            text_or_dash(each.index_no),
            text_or_dash(each.serial),
            each.kind,
            text_or_dash(each.step),
            str(each.attempt),
            size(each.size_bytes) if each.is_stored else "not stored",
            f"{age(each.created_at)} ago",
        )
    print_table(table, nothing="no artifacts")


@app.command
def get(
    run: str = "last",
    /,
    *,
    device: str | None = None,
    kind: Kind | None = None,
    output: Annotated[Path | None, Parameter(name=["--output", "-o"])] = None,
    options: Options = DEFAULT,
) -> None:
    """Fetch the artifacts of a run into a directory: DEVICE-SERIAL/NAME in it. What is there already is not fetched again.

    Parameters
    ----------
    run
        The run's id, the beginning of it, or last.
    device
        Only this device's: its number, serial or id.
    kind
        Only screenshots, logs or files.
    output
        The directory; artifacts-RUN by default.
    """
    with options.client() as client:
        run_id = find_run(client, run)
        directory = output or Path(f"artifacts-{run_id}")
        if directory.exists() and not directory.is_dir():
            raise InvalidRequestError(f"{directory} is not a directory", path="--output")
        found = [each for each in _find(client, str(run_id), device=device, kind=kind) if each.is_stored]
        if not found:
            raise NotFoundError(f"run {run_id} has no such artifacts", path="run")
        console = make_console()
        for each in found:
            path = place(directory, each)
            if not path.exists():
                client.artifacts.download(each, path)
            if not options.json:
                console.print(str(path), soft_wrap=True)
    if options.json:
        print_page("artifacts", found)


def place(directory: Path, artifact: Artifact) -> Path:
    """Where an artifact goes: of names that others chose, only letters that are safe in a path are kept."""
    serial = _UNFIT.sub("_", artifact.serial or "run").strip(".") or "_"
    owner = serial if artifact.index_no is None else f"{artifact.index_no:04d}-{serial}"
    name = _UNFIT.sub("_", artifact.key.rpartition("/")[2]).strip(".") or str(artifact.artifact_id)
    return directory / owner / name


def _find(client: Client, run: str, *, device: str | None, kind: str | None) -> Iterator[Artifact]:
    device_id = None if device is None else client.devices.find(device).device_id
    return client.artifacts.list(run_id=find_run(client, run), device_id=device_id, kind=kind)
