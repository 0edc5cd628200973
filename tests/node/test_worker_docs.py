"""docs/workers.md is true: both of its workers are taken from the page and execute runs of a real server."""

import asyncio
import os
import re
import shutil
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from corral.workflow import parse_recipe
from tests.api.client import NODE_SECRET
from tests.node.conftest import MakeDesk
from tests.node.worker_desk import WorkerDesk, shell

TEXT = (Path(__file__).parents[2] / "docs" / "workers.md").read_text(encoding="utf-8")
needs_tools = pytest.mark.skipif(not (shutil.which("jq") and shutil.which("curl")), reason="it needs curl and jq")
WORKERS = [
    pytest.param("python", (sys.executable, "-u"), id="python"),
    pytest.param("shell", ("bash",), id="shell", marks=needs_tools),
]


def program(language: str) -> str:
    """The worker as the page has it."""
    (text,) = re.findall(rf"<!-- worker: {language} -->\n```\w+\n(.*?)```", TEXT, re.DOTALL)
    return str(text)


@asynccontextmanager
async def documented_worker(
    desk: WorkerDesk, language: str, interpreter: tuple[str, ...], folder: Path
) -> AsyncIterator[str]:
    """The page's worker as a process, in a group of its own, once it is registered; its name."""
    file = folder / f"worker.{language}"
    file.write_text(program(language), encoding="utf-8")
    name = f"{language}-worker"
    process = await asyncio.create_subprocess_exec(
        *interpreter,
        str(file),
        env={**os.environ, "CORRAL": desk.server.url, "NODE_AGENT_SHARED_SECRET": NODE_SECRET, "WORKER": name},
        start_new_session=True,
    )
    try:
        await desk.until("/api/nodes/status", lambda told: name in [node["node_id"] for node in told["nodes"]])
        yield name
        assert process.returncode is None
    finally:
        os.killpg(process.pid, 9)
        await process.wait()


@pytest.mark.parametrize(("language", "interpreter"), WORKERS)
async def test_the_documented_worker_executes_a_run(
    make_desk: MakeDesk, tmp_path: Path, language: str, interpreter: tuple[str, ...]
) -> None:
    async with make_desk() as desk, documented_worker(desk, language, interpreter, tmp_path) as name:
        run = await desk.given_distributed(
            shell("one", "echo it is {{ params.word }}; echo 'OUTPUT: {\"n\": 1}'"),
            shell("two", "echo 'OUTPUT: {\"n\": {{ steps.one.output.n + 1 }}}'"),
            shell("each", "test {{ item }} -gt 0", needs=[], for_each=[1, 2]),
            shell("bad", "exit 3", needs=["each"], on_failure="continue"),
            {"id": "list", "uses": "shell.run", "needs": ["bad"], "with": {"command": ["echo", "a  b"]}},
            recipe={"params": {"word": {"type": "string", "secret": True}}},
            params={"word": "xyzzy-42"},
        )

        view = await desk.until_ended(run)

        assert view["run"]["status"] == "succeeded", view
        steps = {step["step"]: step for step in (await desk.graph(run))["steps"]}
        assert steps["bad"]["status"] == "failed"
        assert {step["node_id"] for step in steps.values()} == {name}
        assert (await desk.output(run))["two"] == {"n": 2}
        lines = (await desk.http.get(f"/api/runs/{run}/logs")).json()["lines"]
        said: dict[str, list[str]] = {}
        for line in lines:
            said.setdefault(line["step"], []).append(line["message"])
        assert said["one"][0] == "it is •••"
        assert said["list"] == ["a  b"]


@pytest.mark.parametrize(("language", "interpreter"), WORKERS)
async def test_the_documented_worker_stops_what_is_cancelled_and_goes_on(
    make_desk: MakeDesk, tmp_path: Path, language: str, interpreter: tuple[str, ...]
) -> None:
    async with make_desk() as desk:
        await desk.query("update corral.settings set lease_time = '6 s'")
        async with documented_worker(desk, language, interpreter, tmp_path):
            run = await desk.given_distributed(shell("wait", "exec sleep 3000", timeout_s=3000))
            await desk.until_step(run, "wait", "running")
            (await desk.http.post(f"/api/runs/{run}/cancel", json={})).raise_for_status()

            assert (await desk.until_ended(run))["run"]["status"] == "cancelled"

            again = await desk.given_distributed(shell("quick", "true"))
            assert (await desk.until_ended(again))["run"]["status"] == "succeeded"


async def test_the_python_worker_claims_no_faster_while_a_cancelled_step_winds_down(
    make_desk: MakeDesk, tmp_path: Path
) -> None:
    async with make_desk() as desk, documented_worker(desk, "python", (sys.executable, "-u"), tmp_path):
        lingers = "(sleep 3; echo late) & wait; true"  # what it started has its output, and lives on
        run = await desk.given_distributed(shell("linger", lingers, timeout_s=3000))
        await desk.until_step(run, "linger", "running")
        (await desk.http.post(f"/api/runs/{run}/cancel", json={})).raise_for_status()

        assert (await desk.until_ended(run))["run"]["status"] == "cancelled"

        claims = re.search(r'corral_http_requests_total\{.*route="/api/nodes/claim".*\} (\S+)', await desk.metrics())
        assert claims is not None
        assert float(claims[1]) <= 6, claims[0]


def test_the_python_worker_is_short() -> None:
    assert len(program("python").splitlines()) <= 60


def test_the_pages_recipe_is_valid() -> None:
    (text,) = re.findall(r"```yaml\n(.*?)```", TEXT, re.DOTALL)
    recipe: Any = parse_recipe(text)

    assert recipe.mode == "distributed"
