"""`corral db` and `corral doctor --invariants`: the operator's tools on the database itself."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import asyncpg
import httpx
import pytest

from corral.engine.backup import split_password
from tests.api.client import AS_NODE, OPERATOR_TOKEN, Node
from tests.api.process import running
from tests.cli.conftest import Cli, finish
from tests.postgres import Server, with_database

Databases = Callable[[str], AbstractAsyncContextManager[str]]


@pytest.fixture
def databases(cluster: Server) -> Databases:
    """Makes an empty database beside the test's own."""

    @asynccontextmanager
    async def make(name: str) -> AsyncIterator[str]:
        connection = await asyncpg.connect(cluster.dsn)
        await connection.execute(f"create database {name}")
        try:
            yield with_database(cluster.dsn, name)
        finally:
            await connection.execute(f"drop database {name} with (force)")
            await connection.close()

    return make


async def reborn(http: httpx.AsyncClient, node_id: str) -> Node:
    """A node that proves, by its state directory, that whoever was called so before is dead."""
    node = Node(http, node_id, headers=AS_NODE)
    node.epoch = (await node.say("register", {"state_id": "one-and-the-same"})).json()["epoch"]
    await node.beat(devices=[{"serial": serial} for serial in ("R58M1", "R58M2", "R58M3")])
    return node


async def test_a_farm_backed_up_in_mid_run_goes_on_elsewhere(
    databases: Databases, recipe: Path, tmp_path: Path
) -> None:
    backup = tmp_path / "farm.dump"
    async with databases("source_farm") as dsn, running("--database-url", dsn) as server, server.client() as http:
        here = Cli(tmp_path, CORRAL_URL=server.url, CORRAL_TOKEN=OPERATOR_TOKEN, CORRAL_DATABASE_URL=dsn)
        node = await reborn(http, "rack-1")
        run = await here.json("run", recipe, "--on", "all")
        (one, two, _) = (await node.pull())["jobs"]
        await node.call_back(node.event(one, "job_started"), node.event(two, "job_started"))
        await node.call_back(node.event(one, "job_finished", outcome="succeeded"))

        assert "copy" in await here("db", "backup", backup)

    async with databases("restored_farm") as dsn:
        there = Cli(tmp_path, CORRAL_DATABASE_URL=dsn, CORRAL_TOKEN=OPERATOR_TOKEN)
        assert (await there.run("db", "status")).status == 1
        assert "restored" in await there("db", "restore", backup)
        assert "every invariant holds" in await there("doctor", "--invariants")
        assert "up to date" in await there("db", "status")
        async with running("--database-url", dsn) as server, server.client() as http:
            there.env["CORRAL_URL"] = server.url
            assert (await there.json("run", "show", run["run_id"]))["run"]["counts"]["done"] == 1
            refused = await there.run("db", "restore", backup, "--replace")
            assert (refused.status, "stop it first" in refused.err) == (2, True)

            node = await reborn(http, "rack-1")
            late = node.event(two, "job_finished", outcome="succeeded", seq=1000)
            assert await node.call_back(late) == ["applied"]
            await finish(node, wait_s=30)

            assert (await there.run("run", "show", run["run_id"], "--watch", "--timeout", "60")).status == 0
        assert "every invariant holds" in await there("doctor", "--invariants")


async def test_a_backup_neither_overwrites_a_file_nor_a_farm_unasked(new_dsn: str, tmp_path: Path) -> None:
    cli = Cli(tmp_path, CORRAL_DATABASE_URL=new_dsn)
    backup = tmp_path / "farm.dump"
    assert (await cli.json("db", "backup", backup))["size_bytes"] > 1000

    again = await cli.run("db", "backup", backup)
    assert (again.status, "exists already" in again.err) == (2, True)
    await cli("db", "backup", backup, "--force")
    over = await cli.run("db", "restore", backup)
    assert (over.status, "holds a farm already" in over.err) == (2, True)
    await cli("db", "restore", backup, "--replace")
    (tmp_path / "text").write_text("not a backup", encoding="utf-8")
    wrong = await cli.run("db", "restore", "text", "--replace")
    assert (wrong.status, "is not what corral db backup writes" in wrong.err) == (2, True)
    assert (await cli.json("db", "status"))["state"]["pending"] == []
    assert list(tmp_path.glob(".*.part")) == []


async def test_a_database_is_made_looked_at_and_asked(databases: Databases, tmp_path: Path) -> None:
    async with databases("fresh_farm") as dsn:
        cli = Cli(tmp_path, CORRAL_DATABASE_URL=dsn)

        assert "corral db migrate" in (await cli.run("db", "status")).out
        assert "migrations applied" in await cli("db", "migrate")
        assert (await cli.json("db", "migrate"))["applied"] == []
        assert (await cli("db", "shell", "--", "-Atc", "select count(*) from corral.devices")).strip() == "0"


async def test_an_invariant_that_is_broken_is_told_and_ends_with_1(farm_dsn: str, tmp_path: Path) -> None:
    cli = Cli(tmp_path, CORRAL_DATABASE_URL=farm_dsn)
    assert (await cli.json("doctor", "--invariants"))["violations"] == []

    connection = await asyncpg.connect(farm_dsn)
    await connection.execute(
        "create or replace function corral.fn_check_invariants() returns table (invariant text, object text, detail text)"
        " language sql as $$ select 'one lease', 'device 1', 'two of them' $$"
    )
    await connection.close()

    told = await cli.run("doctor", "--invariants")
    assert told.status == 1
    assert told.out.splitlines()[1].split("  ")[0] == "one lease"


async def test_an_embedded_database_that_is_not_there_is_not_made_by_looking(tmp_path: Path) -> None:
    cli = Cli(tmp_path, CORRAL_DATA_DIR=str(tmp_path / "data"))

    told = await cli.run("db", "status")

    assert (told.status, "corral db migrate" in told.err) == (2, True)
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize(
    ("dsn", "expected"),
    [
        (
            "postgresql://ada:s%40crt@db:5432/farm?sslmode=require",
            ("postgresql://ada@db:5432/farm?sslmode=require", "s@crt"),
        ),
        ("postgresql:///farm?host=%2Ftmp%2Fx&user=ada", ("postgresql:///farm?host=%2Ftmp%2Fx&user=ada", None)),
        ("postgresql://db/farm?password=hunter2", ("postgresql://db/farm", "hunter2")),
    ],
)
def test_a_password_is_no_argument_of_a_program(dsn: str, expected: tuple[str, str | None]) -> None:
    assert split_password(dsn) == expected
