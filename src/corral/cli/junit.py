"""`--junit`: the results of a run's tests in a file, for build servers."""

from pathlib import Path
from uuid import UUID

from corral.client import Client
from corral.model.errors import InvalidRequestError


def check_place(file: Path | None) -> None:
    """Raises InvalidRequestError where no file could be written: better before the run than after it."""
    if file is None:
        return
    if file.is_dir():
        raise InvalidRequestError(f"{file} is a directory", path="--junit")
    if not file.parent.is_dir():
        raise InvalidRequestError(f"there is no directory {file.parent}", path="--junit")


def write_junit(client: Client, run_id: UUID, file: Path | None) -> None:
    """Write the file, where one is asked for; it appears whole or not at all. Raises InvalidRequestError."""
    if file is None:
        return
    content = client.runs.junit(run_id)
    part = file.with_name(f".{file.name}.part")
    try:
        part.write_bytes(content)
        part.replace(file)
    except OSError as error:
        raise InvalidRequestError(f"cannot write {file}: {error.strerror}", path="--junit") from error
