"""docs/cli.md is true: its tour runs, and it names every command, flag, setting and exit status."""

import asyncio
import os
import re
import sys
from pathlib import Path

import pytest

from corral.client.config import ENVIRONMENT, ClientConfig
from tests.api.client import Node
from tests.cli.conftest import Cli
from tests.cli.reference import list_commands, make_table

TEXT = (Path(__file__).parents[2] / "docs" / "cli.md").read_text(encoding="utf-8")
TOUR = TEXT.split("<!-- tour")[1].split("```sh\n")[1].split("```")[0]


def test_every_command_is_described_with_its_flags() -> None:
    assert len(list(list_commands())) > 40
    assert TEXT.endswith(make_table()), (
        "python -m tests.cli.reference prints the table that docs/cli.md should end with"
    )


@pytest.mark.parametrize("setting", ENVIRONMENT)
def test_every_setting_of_the_client_is_described(setting: str) -> None:
    (row,) = re.findall(rf"^\| `{setting}` \|.*$", TEXT, re.MULTILINE)

    assert all(f"`{name}`" in row for name in ENVIRONMENT[setting])
    assert set(ENVIRONMENT) == set(ClientConfig.__struct_fields__)


async def test_the_tour_runs(cli: Cli, node: Node, recipe: Path) -> None:
    shell = await asyncio.create_subprocess_exec(
        *("bash", "-euo", "pipefail", "-c", f'corral() {{ "{sys.executable}" -m corral.cli "$@"; }}\n{TOUR}'),
        env={**os.environ, **cli.env},
        cwd=cli.directory,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    said = (await shell.communicate())[0].decode()

    assert shell.returncode == 0, said
    assert "cancelling smoke" in said
