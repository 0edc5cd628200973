"""The ASGI app on a real PostgreSQL, a database per test."""

import io
import logging
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any, cast

import httpx
import pytest
import pytest_asyncio
import structlog
from msgspec.structs import replace

from corral.api.app import App
from corral.config import Secret, ServerConfig
from corral.engine.embedded import find_binaries
from corral.telemetry import configure_logs
from tests.api.client import NODE_SECRET, OPERATOR_TOKEN, Node, Operator
from tests.engine.conftest import farm, farm_dsn, kept_database
from tests.postgres import KeptDatabase, Server, Servers
from tests.storage.conftest import bucket, s3_endpoint

__all__ = ["bucket", "farm", "farm_dsn", "kept_database", "s3_endpoint"]

CONFIG = ServerConfig(node_secret=Secret(NODE_SECRET), operator_token=Secret(OPERATOR_TOKEN), max_body_bytes=64 * 1024)

Serving = Callable[..., AbstractAsyncContextManager[httpx.AsyncClient]]


@pytest_asyncio.fixture(scope="session")
async def cluster(servers: Servers) -> Server:
    """One PostgreSQL: that the engine is the same on all of them is for its own tests."""
    return await servers.find(find_binaries())


@pytest.fixture
def short_path() -> Iterator[Path]:
    """A path in which a socket keeps its place: where a path is too long for one, each start finds it another."""
    with tempfile.TemporaryDirectory(prefix="corral-") as path:
        Path(path).chmod(0o755)
        yield Path(path)


@pytest.fixture
def serving(kept_database: KeptDatabase, tmp_path: Path) -> Serving:
    """Serves an app of its own engine on the test's database and data directory, as often as asked."""

    @asynccontextmanager
    async def serve(config: ServerConfig = CONFIG) -> AsyncIterator[httpx.AsyncClient]:
        config = config if config.data_dir else replace(config, data_dir=str(tmp_path / "data"))
        async with kept_database.engine() as engine, App(engine, config).running() as app:
            transport = httpx.ASGITransport(cast("Any", app), client=("127.0.0.1", 50000))
            async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8080", timeout=60) as http:
                yield http

    return serve


@pytest_asyncio.fixture
async def http(serving: Serving) -> AsyncIterator[httpx.AsyncClient]:
    """A caller without credentials, of an app that asks for them."""
    async with serving() as client:
        yield client


@pytest.fixture
def operator(http: httpx.AsyncClient) -> Operator:
    return Operator(http)


@pytest.fixture
def node(http: httpx.AsyncClient) -> Node:
    return Node(http)


@pytest.fixture
def lines() -> Iterator[io.StringIO]:
    """What the server logs, as JSON lines."""
    root = logging.getLogger()
    handlers, level = root.handlers, root.level
    stream = io.StringIO()
    configure_logs(stream=stream, log_format="json", level="debug")
    yield stream
    root.handlers, root.level = handlers, level
    structlog.reset_defaults()
