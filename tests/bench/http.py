"""What the HTTP server promises, on real server processes and one farm of ten thousand devices."""

from tests.api.process import ServerProcess, running
from tests.bench.databases import made_engine
from tests.bench.http_callbacks import CLIENTS, check_callbacks
from tests.bench.http_pulls import check_pulls
from tests.bench.http_views import check_views
from tests.bench.processes import memory_mb
from tests.bench.report import Check
from tests.engine.load import analyze, load_farm, load_runs

NODES = 100
DEVICES_PER_NODE = 100
MOST_MB = 150


async def check_http(dsn: str, *, rounds: int, seconds: int) -> list[Check]:
    """The measurements one after the other, and what they left of the server's memory."""
    async with made_engine(dsn, "http", max_connections=CLIENTS) as engine:
        await load_farm(engine, nodes=NODES, devices_per_node=DEVICES_PER_NODE)
        await load_runs(engine, runs=1)
        await analyze(engine)
        url = engine.database.dsn
        async with (
            running("--database-url", url, is_warm=False) as server,
            running("--database-url", url, is_warm=False) as other,
        ):
            checks = await check_views(engine, server.url, devices=NODES * DEVICES_PER_NODE)
            checks.append(await check_callbacks(engine, server.url, rounds=rounds, seconds=seconds))
            checks.append(await check_pulls(server.url, other.url))
            return [*checks, _check_memory(server)]


def _check_memory(server: ServerProcess) -> Check:
    megabytes = memory_mb(server.process.pid)
    return Check(
        name="memory of a server process after that",
        found=f"{megabytes:.0f} MB",
        target=f"< {MOST_MB} MB",
        is_kept=megabytes < MOST_MB,
    )
