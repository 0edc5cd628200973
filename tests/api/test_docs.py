"""docs/api.md is true: its walk-through runs, and it names every endpoint and every setting."""

import asyncio
import os
import re
import shutil
from pathlib import Path

import httpx
import pytest

from corral.config import ENVIRONMENT
from tests.api.client import AS_OPERATOR
from tests.api.process import start

TEXT = (Path(__file__).parents[2] / "docs" / "api.md").read_text(encoding="utf-8")
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
    assert said.count('["applied","applied"]') == 2
    assert '"status": "succeeded"' in said
    assert '"done": 2' in said


async def test_every_endpoint_is_described(http: httpx.AsyncClient) -> None:
    document = (await http.get("/schema", headers=AS_OPERATOR)).json()
    missing = [path for path in document["paths"] if path.split("{")[0].rstrip("/") not in TEXT]

    assert missing == []


@pytest.mark.parametrize("setting", ENVIRONMENT)
def test_every_setting_is_described(setting: str) -> None:
    (row,) = re.findall(rf"^\| `{setting}` \|.*$", TEXT, re.MULTILINE)

    assert all(f"`{name}`" in row for name in ENVIRONMENT[setting])
