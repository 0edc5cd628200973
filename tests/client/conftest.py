"""The client against a server that is a process of its own, with nodes played by hand."""

from collections.abc import Iterator

import pytest

from corral.client import Client
from tests.api.client import OPERATOR_TOKEN
from tests.api.process import ServerProcess
from tests.cli.conftest import cluster, farm, farm_dsn, http, kept_database, node, server

__all__ = ["cluster", "farm", "farm_dsn", "http", "kept_database", "node", "server"]


@pytest.fixture
def client(server: ServerProcess) -> Iterator[Client]:
    with Client(server.url, token=OPERATOR_TOKEN, timeout_s=30) as made:
        yield made
