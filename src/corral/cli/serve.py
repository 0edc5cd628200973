"""One server process: the app on granian, and its part in upkeep."""

import asyncio
import contextlib
from typing import Final

from granian.constants import HTTPModes, Interfaces
from granian.http import HTTP1Settings
from granian.server.embed import Server as Granian
from msgspec.structs import replace

from corral.api.app import App
from corral.cli.open_files import most_connections
from corral.cli.ports import claim_port
from corral.config import ServerConfig
from corral.engine import Engine
from corral.storage import open_storage
from corral.telemetry import logger
from corral.upkeep.lead import Upkeep, list_loops

_GOODBYE_S: Final = 10.0
_BACKLOG: Final = 1024
_log = logger(__name__)


async def serve(config: ServerConfig, stopping: asyncio.Event) -> None:
    """Serve until told to stop; then answer every open request, pulls that wait included, end every stream, and return."""
    dsn = config.database_url.reveal() if config.database_url is not None else ""
    async with Engine.connect(dsn, max_connections=config.database_connections) as engine:
        storage = open_storage(config)
        app = App(engine, config, storage=storage)
        upkeep = Upkeep(engine, loops=list_loops(config, storage))
        app.server.metrics.watch(waiting=lambda: len(app.server.waiting), leading=upkeep.is_leading.is_set)
        keeping = asyncio.create_task(upkeep.run())
        try:
            async with app.running():
                await _listen(app, config, stopping)
        finally:
            keeping.cancel()
            await asyncio.wait({keeping})


def settle_port(config: ServerConfig) -> ServerConfig:
    """The settings with a port that is free, chosen by the system if it is 0. Raises ConfigInvalidError.

    Processes of one server share their port, so that a second server on it would not be noticed without asking.
    """
    return replace(config, port=claim_port(config.host, config.port))


async def _listen(app: App, config: ServerConfig, stopping: asyncio.Event) -> None:
    granian = Granian(
        app,
        address=config.host,
        port=config.port,
        interface=Interfaces.ASGINL,
        http=HTTPModes.http1,
        websockets=True,
        backlog=_BACKLOG,
        # Nodes keep their connections open. One beyond this is not accepted until another ends; unless named, it is the backlog.
        backpressure=most_connections(),
        http1_settings=HTTP1Settings(header_read_timeout=30_000),
        log_enabled=False,
    )
    serving = asyncio.create_task(granian.serve())
    waiting = asyncio.create_task(stopping.wait())
    _log.info(f"serving on http://{_address(config)}")
    try:
        await asyncio.wait({serving, waiting}, return_when=asyncio.FIRST_COMPLETED)
        app.server.let_go()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(app.until_quiet(), _GOODBYE_S)
    finally:
        waiting.cancel()
        granian.stop()  # type: ignore[no-untyped-call]  # granian leaves it so
        await serving
        _log.info("stopped")


def _address(config: ServerConfig) -> str:
    return f"[{config.host}]:{config.port}" if ":" in config.host else f"{config.host}:{config.port}"
