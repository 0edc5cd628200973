"""`corral server`: the farm's HTTP API, on an embedded PostgreSQL or on one that is named."""

import asyncio
import os
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from msgspec.structs import replace

from corral.cli.database import open_database
from corral.cli.serve import serve, settle_port
from corral.cli.until_stopped import run_until_stopped
from corral.cli.workers import supervise
from corral.config import Secret, ServerConfig, load_server_config
from corral.engine import Engine
from corral.storage import open_storage
from corral.telemetry import configure_logs, logger

_log = logger(__name__)


def server(
    *,
    host: str | None = None,
    port: int | None = None,
    workers: int | None = None,
    database_url: str | None = None,
    data_dir: str | None = None,
    storage_url: str | None = None,
    ephemeral: Annotated[bool | None, Parameter(negative="")] = None,
    log_format: str | None = None,
    log_level: str | None = None,
    config: Path | None = None,
) -> None:
    """Serve the farm's HTTP API.

    Every flag can also be set in the environment or in a TOML file; secrets only there.

    Parameters
    ----------
    host
        The address to listen on. Any but a loopback address needs both secrets.
    port
        The port to listen on.
    workers
        How many processes serve.
    database_url
        A PostgreSQL 15 or newer, instead of the embedded one.
    data_dir
        Where the embedded PostgreSQL, uploads under way and, unless another store is named, artifacts are kept.
    storage_url
        Where artifacts and input files are kept: a directory, or s3://bucket/prefix?endpoint=…&region=….
    ephemeral
        Keep everything in a temporary directory, which is gone at the end.
    log_format
        text or json.
    log_level
        debug, info, warning or error.
    config
        A TOML file with a [server] table.
    """
    flags = {
        "host": host,
        "port": port,
        "workers": workers,
        "database_url": database_url,
        "data_dir": data_dir,
        "storage_url": storage_url,
        "ephemeral": ephemeral,
        "log_format": log_format,
        "log_level": log_level,
    }
    settings = load_server_config(flags, os.environ, file=config)
    configure_logs(log_format=settings.log_format, level=settings.log_level, secrets=settings.secrets)
    run_until_stopped(lambda stopping: run_server(settings, stopping))


async def run_server(told: ServerConfig, stopping: asyncio.Event) -> None:
    """Bring up the database and the store, migrate, and serve until told to stop."""
    async with _data_dir(told) as config, open_database(config) as dsn:
        await open_storage(config).check()
        async with Engine.connect(dsn, max_connections=1) as engine:
            for name in await engine.migrate():
                _log.info("migrated", migration=name)
        settled = settle_port(replace(config, database_url=Secret(dsn), ephemeral=False))
        if config.workers > 1:
            await supervise(settled, stopping)
        else:
            await serve(settled, stopping)


@asynccontextmanager
async def _data_dir(config: ServerConfig) -> AsyncIterator[ServerConfig]:
    """The settings with a data directory, which of an ephemeral server is a temporary one and gone at the end."""
    if not config.ephemeral:
        yield config
        return
    with tempfile.TemporaryDirectory(prefix="corral-", ignore_cleanup_errors=True) as path:
        yield replace(config, data_dir=path)
