"""The README's commands, and those of docs/operations: run as they stand, or understood where they need more than a computer."""

import asyncio
import os
import re
import shlex
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from cyclopts import MissingArgumentError

from corral.cli.main import app
from tests.cli.conftest import Cli
from tests.cli.farms import farming, making

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"(<!-- elsewhere: .*? -->\n)?```sh\n(.*?)```", README, re.DOTALL)
OPERATIONS = sorted((ROOT / "docs" / "operations").glob("*.md"))
PRELUDE = f"""
corral() {{ {shlex.quote(sys.executable)} -m corral.cli "$@"; }}
"""


async def run_block(block: str, cli: Cli, **env: str) -> str:
    shell = await asyncio.create_subprocess_exec(
        *("bash", "-euo", "pipefail", "-c", PRELUDE + block),
        env={**os.environ, **cli.env, **env},
        cwd=cli.directory,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    said = (await shell.communicate())[0].decode()
    assert shell.returncode == 0, said
    return said


def commands(text: str) -> list[str]:
    """Every command line of Corral's in blocks and between backticks, without its comment."""
    lines = [line for block in re.findall(r"```sh\n(.*?)```", text, re.DOTALL) for line in block.splitlines()]
    lines += re.findall(r"`(corral [^`]*)`", text)
    found = [re.sub(r"\s+#.*", "", line) for line in lines if line.startswith("corral ")]
    return [line for line in found if "…" not in line]


def test_the_readme_is_short_and_begins_with_a_command() -> None:
    lines = README.splitlines()

    assert len(lines) <= 120
    assert lines.index("```sh") < 25


def test_every_block_is_run_or_says_why_not() -> None:
    kinds = [("elsewhere" if why else block.split()[0]) for why, block in BLOCKS]

    assert kinds == ["make", "pip", "cat", "elsewhere"]


@pytest.mark.parametrize("document", [ROOT / "README.md", *OPERATIONS], ids=lambda path: path.name)
def test_every_command_of_ours_is_understood(document: Path) -> None:
    for command in commands(document.read_text(encoding="utf-8")):
        words = shlex.split(command)[1:]
        if words[0] in {"--help", "--version"}:
            continue
        with suppress(MissingArgumentError):  # a text may name a command without saying which device
            app.parse_args(words, exit_on_error=False, print_error=False)


def is_installed() -> bool:
    """Whether `make` would find everything in its place; it must not change the packages that these tests run on."""
    made = subprocess.run(("make", "--question", ".venv/installed"), cwd=ROOT, capture_output=True, check=False)
    return made.returncode == 0


async def test_the_first_command_shows_a_run_on_all_phones() -> None:
    if not await asyncio.to_thread(is_installed):
        pytest.skip("make install has something to do first")
    async with making(ROOT, *BLOCKS[0][1].split()[1:], "DEMO_ARGS=--devices 2 --once --port 0") as demo:
        status = await demo.end()

        assert status == 0, demo.said
        assert "2 done of 2" in demo.said
        assert demo.pids() == []


async def test_a_farm_comes_up_and_works_as_the_readme_says(tmp_path: Path) -> None:
    install, up = (re.sub(r"\s+#.*", "", line) for line in BLOCKS[1][1].splitlines())
    assert install == "pip install ."  # tests/unit/test_package.py builds what that installs
    words = up.replace("--simulate 20", "--simulate 3").split()[1:]
    async with farming(tmp_path, *words, "--no-node", "--ephemeral", "--port", 0, HOME=str(tmp_path)) as farm:
        url = (await farm.until(r"Corral is at (http://\S+);"))[1]
        await farm.until("devices: ✓ 3 online")

        said = await run_block(BLOCKS[2][1], Cli(tmp_path, HOME=str(tmp_path), CORRAL_URL=url))

        assert "3 done of 3" in said
        assert len(list((tmp_path / "pictures").glob("*/*.png"))) == 3
        assert await farm.interrupt() == 0


async def test_a_backup_and_its_restoration_go_as_documented(tmp_path: Path) -> None:
    backup = (ROOT / "docs" / "operations" / "backup.md").read_text(encoding="utf-8")
    saved, restored = re.findall(r"<!-- tour: .*? -->\n```sh\n(.*?)```", backup, re.DOTALL)
    data = tmp_path / "data"
    (data / "objects").mkdir(parents=True)
    (data / "objects" / "picture").write_text("a phone")
    cli = Cli(tmp_path, HOME=str(tmp_path), CORRAL_DATA_DIR=str(data))
    await cli("db", "migrate")

    await run_block(saved, cli)
    (data / "objects" / "picture").unlink()
    await run_block(restored, cli)

    assert (data / "objects" / "picture").read_text() == "a phone"
