import json
import os
import re
import subprocess
import sys
import tarfile
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from zipfile import ZipFile

import pytest

import corral
from corral.engine.migrate import list_definitions, list_migrations
from corral.workflow import preset_texts

ROOT = Path(__file__).parents[2]
SHIPPED = {
    "corral/py.typed",
    "corral/engine/sql/migrations/0001_farm.sql",
    "corral/workflow/recipe.schema.json",
    "corral/workflow/presets/screenshot-sweep.yaml",
    "corral/simulator/scenario/shipped/calm.yaml",
    "corral/ui_dist/index.html",
}
LOOK_AROUND = """
import json
import corral
from corral.api.pages import BUILT
from corral.engine.migrate import list_definitions, list_migrations
from corral.workflow import preset_texts
print(json.dumps({
    "from": corral.__file__,
    "first migration": list_migrations()[0].name,
    "definitions": len(list_definitions()),
    "presets": sorted(preset_texts()),
    "page": (BUILT / "index.html").read_text(encoding="utf-8"),
}))
"""


@pytest.fixture(scope="module")
def distributions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The source distribution, and the wheel that was made of it alone."""
    directory = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", str(directory), str(ROOT))
    return directory


def test_the_package_and_its_metadata_agree_on_the_version() -> None:
    assert version("corral") == corral.__version__


def test_the_package_tells_type_checkers_that_it_is_typed() -> None:
    assert files(corral).joinpath("py.typed").is_file()


def test_a_node_loads_neither_the_engine_nor_its_driver() -> None:
    program = """
import pkgutil, sys, corral.node
for each in pkgutil.walk_packages(corral.node.__path__, "corral.node."):
    __import__(each.name)
print("corral.node.agent" in sys.modules, *sys.modules)
"""
    told = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()

    assert told[0] == "True"
    assert [name for name in told if name.startswith(("corral.engine", "asyncpg"))] == []


def test_a_wheel_holds_every_file_of_the_package_and_no_other(distributions: Path) -> None:
    (wheel,) = distributions.glob("*.whl")
    package = ROOT / "src" / "corral"
    expected = {
        f"corral/{path.relative_to(package).as_posix()}"
        for path in package.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }

    held = {name for name in ZipFile(wheel).namelist() if ".dist-info/" not in name}

    assert held == expected
    assert held >= SHIPPED


def test_a_wheel_says_what_it_is(distributions: Path) -> None:
    (wheel,) = distributions.glob("*.whl")
    with ZipFile(wheel) as archive:
        texts = {Path(name).name: archive.read(name).decode() for name in archive.namelist() if ".dist-info/" in name}

    assert wheel.name == f"corral-{corral.__version__}-py3-none-any.whl"
    assert f"\nVersion: {corral.__version__}\n" in texts["METADATA"]
    assert "\nLicense-Expression: Apache-2.0\n" in texts["METADATA"]
    assert "Apache License" in texts["LICENSE"]
    assert "corral = corral.cli:main" in texts["entry_points.txt"]


def test_a_wheel_works_where_it_is_installed_and_nothing_else_of_ours_is(distributions: Path, tmp_path: Path) -> None:
    (wheel,) = distributions.glob("*.whl")
    installed = tmp_path / "installed"

    pip = (sys.executable, "-m", "pip", "install", "--no-deps", "--no-index", "--no-compile")
    run(*pip, "--target", str(installed), str(wheel))

    env = {**os.environ, "PYTHONPATH": str(installed)}
    assert run(str(installed / "bin" / "corral"), "--version", env=env, cwd=tmp_path).strip() == corral.__version__
    seen = json.loads(run(sys.executable, "-c", LOOK_AROUND, env=env, cwd=tmp_path))
    assert seen["from"] == str(installed / "corral" / "__init__.py")
    assert seen["first migration"] == list_migrations()[0].name
    assert seen["definitions"] == len(list_definitions())
    assert seen["presets"] == sorted(preset_texts())
    assert "<script" in seen["page"]


def test_a_source_distribution_holds_what_its_makefile_needs(distributions: Path) -> None:
    (archive,) = distributions.glob("*.tar.gz")
    with tarfile.open(archive) as opened:
        held = {name.partition("/")[2] for name in opened.getnames()}

    assert held >= {"Makefile", "pyproject.toml", "README.md", "requirements/lock.txt", "tests/unit/test_package.py"}
    assert held >= {"docs/cli.md", "deploy/compose.yaml", ".ci/run"}


def test_the_version_is_written_in_one_place() -> None:
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")

    assert re.findall(r"^version\b.*", project, re.MULTILINE) == []


def test_the_readme_tells_of_this_version() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")

    assert re.findall(r"\bversion (\d+\.\d+\.\d+)", readme) == [corral.__version__]


def run(*command: str, env: dict[str, str] | None = None, cwd: Path | None = None) -> str:
    """What a command printed; fails unless it succeeded."""
    done = subprocess.run(command, env=env, cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
