"""Install the other queues into a directory that is thrown away, and let each drain a database of its own."""

import asyncio
import os
import shutil
import sys
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from tests.bench.databases import make_database
from tests.engine.conftest import execute

INSTALL_S = 300
DRAIN_S = 180

_SCRIPTS = Path(__file__).parent
_PYTHON_PACKAGES = ("pgqueuer[asyncpg]==1.6.0", "procrastinate==3.10.0", "psycopg[binary]", "uvloop")
_NODE_PACKAGES = ("pg-boss@12.33.7", "graphile-worker@0.18.0")


@dataclass(frozen=True)
class Rival:
    """One queue: its script, what to tell it (how many jobs, then how it claims), and what it runs in."""

    name: str
    script: str
    jobs: int
    at_20: Sequence[int]
    tuned: Sequence[int]
    command: Sequence[str | Path] = ()
    environment: Mapping[str, str] = field(default_factory=dict)

    async def drain(self, dsn: str, *, tuned: bool) -> float:
        """Jobs per second. Raises when it fails or takes too long."""
        url = await make_database(dsn, "steps_rival")
        try:
            arguments = [str(number) for number in (self.jobs, *(self.tuned if tuned else self.at_20))]
            output = await _run(
                *self.command, _SCRIPTS / self.script, *arguments,
                within_s=DRAIN_S, environment={**self.environment, **_libpq_variables(url)},
            )  # fmt: skip
            return self.jobs / float(output.split()[-1])
        finally:
            await execute(dsn, "drop database steps_rival with (force)")


# Tuned: the fastest of batches from 100 to 2,000, and of one to four loops or 20 to 1,000 jobs at once. Procrastinate
# claims one by one, and is given fewer jobs, lest it take minutes; its speed does not depend on their number.
_PYTHON_RIVALS = (
    Rival("PgQueuer", "pgqueuer_drain.py", 20_000, at_20=(20,), tuned=(1_000,)),
    Rival("Procrastinate", "procrastinate_drain.py", 2_000, at_20=(20,), tuned=(100,)),
)
_NODE_RIVALS = (
    Rival("pg-boss", "pg_boss_drain.mjs", 20_000, at_20=(20, 2), tuned=(2_000, 2)),
    Rival("Graphile Worker", "graphile_worker_drain.mjs", 20_000, at_20=(20, 20), tuned=(500, 1_000)),
)
NAMES = [rival.name for rival in (*_PYTHON_RIVALS, *_NODE_RIVALS)]


@asynccontextmanager
async def installed_rivals() -> AsyncIterator[list[Rival]]:
    """Those that could be installed here, until the block ends; says of the others that they are not measured."""
    with tempfile.TemporaryDirectory(prefix="corral-bench-others-") as folder:
        rivals: list[Rival] = []
        for install, candidates in ((_install_python, _PYTHON_RIVALS), (_install_node, _NODE_RIVALS)):
            try:
                command, environment = await install(Path(folder))
            except (OSError, RuntimeError, TimeoutError) as error:
                names = ", ".join(candidate.name for candidate in candidates)
                print(f"  not measured: {names}: {str(error).strip().splitlines()[-1]}", flush=True)
            else:
                rivals += [Rival(r.name, r.script, r.jobs, r.at_20, r.tuned, command, environment) for r in candidates]
        yield rivals


async def _install_python(folder: Path) -> tuple[list[str | Path], dict[str, str]]:
    home = folder / "python"
    python = home / "bin" / "python"
    await _run(sys.executable, "-m", "venv", home, within_s=INSTALL_S)
    await _run(python, "-m", "pip", "install", "--quiet", *_PYTHON_PACKAGES, within_s=INSTALL_S)
    return [python], {}


async def _install_node(folder: Path) -> tuple[list[str | Path], dict[str, str]]:
    """With the Node of this virtual environment, if it has one; else with the system's."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    node, npm = (shutil.which(name, path=path) for name in ("node", "npm"))
    if node is None or npm is None:
        raise RuntimeError("there is no Node here")
    home = folder / "node"
    home.mkdir()
    await _run(
        npm, "install", "--prefix", home, "--no-audit", "--no-fund", "--ignore-scripts", *_NODE_PACKAGES,
        within_s=INSTALL_S, environment={"PATH": path},
    )  # fmt: skip
    return [node], {"NODE_MODULES": str(home)}


def _libpq_variables(url: str) -> dict[str, str]:
    parts = urlsplit(url)
    query = parse_qs(parts.query)
    return {
        "PGHOST": query.get("host", [parts.hostname or "127.0.0.1"])[0],
        "PGPORT": query.get("port", [str(parts.port or 5432)])[0],
        "PGUSER": parts.username or "",
        "PGDATABASE": parts.path.removeprefix("/"),
    }


async def _run(*command: str | Path, within_s: float, environment: Mapping[str, str] | None = None) -> str:
    """What a program printed. Raises RuntimeError with its last words when it fails, TimeoutError when it does not end."""
    process = await asyncio.create_subprocess_exec(
        *command, env={**os.environ, **(environment or {})},
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    try:
        async with asyncio.timeout(within_s):
            output, errors = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode:
        raise RuntimeError(errors.decode() or f"{command[0]} failed")
    return output.decode()
