"""docs/simulator.md stays true."""

import inspect
import re
from pathlib import Path
from typing import get_args

import msgspec
import pytest

from corral.cli.simulate import simulate
from corral.simulator.scenario.load import parse_scenario, shipped
from corral.simulator.scenario.model import AnyFault, Phones, ScriptedTests, Setup, Suite, When
from corral.simulator.shell.call import COMMANDS
from corral.simulator.vendor.request import ACTIONS

PAGE = (Path(__file__).parents[2] / "docs" / "simulator.md").read_text(encoding="utf-8")
CODE = " ".join(re.findall(r"`([^`\n]+)`", PAGE))
WORDS = set(re.findall(r"[\w\[:-]+", CODE.replace("/", " ")))


def test_every_flag_is_documented() -> None:
    flags = {f"--{name.replace('_', '-')}" for name in inspect.signature(simulate).parameters}

    assert flags <= WORDS


def test_every_command_of_the_shell_is_documented() -> None:
    assert set(COMMANDS) <= WORDS


def test_every_action_of_the_vendor_is_documented() -> None:
    assert set(ACTIONS) <= {word.lower() for word in WORDS}


@pytest.mark.parametrize(
    "part", [*get_args(AnyFault), Phones, When, Setup, Suite, ScriptedTests], ids=lambda part: part.__name__
)
def test_every_key_of_a_scenario_is_documented(part: type[msgspec.Struct]) -> None:
    own = {field.encode_name for field in msgspec.structs.fields(part)}
    kind = part.__struct_config__.tag

    assert own <= WORDS
    assert kind is None or kind in WORDS


def test_every_shipped_scenario_is_documented() -> None:
    assert set(shipped()) <= WORDS


def test_the_example_is_a_scenario() -> None:
    example = re.search(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    assert example is not None

    assert parse_scenario(example[1]).name == "my-lab"
