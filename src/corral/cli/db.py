"""`corral db`: the operator's own tools on the database that the server's settings name. They use the engine directly."""

import asyncio
import os
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from corral.cli.database import load_database_config, open_engine
from corral.cli.exit_status import FAILED, SUCCEEDED
from corral.cli.output import look, make_console, print_json, size
from corral.config import ServerConfig
from corral.engine.backup import make_program, split_password
from corral.model.errors import InvalidRequestError

app = App(
    name="db",
    help="Migrate, inspect, back up and restore the database that the server's settings name.",
    help_format="plaintext",
)
Flag = Annotated[bool, Parameter(negative="")]


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Where:
    """Which database."""

    database_url: str | None = None
    """A PostgreSQL 15 or newer, instead of the embedded one; CORRAL_DATABASE_URL keeps its password out of sight."""
    data_dir: str | None = None
    """Where the embedded PostgreSQL keeps its data."""
    config: Path | None = None
    """A TOML file with a [server] table."""
    json: Flag = False
    """Print JSON."""

    def settings(self) -> ServerConfig:
        return load_database_config(
            os.environ, database_url=self.database_url, data_dir=self.data_dir, config=self.config
        )


HERE = Where()


@app.command
def migrate(*, where: Where = HERE) -> None:
    """Make the database, or bring it to this version's schema. Servers do that by themselves when they start."""
    settings = where.settings()

    async def work() -> list[str]:
        async with open_engine(settings, makes=True) as engine:
            return await engine.migrate()

    applied = asyncio.run(work())
    if where.json:
        print_json({"applied": applied})
        return
    console = make_console()
    for name in applied:
        console.print(look("ok", name))
    console.print("up to date" if not applied else f"{len(applied)} migrations applied")


@app.command
def status(*, where: Where = HERE) -> int:
    """Say which database it is, how large, and whether it is migrated; exit with 1 if not."""
    settings = where.settings()

    async def work() -> tuple[str, object, list[str]]:
        async with open_engine(settings) as engine:
            state = await engine.describe_database()
            return split_password(engine.database.dsn)[0], state, state.pending

    dsn, state, pending = asyncio.run(work())
    if where.json:
        print_json({"database": dsn, "state": state})
    else:
        console = make_console()
        console.print(f"database   {dsn}", soft_wrap=True)
        console.print(f"PostgreSQL {getattr(state, 'postgres', '')}, {size(getattr(state, 'size_bytes', None))}")
        console.print(
            "schema    ",
            look("ok", "up to date")
            if not pending
            else look("failed", f"lacks {len(pending)}: {', '.join(pending)}; corral db migrate"),
        )
    return FAILED if pending else SUCCEEDED


@app.command
def shell(
    arguments: Annotated[list[str] | None, Parameter(allow_leading_hyphen=True, negative_iterable="")] = None,
    /,
    *,
    where: Where = HERE,
) -> int:
    """Open psql on the database.

    Parameters
    ----------
    arguments
        What psql is to be told besides, behind --: corral db shell -- -c "select 1".
    """
    settings = where.settings()

    async def work() -> int:
        async with open_engine(settings) as engine:
            program = make_program("psql", engine.database.dsn, *(arguments or []))
            return await asyncio.to_thread(_run_here, program.arguments, program.environment)

    return asyncio.run(work())


@app.command
def backup(file: Path, /, *, force: Flag = False, where: Where = HERE) -> None:
    """Write a consistent copy of the database, while work goes on.

    Artifacts and input files are not in it: copy the objects directory (or keep the bucket) as well, after the backup.

    Parameters
    ----------
    file
        Where to write it; in pg_dump's custom format.
    force
        Overwrite the file.
    """
    settings = where.settings()
    if file.exists() and not force:
        raise InvalidRequestError(f"{file} exists already: give another name, or --force", path=str(file))
    if not file.absolute().parent.is_dir():
        raise InvalidRequestError(f"there is no directory {file.absolute().parent}", path=str(file))

    async def work() -> None:
        async with open_engine(settings) as engine:
            await engine.check_migrated()
            await engine.backup_database(file)

    asyncio.run(work())
    size_bytes = file.stat().st_size
    if where.json:
        print_json({"file": str(file), "size_bytes": size_bytes})
        return
    console = make_console()
    console.print(look("ok", str(file)), size(size_bytes), soft_wrap=True)
    console.print(_note_on_objects(settings), style="dim", soft_wrap=True)


@app.command
def restore(file: Path, /, *, replace: Flag = False, where: Where = HERE) -> None:
    """Bring back a copy, all of it or nothing, and migrate it. Stop the server first.

    Parameters
    ----------
    file
        What `corral db backup` wrote.
    replace
        Replace the farm that this database holds.
    """
    settings = where.settings()

    async def work() -> list[str]:
        async with open_engine(settings, makes=True) as engine:
            return await engine.restore_database(file, replaces=replace)

    applied = asyncio.run(work())
    if where.json:
        print_json({"file": str(file), "applied": applied})
        return
    make_console().print(
        look("ok", f"restored {file}"), f"{len(applied)} migrations applied" if applied else "", soft_wrap=True
    )


def _run_here(arguments: list[str], environment: dict[str, str]) -> int:
    """A program with our terminal. An interrupt is its to answer, not ours."""
    is_main = False
    try:
        previous = signal.signal(signal.SIGINT, signal.SIG_IGN)
        is_main = True
    except ValueError:  # not the main thread
        previous = None
    try:
        return subprocess.run(arguments, env=environment, check=False).returncode  # noqa: S603 - PostgreSQL's own, no shell
    finally:
        if is_main:
            signal.signal(signal.SIGINT, previous)


def _note_on_objects(settings: ServerConfig) -> str:
    if settings.storage_url is not None:
        return "artifacts and input files are in the store that storage_url names: keep it as it is"
    return f"artifacts and input files are not in it: copy {settings.data_path / 'objects'} as well"
