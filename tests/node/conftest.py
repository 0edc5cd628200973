"""What tests of the agent need; see rig.py."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from corral.simulator import Fleet
from tests.api.conftest import cluster
from tests.api.process import running
from tests.drivers.conftest import adb_environment, adb_port
from tests.engine.conftest import farm_dsn, kept_database
from tests.node.rig import Rig
from tests.node.worker_desk import WorkerDesk
from tests.ports import free_port
from tests.storage.conftest import bucket, s3_endpoint

__all__ = ["adb_environment", "adb_port", "bucket", "cluster", "farm_dsn", "kept_database", "s3_endpoint"]

MakeRig = Callable[..., AbstractAsyncContextManager[Rig]]
MakeDesk = Callable[[], AbstractAsyncContextManager[WorkerDesk]]


@pytest.fixture
def make_rig(farm_dsn: str, adb_port: int, tmp_path: Path) -> MakeRig:
    """A server and so many phones, but no node yet. `lease_s` shortens the farm's patience, `env` sets up the server."""

    @asynccontextmanager
    async def make(
        devices: int,
        *,
        lease_s: float | None = None,
        env: dict[str, str] | None = None,
        **options: Any,  # noqa: ANN401 - of the fleet
    ) -> AsyncIterator[Rig]:
        if lease_s is not None:
            await _execute(farm_dsn, f"update corral.settings set lease_time = '{lease_s} s'")
        async with (
            Fleet(devices, **options) as fleet,
            running("--database-url", farm_dsn, port=free_port(), env=env) as server,
        ):
            rig = Rig(server, fleet, dsn=farm_dsn, adb_port=adb_port, state=tmp_path / "state", env=env)
            try:
                async with rig.http:
                    yield rig
            finally:
                if rig.server.process.returncode is None:
                    await rig.stop_server()
            assert fleet.violations == []

    return make


@pytest.fixture
def make_desk(farm_dsn: str, tmp_path: Path) -> MakeDesk:
    """A server, and no worker yet; at the end the books must balance."""

    @asynccontextmanager
    async def make() -> AsyncIterator[WorkerDesk]:
        async with running("--database-url", farm_dsn, port=free_port()) as server:
            desk = WorkerDesk(server, [], dsn=farm_dsn, adb_port=0, state=tmp_path / "state", env={})
            async with desk.http:
                yield desk
                await desk.check_invariants()

    return make


async def _execute(dsn: str, statement: str) -> None:
    connection = await asyncpg.connect(dsn)
    try:
        await connection.execute(statement)
    finally:
        await connection.close()
