"""Reading text: what is refused, where, and that nothing else than RecipeInvalidError comes out."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corral.model.errors import RecipeInvalidError
from corral.workflow.limits import MAX_DEPTH, MAX_SOURCE_BYTES
from corral.workflow.source import read_document
from corral.workflow.validate import parse_recipe
from tests.unit.workflow.recipes import FUZZ

SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
ANYTHING = st.recursive(
    SCALARS | st.binary() | st.dates(),
    lambda inner: st.lists(inner) | st.dictionaries(SCALARS, inner) | st.tuples(inner),
    max_leaves=20,
)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: 1\na: 2\n", "line 2, column 1: the key 'a' appears twice"),
        ("a: [1\nb: 2", "line 2"),
        ("a: 'x", "line 1"),
        ("a: !!python/object/apply:os.system ['id']", "line 1, column 4: tags are not supported"),
        ("a: 1\n---\nb: 2\n", "line 2, column 1: only one document is allowed"),
        ("a: *nowhere", "line 1, column 4: the alias *nowhere has no anchor"),
        ("a: &loop [*loop]", "line 1, column 11: the alias *loop contains itself"),
        ("1: x", "line 1, column 1: keys must be text"),
        ("a: .nan", "line 1, column 4: numbers must be finite"),
        ("[" * 100, f"column {MAX_DEPTH + 1}: nested more than"),
        ('{"a": 1, "a": 2}', "the key 'a' appears twice"),
        ('{"a": NaN}', "NaN is not a JSON number"),
        ('{"a": 1,\n "b" 2}', "line 2, column 6"),
        ('{"a":' * 5000, "nested more than"),
        ('{"a": ' + "9" * 5000 + "}", "a number is too long"),
        ('{"a": "\\u0000"}', "cannot be stored"),
        ('{"a": "\\ud800"}', "cannot be stored"),
        ("a: 9007199254740992", "integers must lie within"),
        ("x" * (MAX_SOURCE_BYTES + 1), "larger than"),
        (b"a: \xff", "not UTF-8"),
    ],
)
def test_text_that_cannot_be_read_exactly_is_refused(text: str | bytes, message: str) -> None:
    with pytest.raises(RecipeInvalidError) as refused:
        read_document(text)

    assert message in str(refused.value)


def test_a_billion_laughs_are_refused_at_once() -> None:
    lines = ["a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol, lol]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 10)]

    with pytest.raises(RecipeInvalidError, match=r"line 5, .* holds more than 20000 values"):
        read_document("\n".join(lines))


def test_aliases_within_bounds_work() -> None:
    assert read_document("a: &x {b: 1}\nc: [*x, *x]") == {"a": {"b": 1}, "c": [{"b": 1}, {"b": 1}]}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("yes", "yes"),
        ("on", "on"),
        ("1:30", "1:30"),
        ("2026-01-02", "2026-01-02"),
        ("true", True),
        ("~", None),
        ("0x10", "0x10"),
        ("12E5", "12E5"),
        ("08", "08"),
        ("-007", "-007"),
        ("0", 0),
        ("010", "010"),
        ("1.5e3", 1500.0),
        ("-.5", -0.5),
        ("'1'", "1"),
        ("<<", "<<"),
    ],
)
def test_scalars_mean_what_they_look_like(text: str, value: object) -> None:
    assert read_document(f"a: {text}") == {"a": value}


def test_flow_style_yaml_and_json_are_told_apart() -> None:
    assert read_document("{a: [x, y]}") == read_document('{"a": ["x", "y"]}') == {"a": ["x", "y"]}


def test_a_byte_order_mark_is_ignored() -> None:
    assert read_document(b'\xef\xbb\xbf{"a": 1}') == read_document("\ufeffa: 1") == {"a": 1}


@FUZZ
@given(st.dictionaries(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")), st.booleans()))
def test_json_text_reads_as_itself(document: dict[str, bool]) -> None:
    assert read_document(json.dumps(document)) == document


def _refused_or_parsed(source: object) -> None:
    with suppress(RecipeInvalidError):
        parse_recipe(source)


@FUZZ
@given(st.text() | st.binary() | st.text(alphabet="{}[]:,-&*!|>'\"%@ \n\tab01#?~"))
def test_arbitrary_text_is_refused_and_nothing_worse(text: str | bytes) -> None:
    _refused_or_parsed(text)


@FUZZ
@given(ANYTHING)
def test_arbitrary_objects_are_refused_and_nothing_worse(document: object) -> None:
    _refused_or_parsed(document)


def test_an_object_that_contains_itself_is_refused() -> None:
    loop: list[object] = []
    loop.append(loop)

    with pytest.raises(RecipeInvalidError, match="nested more than"):
        parse_recipe({"name": "x", "steps": loop})
