"""The command line as people run it: a process of its own, against a server that is another."""

import json
import os
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio

from tests.api.client import AS_NODE, OPERATOR_TOKEN, SMOKE, Node
from tests.api.conftest import cluster
from tests.api.process import ServerProcess, running
from tests.engine.conftest import farm, farm_dsn, kept_database, new_dsn
from tests.warm import Process, start_corral

__all__ = ["cluster", "farm", "farm_dsn", "kept_database", "new_dsn"]

_OURS = re.compile(r"CORRAL_|COORDINATOR_|NODE_AGENT_|DATABASE_URL|COLUMNS|FORCE_COLOR|NO_COLOR|MAKE|MFLAGS")


@dataclass(frozen=True)
class Told:
    """What a command printed, and its exit status."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:  # noqa: ANN401 - whatever was printed
        return json.loads(self.out)


class Cli:
    """`corral`, with nothing of our environment that would configure it but where the server is."""

    def __init__(self, directory: Path, **env: str) -> None:
        self.directory = directory
        self.env = env

    @property
    def environment(self) -> dict[str, str]:
        inherited = {name: value for name, value in os.environ.items() if not _OURS.match(name)}
        return {**inherited, **self.env}

    async def start(
        self,
        *arguments: object,
        env: dict[str, str] | None = None,
        is_warm: bool = True,
        terminal: int | None = None,
    ) -> Process:
        return await start_corral(
            *arguments,
            env={**self.environment, **(env or {})},
            directory=self.directory,
            is_warm=is_warm,
            terminal=terminal,
        )

    async def run(self, *arguments: object, env: dict[str, str] | None = None) -> Told:
        process = await self.start(*arguments, env=env)
        out, err = await process.communicate()
        told = Told(process.returncode or 0, out.decode(), err.decode())
        assert "Traceback" not in told.err, told.err
        return told

    async def __call__(self, *arguments: object, env: dict[str, str] | None = None) -> str:
        """What a command printed; fails unless it succeeded."""
        told = await self.run(*arguments, env=env)
        assert told.status == 0, f"{arguments}: {told}"
        return told.out

    async def json(self, *arguments: object) -> Any:  # noqa: ANN401 - whatever was printed
        return json.loads(await self(*arguments, "--json"))


@pytest_asyncio.fixture
async def server(farm_dsn: str) -> AsyncIterator[ServerProcess]:
    async with running("--database-url", farm_dsn) as process:
        yield process


@pytest.fixture
def cli(server: ServerProcess, tmp_path: Path) -> Cli:
    """An operator at the server's machine."""
    return Cli(tmp_path, CORRAL_URL=server.url, CORRAL_TOKEN=OPERATOR_TOKEN)


@pytest.fixture
def nobody(tmp_path: Path) -> Cli:
    """Somebody whose server is not there."""
    return Cli(tmp_path, CORRAL_URL="http://127.0.0.1:1")


@pytest_asyncio.fixture
async def node(server: ServerProcess) -> AsyncIterator[Node]:
    """A node that is played by hand, with three phones."""
    async with server.client() as http:
        yield await Node(http, "rack-1", headers=AS_NODE).register("R58M1", "R58M2", "R58M3")


@pytest_asyncio.fixture
async def http(server: ServerProcess) -> AsyncIterator[httpx.AsyncClient]:
    async with server.client() as client:
        yield client


@pytest.fixture
def recipe(tmp_path: Path) -> Path:
    """The file of a recipe."""
    file = tmp_path / "smoke.yaml"
    file.write_text(json.dumps(SMOKE), encoding="utf-8")
    return file


async def finish(node: Node, *, wait_s: float = 0, **outcomes: str) -> list[dict[str, Any]]:
    """Let a node do all that it can get, each phone with its outcome, a success by default; waits for the first."""
    jobs: list[dict[str, Any]] = []
    while pulled := (await node.pull(wait_s=0 if jobs else wait_s))["jobs"]:
        for job in pulled:
            outcome = outcomes.get(job["serial"], "succeeded")
            failure = {"failure_reason": "action_failed", "error_message": "the button is gone"}
            line = {"message": f"hello from {job['serial']}", "step": "open", "level": "info"}
            await node.call_back(
                node.event(job, "job_started"),
                node.event(job, "step_started", step="open", position=1),
                node.event(job, "log", lines=[line]),
                node.event(job, "job_finished", outcome=outcome, **(failure if outcome == "failed" else {})),
            )
        jobs += pulled
    return jobs
