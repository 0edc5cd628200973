"""The versions of everybody who was measured, and of what they ran on."""

from importlib import metadata
from typing import Final

from tests.bench.machine import Machine
from tests.bench.others.programs import run
from tests.bench.others.rivals import Rival

_PYTHON: Final = "import importlib.metadata as m; print(m.version('pgqueuer'), m.version('procrastinate'))"
_NODE: Final = (
    "const load = (n) => require(`${process.env.NODE_MODULES}/node_modules/${n}/package.json`).version;"
    "console.log(load('pg-boss'), load('graphile-worker'), process.version.slice(1))"
)


async def describe_versions(machine: Machine, rivals: list[Rival]) -> dict[str, str]:
    """By name. The others tell theirs themselves."""
    versions = {
        "PostgreSQL": machine.postgresql,
        "Corral": machine.corral,
        "Python": machine.python,
        "asyncpg": metadata.version("asyncpg"),
    }
    for suffix, flag, code, names in (
        (".py", "-c", _PYTHON, ("PgQueuer", "Procrastinate")),
        (".mjs", "-e", _NODE, ("pg-boss", "Graphile Worker", "Node.js")),
    ):
        programs = [rival.program for rival in rivals if rival.suffix == suffix]
        if programs:
            told = await run(programs[0].told(flag, code), within_s=30)
            versions |= dict(zip(names, told.split(), strict=True))
    return versions
