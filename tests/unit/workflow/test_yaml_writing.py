"""Writing YAML: what is read back is what was written, and it reads well."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corral.workflow import parse_recipe, preset_texts, to_json, to_yaml
from corral.workflow.limits import MAX_INT
from corral.workflow.yaml_text import load_yaml
from corral.workflow.yaml_writing import dump_yaml
from tests.unit.workflow.recipes import FUZZ, recipe, step

# Lone surrogates cannot be sent as JSON, nor kept.
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
LOOKS_LIKE_A_NUMBER = st.from_regex(r"[-+]?[0-9]{0,3}\.?[0-9]{0,3}([eE][-+]?[0-9]{1,2})?", fullmatch=True)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-MAX_INT, MAX_INT)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT
    | LOOKS_LIKE_A_NUMBER
)
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(TEXT, inner), max_leaves=12)


@FUZZ
@given(VALUES)
def test_what_is_written_is_read_back(value: object) -> None:
    assert load_yaml(dump_yaml({"value": value})) == {"value": value}


@pytest.mark.parametrize(
    "text",
    ["1.0e5", "12E5", "0x10", "1:30", "yes", "~", "", "null", "-", "- a", "a: b", "#", "\t", "\x85", "a\u2028\nb"],
)
def test_text_that_looks_like_something_else_stays_text(text: str) -> None:
    assert load_yaml(dump_yaml([text, {text: text}])) == [text, {text: text}]


@pytest.mark.parametrize("name", preset_texts())
def test_a_written_recipe_is_the_same_recipe(name: str) -> None:
    original = parse_recipe(preset_texts()[name])

    assert to_json(parse_recipe(to_yaml(original))) == to_json(original)


def test_a_recipe_is_written_as_people_would_write_it() -> None:
    original = parse_recipe(
        recipe(
            step("look", timeout_s=60, timeout_bounds_s=[1.5, 90], probability=0.5, title="Look"),
            step("read", "device.shell", with_={"command": "settings list global\ngetprop"}, on_failure="continue"),
            params={"count": {"type": "int", "default": 3}},
        )
    )

    assert to_yaml(original) == (
        "name: smoke\n"
        "params:\n"
        "  count:\n"
        "    type: int\n"
        "    default: 3\n"
        "steps:\n"
        "  - id: look\n"
        "    uses: device.screenshot\n"
        "    title: Look\n"
        "    probability: 0.5\n"
        "    timeout_s: 60\n"
        "    timeout_bounds_s:\n"
        "      - 1.5\n"
        "      - 90\n"
        "  - id: read\n"
        "    uses: device.shell\n"
        "    with:\n"
        "      command: |-\n"
        "        settings list global\n"
        "        getprop\n"
        "    on_failure: continue\n"
    )
