"""A command that is suggested works where it is typed."""

import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import corral
from corral.cli.program import name_program


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "bin" / "corral"
    path.parent.mkdir()
    path.touch(mode=0o755)
    return path


def test_a_program_on_the_path_is_called_by_its_name(program: Path) -> None:
    assert name_program(argv=[str(program)], environ={"PATH": str(program.parent)}) == "corral"


def test_a_program_that_no_shell_would_find_is_called_by_its_place(
    program: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(program.parents[1])

    assert name_program(argv=["bin/corral"], environ={"PATH": "/nowhere"}) == str(program)


def test_another_corral_on_the_path_is_not_suggested(program: Path, tmp_path: Path) -> None:
    (tmp_path / "corral").touch(mode=0o755)

    assert name_program(argv=[str(program)], environ={"PATH": str(tmp_path)}) == str(program)


def test_a_module_is_called_as_one(tmp_path: Path) -> None:
    command = name_program(argv=[str(Path(corral.__file__).parent / "cli" / "__main__.py")])

    assert command == f"{sys.executable} -m corral.cli"
    told = subprocess.run([*shlex.split(command), "--version"], capture_output=True, text=True, check=True)
    assert corral.__version__ in told.stdout
