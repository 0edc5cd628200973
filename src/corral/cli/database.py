"""The database that the server's settings name, for the server itself and for the operator's local tools."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from corral.config import ServerConfig, load_server_config
from corral.engine import Engine
from corral.engine.embedded import EmbeddedPostgres
from corral.model.errors import NotFoundError


@asynccontextmanager
async def open_database(config: ServerConfig) -> AsyncIterator[str]:
    """The URL of a PostgreSQL that answers: the one that is named, or the embedded one, started or joined."""
    if config.database_url is not None:
        yield config.database_url.reveal()
    elif config.ephemeral:
        async with EmbeddedPostgres.ephemeral() as postgres:
            yield postgres.dsn
    else:
        async with EmbeddedPostgres.open(config.data_path / "postgres") as postgres:
            yield postgres.dsn


@asynccontextmanager
async def open_engine(config: ServerConfig, *, makes: bool = False) -> AsyncIterator[Engine]:
    """An engine on it, beside a server or without one. Raises NotFoundError where it would have to be made first."""
    if not makes and config.database_url is None and not (config.data_path / "postgres").exists():
        message = f"there is no database in {config.data_path / 'postgres'} yet: `corral db migrate` makes one"
        raise NotFoundError(message, path="data_dir")
    async with open_database(config) as dsn, Engine.connect(dsn, max_connections=2) as engine:
        yield engine


def load_database_config(
    environ: Mapping[str, str], *, database_url: str | None, data_dir: str | None, config: Path | None
) -> ServerConfig:
    """The server's settings, of which only those of the database matter here. Raises ConfigInvalidError."""
    flags: dict[str, Any] = {"database_url": database_url, "data_dir": data_dir, "ephemeral": False}
    return load_server_config(flags, environ, file=config)
