"""A third-party package, as the documentation has it: built, installed, validated against, executed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import corral
from corral.node.actions.protocol import Bench
from corral.workflow import ActionSpec

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")

VALIDATE = """
import sys
from corral.model.errors import RecipeInvalidError
from corral.workflow import installed_actions, parse_recipe

recipe = parse_recipe(sys.argv[1], installed_actions())
assert [step.uses for step in recipe.steps] == ["lamp.blink", "report"]
try:
    parse_recipe(sys.argv[1].replace("times: 5", "times: 99"), installed_actions())
except RecipeInvalidError as refused:
    print(refused.path, refused.message)
print("imported" if "corral_lamp.on_node" in sys.modules else "not imported")
"""
EXECUTE = """
import asyncio, sys
from pathlib import Path
from corral.node.actions.registry import node_actions
from tests.node.actions.scripted_phone import ScriptedBench, ScriptedPhone

async def main():
    bench = ScriptedBench(Path(sys.argv[1]), ScriptedPhone({"getprop": "Pixel 8"}))
    print(await node_actions()["lamp.blink"].perform(bench, {"times": 5}), bench.lines)

asyncio.run(main())
"""


def block(language: str, after: str) -> str:
    found = re.search(rf"{re.escape(after)}.*?```{language}\n(.*?)```", PAGE, re.DOTALL)
    assert found, f"the page has no {language} after {after}"
    return found[1]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory into which the example was installed by pip."""
    project, site = tmp_path_factory.mktemp("corral-lamp"), tmp_path_factory.mktemp("site")
    (project / "corral_lamp").mkdir()
    (project / "pyproject.toml").write_text(block("toml", "`pyproject.toml`:"))
    (project / "corral_lamp" / "__init__.py").write_text(block("python", "`corral_lamp/__init__.py`"))
    (project / "corral_lamp" / "on_node.py").write_text(block("python", "`corral_lamp/on_node.py`"))
    options = ["--quiet", "--no-deps", "--no-build-isolation", "--no-index", "--disable-pip-version-check"]
    subprocess.run([sys.executable, "-m", "pip", "install", *options, "--target", site, project], check=True)
    return site


def run_python(site: Path, program: str, argument: str) -> str:
    """What a fresh interpreter prints that has the example among its packages."""
    paths = [str(site), str(Path(corral.__file__).parents[1]), str(ROOT)]
    ran = subprocess.run(
        [sys.executable, "-c", program, argument],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def test_the_server_validates_recipes_by_the_contract_and_never_imports_the_implementation(site: Path) -> None:
    told = run_python(site, VALIDATE, block("yaml", "A recipe that uses it:"))

    assert told.splitlines() == ["steps[0].with.times expected an integer <= 20", "not imported"]


def test_a_node_executes_the_action(site: Path, tmp_path: Path) -> None:
    told = run_python(site, EXECUTE, str(tmp_path))

    assert told.strip() == "{'blinked': 5, 'model': 'Pixel 8'} [('info', 'blinked 5 times beside S1')]"


def test_every_field_of_a_contract_and_of_a_bench_is_documented() -> None:
    undocumented = {"summary", "uploads"}
    for name in {*ActionSpec.__dataclass_fields__} - undocumented:
        assert f"`{name}`" in PAGE, name
    for name in {name for name in vars(Bench) if not name.startswith("_")} - {"allows_shell"}:
        assert re.search(rf"`{name}[`(]", PAGE), name
