"""Install the other queues into a directory that is thrown away, and let each work in a database of its own."""

import os
import shutil
import sys
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path

from tests.bench.databases import make_database
from tests.bench.others.programs import Program, libpq_variables, measure_latency, run
from tests.postgres import execute

INSTALL_S = 300
DRAIN_S = 180

PYTHON_PACKAGES = ("pgqueuer[asyncpg]==1.6.0", "procrastinate==3.10.0", "psycopg[binary]", "uvloop")
NODE_PACKAGES = ("pg-boss@12.33.7", "graphile-worker@0.18.0")
_SCRIPTS = Path(__file__).parent


@dataclass(frozen=True)
class Rival:
    """One queue: its scripts, `<stem>_drain` and so on, what to tell them, and what they run in."""

    name: str
    stem: str
    suffix: str
    drained: int
    """How many jobs it drains."""

    at_20: Sequence[int]
    tuned: Sequence[int]
    claims: str
    """What the numbers of `at_20` and `tuned` are, to fill in."""

    bulk: str
    """Its bulk API."""

    waits: str
    """How its worker waits."""

    program: Program = field(default_factory=lambda: Program(()))

    def drains(self, *, tuned: bool) -> str:
        """How it claims, for people."""
        return self.claims.format(*(f"{number:,}" for number in (self.tuned if tuned else self.at_20)))

    async def drain(self, dsn: str, *, tuned: bool, jobs: int | None = None) -> float:
        """Jobs per second, each claimed, done and completed. Raises when it fails or takes too long."""
        jobs = min(self.drained, jobs or self.drained)
        return await self._rate(dsn, "drain", jobs, *(self.tuned if tuned else self.at_20))

    async def enqueue(self, dsn: str, *, jobs: int, batch: int) -> float:
        """Jobs per second, by its bulk API. Raises as above."""
        return await self._rate(dsn, "enqueue", jobs, batch)

    async def wait(self, dsn: str, *, samples: int) -> list[float]:
        """Milliseconds from enqueuing to start, of one job at a time. Raises as above."""
        async with _own_database(dsn) as url:
            program = self._program("latency").told(environment=libpq_variables(url))
            return await measure_latency(program, program, samples=samples)

    async def _rate(self, dsn: str, what: str, jobs: int, *arguments: int) -> float:
        async with _own_database(dsn) as url:
            program = self._program(what).told(jobs, *arguments, environment=libpq_variables(url))
            return jobs / float((await run(program, within_s=DRAIN_S)).split()[-1])

    def _program(self, what: str) -> Program:
        return self.program.told(_SCRIPTS / f"{self.stem}_{what}{self.suffix}")


# Tuned: the fastest of batches from 100 to 2,000, and of one to four loops or 20 to 1,000 jobs at once. Procrastinate
# claims one by one, and is given fewer jobs, lest it take minutes; its speed does not depend on their number.
_PYTHON_RIVALS = (
    Rival(
        "PgQueuer", "pgqueuer", ".py", 20_000, at_20=(20,), tuned=(1_000,),
        claims="{} at a time", bulk="enqueue", waits="LISTEN",
    ),
    Rival(
        "Procrastinate", "procrastinate", ".py", 2_000, at_20=(20,), tuned=(100,),
        claims="1 at a time, {} at once", bulk="batch_defer", waits="LISTEN",
    ),
)  # fmt: skip
_NODE_RIVALS = (
    Rival(
        "pg-boss", "pg_boss", ".mjs", 20_000, at_20=(20, 2), tuned=(2_000, 2),
        claims="fetch {} at a time, {} loops", bulk="insert", waits="LISTEN (useListenNotify)",
    ),
    Rival(
        "Graphile Worker", "graphile_worker", ".mjs", 20_000, at_20=(20, 20), tuned=(500, 1_000),
        claims="{} at once, local queue of {}", bulk="addJobs", waits="LISTEN, no local queue",
    ),
)  # fmt: skip
NAMES = [rival.name for rival in (*_PYTHON_RIVALS, *_NODE_RIVALS)]


@asynccontextmanager
async def installed_rivals(kept_in: Path | None = None) -> AsyncIterator[list[Rival]]:
    """Those that could be installed here, until the block ends; says of the others that they are not measured.

    With `kept_in` they are installed there and stay, and are not installed again.
    """
    home = nullcontext(kept_in) if kept_in else tempfile.TemporaryDirectory(prefix="corral-bench-others-")
    with home as folder:
        rivals: list[Rival] = []
        for install, candidates in ((_install_python, _PYTHON_RIVALS), (_install_node, _NODE_RIVALS)):
            try:
                program = await install(Path(folder))
            except (OSError, RuntimeError, TimeoutError) as error:
                names = ", ".join(candidate.name for candidate in candidates)
                print(f"  not measured: {names}: {_why(error)}", flush=True)
            else:
                rivals += [replace(candidate, program=program) for candidate in candidates]
        yield rivals


def _why(error: Exception) -> str:
    """In a line: pip and npm say much, and not always end with what was wrong."""
    said = str(error).strip().splitlines() or [type(error).__name__]
    return next((line for line in said if "error" in line.lower()), said[-1])


async def _install_python(folder: Path) -> Program:
    home = folder / "python"
    python = home / "bin" / "python"
    if not home.exists():
        await run(Program((sys.executable, "-m", "venv", home)), within_s=INSTALL_S)
        await run(Program((python, "-m", "pip", "install", "--quiet", *PYTHON_PACKAGES)), within_s=INSTALL_S)
    return Program((python,))


async def _install_node(folder: Path) -> Program:
    """With the Node of this virtual environment, if it has one; else with the system's."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    node, npm = (shutil.which(name, path=path) for name in ("node", "npm"))
    if node is None or npm is None:
        raise RuntimeError("there is no Node here")
    home = folder / "node"
    if not home.exists():
        words = (npm, "install", "--prefix", home, "--no-audit", "--no-fund", "--ignore-scripts", *NODE_PACKAGES)
        await run(Program(words, {"PATH": path}), within_s=INSTALL_S)
    return Program((node,), {"NODE_MODULES": str(home)})


@asynccontextmanager
async def _own_database(dsn: str) -> AsyncIterator[str]:
    url = await make_database(dsn, "rival")
    try:
        yield url
    finally:
        await execute(dsn, "drop database rival with (force)")
