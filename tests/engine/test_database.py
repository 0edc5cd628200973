"""The door to PostgreSQL: errors in our words, and coming back after it was away."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from corral.engine import Engine
from corral.engine.embedded import EmbeddedPostgres
from corral.model.errors import DatabaseNotReadyError, DatabaseUnavailableError, InvalidRequestError
from tests.engine.farm import Farm


async def test_nobody_answering_is_said_plainly() -> None:
    with pytest.raises(DatabaseUnavailableError, match="does not answer"):
        async with Engine.connect("postgresql://corral@127.0.0.1:1/corral"):
            pass


@pytest.fixture
def short_path() -> Iterator[Path]:
    """A path in which a socket keeps its place: where a path is too long for one, each start finds it another."""
    with tempfile.TemporaryDirectory(prefix="corral-") as path:
        Path(path).chmod(0o755)
        yield Path(path)


async def test_an_engine_comes_back_after_postgresql_was_restarted(short_path: Path) -> None:
    server = EmbeddedPostgres(short_path / "data", durable=False)
    await server.start()
    try:
        async with Engine.connect(server.dsn, max_connections=3) as engine:
            await engine.migrate()
            await engine.nodes.register_node("node-1")

            await server.stop()
            with pytest.raises(DatabaseUnavailableError):
                await engine.nodes.list()
            await server.start()

            assert [node.node_id for node in await engine.nodes.list()] == ["node-1"]
    finally:
        await server.stop()


async def test_a_database_that_was_never_migrated_is_not_ready(empty_dsn: str) -> None:
    async with Engine.connect(empty_dsn) as engine:
        with pytest.raises(DatabaseNotReadyError, match="0001_farm"):
            await engine.check_migrated()
        await engine.migrate()
        await engine.check_migrated()


async def test_a_value_that_the_database_refuses_is_an_invalid_request(farm: Farm) -> None:
    with pytest.raises(InvalidRequestError):
        await farm.engine.nodes.register_node("node-1", max_concurrency=-1)
    with pytest.raises(InvalidRequestError) as caught:
        await farm.engine.nodes.register_node("no spaces please")
    assert caught.value.path == "node_id"


async def test_a_nul_character_in_an_event_is_dropped_rather_than_losing_the_event(farm: Farm) -> None:
    node, grant = await farm.given_leased_job()

    (result,) = await node.finish(grant, outcome="failed", failure_reason="action_failed", error_message="a\0b")

    assert result.outcome == "applied"
    assert (await farm.job(grant)).error_message == "ab"
