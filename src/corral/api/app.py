"""The app: routes, guards and the gate around them."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from litestar import Litestar, Router
from litestar.di import Provide
from litestar.openapi.config import OpenAPIConfig

import corral
from corral.api.auth import Doorkeeper, nodes_and_operators, nodes_only, operators_only
from corral.api.document import COMPONENTS, Document
from corral.api.gate import Gate
from corral.api.page import Page
from corral.api.problems import EXCEPTION_HANDLERS
from corral.api.routes import (
    artifacts,
    commands,
    dashboard,
    devices,
    files,
    health,
    nodes,
    playbooks,
    runs,
    scans,
    workflows,
)
from corral.api.server import Server
from corral.config import ServerConfig
from corral.engine import Engine
from corral.engine.listen import Listener
from corral.storage import Storage, open_storage

PUBLIC = Router(path="/", route_handlers=health.PUBLIC)
FOR_NODES = Router(path="/api/nodes", guards=[nodes_only], route_handlers=nodes.FOR_NODES)
FOR_BOTH = Router(path="/api/nodes", guards=[nodes_and_operators], route_handlers=nodes.FOR_BOTH)
STORED_BY_NODES = Router(path="/", guards=[nodes_only], route_handlers=artifacts.FOR_NODES)
FILES = Router(path="/", route_handlers=files.GUARDED)
FOR_OPERATORS = Router(
    path="/",
    guards=[operators_only],
    route_handlers=[
        *health.FOR_OPERATORS,
        *nodes.FOR_OPERATORS,
        *artifacts.FOR_OPERATORS,
        *commands.HANDLERS,
        *dashboard.HANDLERS,
        *devices.HANDLERS,
        *files.FOR_OPERATORS,
        *playbooks.HANDLERS,
        *runs.HANDLERS,
        *scans.HANDLERS,
        *workflows.HANDLERS,
    ],
)


class App(Gate):
    """The ASGI app of one server process."""

    def __init__(self, engine: Engine, config: ServerConfig, *, storage: Storage | None = None) -> None:
        self.server = Server(engine, config, storage or open_storage(config))
        self.litestar = _create_litestar(self.server)
        super().__init__(self.litestar, doorkeeper=Doorkeeper(config), metrics=self.server.metrics)

    @asynccontextmanager
    async def running(self) -> AsyncIterator["App"]:
        """Listen and poll for the length of a block; at its end, let go of what waits."""
        engine, waiting = self.server.engine, self.server.waiting
        engine.announcements.subscribe(waiting.wake)
        listener = Listener(engine.database.dsn, sender=engine.announcements.sender, hear=waiting.wake)
        tasks = [asyncio.create_task(listener.run()), asyncio.create_task(waiting.poll())]
        try:
            yield self
        finally:
            waiting.close()
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)


def _create_litestar(server: Server) -> Litestar:
    return Litestar(
        route_handlers=[PUBLIC, FOR_NODES, FOR_BOTH, STORED_BY_NODES, FILES, FOR_OPERATORS],
        dependencies={"server": Provide(lambda: server, sync_to_thread=False)},
        exception_handlers=EXCEPTION_HANDLERS,
        request_max_body_size=server.config.max_body_bytes,
        openapi_config=OpenAPIConfig(
            title="Corral",
            version=corral.__version__,
            description="Workflows on fleets of Android devices.",
            components=COMPONENTS,
            use_handler_docstrings=True,
            openapi_router=Router(path="/schema", guards=[operators_only], route_handlers=[], include_in_schema=False),
            render_plugins=[Document(), Page()],
        ),
        logging_config=None,
        debug=False,
    )
