"""What is published stays true: the schema, the reference, the documentation's examples, the presets."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from corral.workflow import (
    BUILT_IN,
    compile_playbook,
    parse_command,
    parse_recipe,
    preset_texts,
    resolve_plan,
)
from corral.workflow.context import DeviceContext, RunContext
from corral.workflow.filters import FILTERS
from corral.workflow.reference import actions_markdown
from corral.workflow.schema import recipe_schema, recipe_schema_text
from tests.unit.workflow.recipes import recipe, report, step

DOCS = Path(__file__).parents[3] / "docs"
RECIPES = (DOCS / "recipes.md").read_text("utf-8")
BLOCKS = re.findall(r"(<!-- playbook -->\n)?```yaml\n(.*?)```", RECIPES, re.DOTALL)
SCHEMA = jsonschema.Draft202012Validator(recipe_schema())


def test_the_stored_schema_is_the_generated_one() -> None:
    stored = (files("corral.workflow") / "recipe.schema.json").read_text("utf-8")

    assert stored == recipe_schema_text(), "run: python -m corral.workflow.schema"


def test_the_reference_of_actions_is_the_generated_one() -> None:
    assert (DOCS / "actions.md").read_text("utf-8") == actions_markdown(), "run: python -m corral.workflow.reference"


def test_the_schema_is_a_valid_one() -> None:
    jsonschema.Draft202012Validator.check_schema(json.loads(recipe_schema_text()))


@pytest.mark.parametrize(
    "source",
    [
        recipe(step("a", "app.start")),
        recipe(step("a", "app.start", with_={"package": 5})),
        recipe(step("a", "no.such")),
        recipe(step("a", probability=2)),
        recipe(report("a", nope=1)),
    ],
)
def test_the_schema_refuses_what_it_can_see(source: dict[str, Any]) -> None:
    assert not SCHEMA.is_valid(source)


@pytest.mark.parametrize("source", [text for mark, text in BLOCKS if not mark], ids=lambda text: text.split("\n")[0])
def test_every_recipe_in_the_documentation_is_valid(source: str) -> None:
    parse_recipe(source)

    assert SCHEMA.is_valid(yaml.safe_load(source))


def test_the_playbook_in_the_documentation_compiles() -> None:
    (source,) = [yaml.safe_load(text) for mark, text in BLOCKS if mark]
    commands = {command.name: command for command in map(parse_command, source["commands"])}

    compiled = compile_playbook(source["playbook"], commands)

    assert [each.id for each in compiled.steps] == ["open_app", "look", "open_app_2", "look_2"]


def test_the_documentation_names_every_filter_and_every_context_field() -> None:
    for name in {*FILTERS, *DeviceContext.__struct_fields__, *RunContext.__struct_fields__}:
        assert f"`{name}`" in RECIPES, name


def test_there_are_six_presets() -> None:
    assert list(preset_texts()) == [
        "app-smoke-test",
        "device-check",
        "instrumented-tests",
        "login-session",
        "screenshot-sweep",
        "soak",
    ]


@pytest.mark.parametrize(("name", "text"), preset_texts().items())
def test_every_preset_is_valid_and_explains_itself(name: str, text: str) -> None:
    parsed = parse_recipe(text)

    assert parsed.name == name
    assert parsed.title
    assert parsed.description
    assert all(each.title for each in parsed.steps)
    assert SCHEMA.is_valid(yaml.safe_load(text))
    assert len(resolve_plan(parsed).steps) == len(parsed.steps)
    assert {each.uses for each in parsed.steps} <= set(BUILT_IN)
