"""docs/client.md is true: its examples run, and it names every noun and method."""

import asyncio
import json
import os
import re
import sys
from pathlib import Path

import pytest

from corral.client import Client
from tests.api.client import OPERATOR_TOKEN, SMOKE, Node
from tests.api.process import ServerProcess
from tests.cli.conftest import finish

TEXT = (Path(__file__).parents[2] / "docs" / "client.md").read_text(encoding="utf-8")
EXAMPLES = [part.split("```python\n")[1].split("```")[0] for part in TEXT.split("<!-- example")[1:]]


@pytest.mark.parametrize("example", range(len(EXAMPLES)))
async def test_the_examples_run(
    client: Client, server: ServerProcess, node: Node, tmp_path: Path, example: int
) -> None:
    client.workflows.push(SMOKE)
    (tmp_path / "smoke.yaml").write_text(json.dumps(SMOKE), encoding="utf-8")
    python = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", EXAMPLES[example]),
        env={**os.environ, "CORRAL_URL": server.url, "CORRAL_TOKEN": OPERATOR_TOKEN},
        cwd=tmp_path,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    await finish(node, wait_s=30)
    out, err = await python.communicate()

    assert python.returncode == 0, err.decode()
    assert "3" in out.decode()


def test_every_noun_and_method_is_named() -> None:
    with Client() as client:
        nouns = {name: value for name, value in vars(client).items() if not name.startswith("_")}
    for name, noun in nouns.items():
        (row,) = re.findall(rf"^\| `client\.{name}` \|.*$", TEXT, re.MULTILINE)
        methods = {each for each in vars(type(noun)) if not each.startswith("_")}
        assert {each for each in methods if f"`{each}`" not in row} == set(), name
