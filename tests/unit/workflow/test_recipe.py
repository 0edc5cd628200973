"""The records and their canonical form."""

from __future__ import annotations

import json
import re
from typing import Any

import jsonschema
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from corral.workflow import Backoff, canonical_hash, from_json, parse_recipe, to_json
from corral.workflow.schema import recipe_schema
from tests.unit.workflow.recipes import FUZZ, recipe, step

SCHEMA = jsonschema.Draft202012Validator(recipe_schema())

# PyYAML, which writes them, and we differ on which words are numbers: hence none that starts like one.
MESSAGES = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0{"), min_size=1, max_size=20).filter(
    lambda text: not re.match(r"[-+.0-9]", text)
)
STEPS = st.fixed_dictionaries(
    {"uses": st.just("report"), "with": st.fixed_dictionaries({"message": MESSAGES})},
    optional={
        "title": MESSAGES,
        "probability": st.floats(0, 1),
        "timeout_s": st.integers(1, 3600) | st.floats(1, 3600),
        "retries": st.integers(1, 20),
        "when": st.booleans() | st.just("1 < 2"),
        "continue_on_failure": st.booleans(),
        "repeatable": st.booleans(),
        "needs": st.just([]),
    },
)
PARAMS = st.one_of(
    st.fixed_dictionaries({"type": st.just("string")}, optional={"secret": st.booleans(), "description": MESSAGES}),
    st.fixed_dictionaries({"type": st.just("int")}, optional={"default": st.integers(-(2**53) + 1, 2**53 - 1)}),
    st.fixed_dictionaries({"type": st.just("number")}, optional={"default": st.floats(-1e9, 1e9)}),
    st.fixed_dictionaries({"type": st.just("boolean")}, optional={"default": st.booleans()}),
)


@st.composite
def recipes(draw: st.DrawFn) -> dict[str, Any]:
    steps = draw(st.lists(STEPS, min_size=1, max_size=5))
    names = st.from_regex(r"[a-z][a-z0-9_]{0,10}", fullmatch=True)
    return {
        "name": draw(st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,20}", fullmatch=True)),
        "mode": draw(st.sampled_from(["device", "distributed", "local"])),
        "timeout_s": draw(st.integers(3600, 86400)),
        "params": draw(st.dictionaries(names, PARAMS, max_size=4)),
        "steps": [{"id": f"s{position}", **each} for position, each in enumerate(steps)],
    }


@FUZZ
@given(recipes())
def test_a_recipe_survives_the_trip_through_its_canonical_form(source: dict[str, Any]) -> None:
    parsed = parse_recipe(source)
    text = to_json(parsed)

    assert from_json(text) == parse_recipe(text) == parsed
    assert to_json(from_json(text)) == text


@FUZZ
@given(recipes())
def test_json_yaml_and_objects_mean_the_same(source: dict[str, Any]) -> None:
    as_yaml = yaml.safe_dump(source, sort_keys=False)
    expected = canonical_hash(parse_recipe(source))

    assert canonical_hash(parse_recipe(json.dumps(source))) == expected
    assert canonical_hash(parse_recipe(as_yaml)) == expected


@FUZZ
@given(recipes())
def test_whatever_validates_also_fits_the_published_schema(source: dict[str, Any]) -> None:
    parsed = parse_recipe(source)

    assert list(SCHEMA.iter_errors(source)) == []
    assert list(SCHEMA.iter_errors(json.loads(to_json(parsed)))) == []


def test_stating_a_default_changes_no_hash() -> None:
    plain = parse_recipe(recipe(step("look")))
    stated = parse_recipe(
        recipe(
            step("look", probability=1, needs=None, requires=[], with_={}),
            mode="device",
            timeout_s=3600,
            defaults={"timeout_s": 90, "backoff": {"factor": 2}},
        )
    )

    assert canonical_hash(stated) == canonical_hash(plain)


def test_the_canonical_form_is_pinned() -> None:
    assert to_json(parse_recipe(recipe(step("look", timeout_s=30)))) == (
        '{"name":"smoke","steps":[{"id":"look","timeout_s":30.0,"uses":"device.screenshot"}]}'
    )


@pytest.mark.parametrize(("retry", "delay"), [(1, 1), (2, 2), (3, 4), (5, 16), (6, 30), (20, 30)])
def test_backoff_grows_up_to_its_maximum(retry: int, delay: float) -> None:
    assert Backoff().delay_s(retry) == delay
