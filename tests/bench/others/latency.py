"""From enqueuing to start: an idle worker waits as well as its system can, and jobs come one at a time."""

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from tests.api.process import running
from tests.bench.databases import made_engine, make_database
from tests.bench.others.programs import Program, measure_latency
from tests.postgres import execute

_LIBRARY = Program((sys.executable, "-m", "tests.bench.others.corral_library_latency"))
_HTTP = Program((sys.executable, "-m", "tests.bench.others.corral_http_latency"))
_FLOOR = Program((sys.executable, "-m", "tests.bench.others.floor_latency"))


async def wait_corral(dsn: str, *, way: str, samples: int) -> list[float]:
    """Through the library; `way` is steps or runs."""
    async with _corral_database(dsn) as url:
        program = _LIBRARY.told(url, way)
        return await measure_latency(program, program, samples=samples)


async def wait_corral_http(dsn: str, *, way: str, samples: int) -> list[float]:
    """Through a server process; `way` is claim or pull."""
    async with _corral_database(dsn) as url, running("--database-url", url, is_warm=False) as server:
        program = _HTTP.told(server.url, way)
        return await measure_latency(program, program, samples=samples)


async def wait_floor(dsn: str, *, samples: int) -> list[float]:
    """With nothing but SQL."""
    url = await make_database(dsn, "latency_floor")
    try:
        program = _FLOOR.told(url)
        return await measure_latency(program, program, samples=samples)
    finally:
        await execute(dsn, "drop database latency_floor with (force)")


@asynccontextmanager
async def _corral_database(dsn: str) -> AsyncIterator[str]:
    async with made_engine(dsn, "latency", max_connections=1) as engine:
        yield engine.database.dsn
