"""docs/coordinator.md is true: its walk-through runs, and it names every call."""

import asyncio
import os
import shutil
from pathlib import Path

import httpx
import pytest

from tests.api.client import AS_OPERATOR
from tests.api.process import start

TEXT = (Path(__file__).parents[3] / "docs" / "coordinator.md").read_text(encoding="utf-8")
WALK_THROUGH = TEXT.split("<!-- walk-through")[1].split("```sh\n")[1].split("```")[0]


@pytest.mark.skipif(not (shutil.which("jq") and shutil.which("curl")), reason="the walk-through needs curl and jq")
async def test_the_walk_through_runs(farm_dsn: str) -> None:
    server = await start("--port", "0", "--database-url", farm_dsn)
    try:
        await server.until_it_serves()
        shell = await asyncio.create_subprocess_exec(
            *("bash", "-euo", "pipefail", "-c", WALK_THROUGH),
            env={**os.environ, "CORRAL": server.url},
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        said = (await shell.communicate())[0].decode()
    finally:
        await server.stop()

    assert shell.returncode == 0, said
    done = [line for line in said.splitlines() if line.startswith("working") or '"status":"done"' in line]
    assert done == [
        "working on compile",
        '{"title":"compile","status":"done"}',
        "working on publish",
        '{"title":"publish","status":"done"}',
        '{"status":"done","owner_agent_id":"laptop-1"}',
    ]
    assert "event: update" in said


async def test_every_call_is_described(http: httpx.AsyncClient) -> None:
    document = (await http.get("/schema", headers=AS_OPERATOR)).json()
    paths = [path.replace("{", ":").replace("}", "") for path in document["paths"] if path.startswith("/v1/")]
    named = TEXT.replace(":id", ":agent_id") + TEXT.replace(":id", ":chain_id") + TEXT.replace(":id", ":task_id")

    assert [path for path in paths if path not in named] == []
