"""The app: routes, their guard and the gate around them."""

import asyncio
import functools
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from typing import Any, Final, cast

from litestar import Litestar, Router
from litestar.di import Provide
from litestar.openapi.config import OpenAPIConfig
from litestar.types import Receive, Scope, Send

import corral
from corral.api.auth import guard
from corral.api.body import JsonRequest
from corral.api.coordinator import handlers as coordinator
from corral.api.coordinator.blanks import DropBlanks
from corral.api.coordinator.slashes import KeepSlashes
from corral.api.document import COMPONENTS, Document
from corral.api.doors import check_doors
from corral.api.gate import Gate
from corral.api.page import Page
from corral.api.pages import Pages, load_pages
from corral.api.problems import EXCEPTION_HANDLERS
from corral.api.routes import (
    actions,
    artifacts,
    audit,
    commands,
    content_channels,
    contents,
    dashboard,
    devices,
    files,
    health,
    node_tokens,
    nodes,
    operators,
    pictures,
    playbooks,
    presets,
    runs,
    scans,
    schedules,
    session,
    sessions,
    steps,
    tests,
    tunnels,
    webhooks,
    workflows,
)
from corral.api.server import Server
from corral.api.socket_reply import note_error
from corral.api.tunnels.peers import Peers, say_hello
from corral.config import ServerConfig
from corral.engine import Engine
from corral.engine.listen import Listener
from corral.storage import Storage, open_storage

# Who may call which is said in api/doors.py.
HANDLERS = [
    *actions.HANDLERS,
    *artifacts.HANDLERS,
    *audit.HANDLERS,
    *commands.HANDLERS,
    *content_channels.HANDLERS,
    *contents.HANDLERS,
    *coordinator.HANDLERS,
    *dashboard.HANDLERS,
    *devices.HANDLERS,
    *files.HANDLERS,
    *health.HANDLERS,
    *node_tokens.HANDLERS,
    *nodes.HANDLERS,
    *operators.HANDLERS,
    *pictures.HANDLERS,
    *playbooks.HANDLERS,
    *presets.HANDLERS,
    *runs.HANDLERS,
    *scans.HANDLERS,
    *schedules.HANDLERS,
    *session.HANDLERS,
    *sessions.HANDLERS,
    *steps.HANDLERS,
    *tests.HANDLERS,
    *tunnels.HANDLERS,
    *webhooks.HANDLERS,
    *workflows.HANDLERS,
]


_SERVER: Final = "corral_server"


class App(Gate):
    """The ASGI app of one server process."""

    def __init__(self, engine: Engine, config: ServerConfig, *, storage: Storage | None = None) -> None:
        self.server = Server(engine, config, storage or open_storage(config))
        self.litestar = _load_litestar(config.max_body_bytes)
        super().__init__(
            Pages(KeepSlashes(DropBlanks(self.litestar)), load_pages()),
            doorkeeper=self.server.doorkeeper,
            metrics=self.server.metrics,
            trusted_proxy=config.trusted_proxy,
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        cast("dict[str, Any]", scope)[_SERVER] = self.server
        await super().__call__(scope, receive, send)

    @asynccontextmanager
    async def running(self) -> AsyncIterator["App"]:
        """Listen and poll for the length of a block; at its end, let go of what waits."""
        engine, known, streams = self.server.engine, self.server.known, self.server.streams
        waiting, claims, tunnels = self.server.waiting, self.server.claims, self.server.tunnels

        def hear(names: Collection[str]) -> None:
            known.hear(names)
            waiting.wake(names)
            claims.wake(names)
            streams.hear(names)
            tunnels.hear(names)

        engine.announcements.subscribe(hear)
        listener = Listener(engine.database.dsn, sender=engine.announcements.sender, hear=hear)
        config = self.server.config
        async with Peers(tunnels, host=config.host, peer_host=config.peer_host).listening() as address:
            chores = (
                listener.run(),
                waiting.poll(),
                claims.poll(),
                known.look(),
                streams.run(),
                tunnels.watch(),
                say_hello(engine, tunnels.server_id, address),
            )
            tasks = [asyncio.create_task(each) for each in chores]
            try:
                yield self
            finally:
                self.server.let_go()
                for task in tasks:
                    task.cancel()
                await asyncio.wait(tasks)


def _find_server(scope: Scope) -> Server:
    server: Server = cast("dict[str, Any]", scope)[_SERVER]
    return server


@functools.cache
def _load_litestar(max_body_bytes: int) -> Litestar:
    """All routes, once for a process: whose they are is told by each request, because they take long to make."""
    litestar = Litestar(
        route_handlers=HANDLERS,
        guards=[guard],
        dependencies={"server": Provide(_find_server, sync_to_thread=False)},
        exception_handlers=EXCEPTION_HANDLERS,
        after_exception=[note_error],
        request_class=JsonRequest,
        request_max_body_size=max_body_bytes,
        openapi_config=OpenAPIConfig(
            title="Corral",
            version=corral.__version__,
            description="Workflows on fleets of Android devices.",
            components=COMPONENTS,
            use_handler_docstrings=True,
            openapi_router=Router(path="/schema", route_handlers=[], include_in_schema=False),
            render_plugins=[Document(), Page()],
        ),
        logging_config=None,
        debug=False,
    )
    check_doors(litestar.routes)
    return litestar
