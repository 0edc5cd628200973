"""Rendering: types, undefined values, bounds and secrets."""

from __future__ import annotations

import json
import time
from typing import Any

import minijinja
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corral.model.errors import RenderError
from corral.workflow import (
    MASK,
    StepContext,
    collect_secrets,
    evaluate_for_each,
    evaluate_when,
    redact,
    render,
)
from corral.workflow.expression import ExpressionError, read_expression
from corral.workflow.redaction import redact_value
from corral.workflow.template import parse_template
from tests.unit.workflow.recipes import FUZZ, context

PARAMS: dict[str, Any] = {"count": 3, "ratio": 0.5, "on": True, "name": "x y", "none": None, "list": [1, "a"]}
CONTEXT = context(params=PARAMS, secret_params={"password": "hunter2 & co"})


@pytest.mark.parametrize(
    ("template", "value"),
    [
        ("{{ params.count }}", 3),
        ("  {{ params.count }}\n", 3),
        ("{{ params.count + 1 }}", 4),
        ("{{ params.ratio }}", 0.5),
        ("{{ params.on }}", True),
        ("{{ params.none }}", None),
        ("{{ params.list }}", [1, "a"]),
        ("{{ {'a': [params.count]} }}", {"a": [3]}),
        ("n={{ params.count }} {{ params.on }} {{ params.none }}.", "n=3 true ."),
        ("{{ params.list }}!", '[1,"a"]!'),
        ("{{ params.name|upper }}", "X Y"),
        ("{{ params.name|urlencode }}", "x%20y"),
        ("{{ params.missing|default('d') }}", "d"),
        ("{{ params.list|tojson }}", '[1,"a"]'),
        ("{{ params.list|join('-') }}", "1-a"),
        ("{{ 'a,b'|split(',') }}", ["a", "b"]),
        ("{{ 'a' if params.on else 'b' }}", "a"),
        ("{{ device.serial }}/{{ device.index }}/{{ run.run_id }}", "ABC123/3/r1"),
        ("{{ steps.open.output.pid }}", 7),
        ("{{ steps['open'].output['pid'] }}", 7),
        ("{{ steps.open.output.items[1] }}", 2),
        ("{{ steps.open.status }}", "succeeded"),
        ("{{ '{{' }} }}", "{{ }}"),
        ("${#x} {% 5", "${#x} {% 5"),
        ("plain", "plain"),
    ],
)
def test_templates_render_to_values(template: str, value: object) -> None:
    rendered = render(template, CONTEXT).value

    assert rendered == value
    assert type(rendered) is type(value)


def test_templates_inside_lists_and_objects_are_rendered() -> None:
    source = {"a": ["{{ params.count }}", {"b": "{{ params.on }}"}], "c": 1}

    assert render(source, CONTEXT).value == {"a": [3, {"b": True}], "c": 1}


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("{{ params.missing }}", "params.missing }} is undefined"),
        ("x {{ params.missing }}", "params.missing }} is undefined"),
        ("{{ params.missing.deep }}", "`params.missing` is undefined"),
        ("{{ steps.open.output.keys }}", "is undefined"),
        ("{{ steps.open.output.items.append }}", "is undefined"),
        ("{{ params.list[9] }}", "is undefined"),
        ("{{ nothing }}", "nothing }} is undefined"),
        ("{{ params.missing ~ 'a' }}", "undefined"),
        ("{{ params.count / 0 }}", "unable to calculate"),
        ("{{ params.name + 1 }}", "unsupported types"),
        ("{{ params.count|replace('a', 'b') }}", "params.count|replace"),
        ("{{ range(9) }}", "calls are not supported"),
    ],
)
def test_what_cannot_be_rendered_names_the_expression_and_the_place(template: str, message: str) -> None:
    with pytest.raises(RenderError) as failed:
        render({"text": template}, CONTEXT)

    assert failed.value.path == "with.text"
    assert message in failed.value.message


@pytest.mark.parametrize(
    "template",
    [
        "{{ ('x'|replace('x', '" + "x" * 50 + "'))" + "|replace('x', 'xxxxxxxxxxxxxxxxxxxx')" * 30 + " }}",
        "{{ '\"\"'" + "|tojson" * 200 + " }}",
        "{{ params.big|join(params.big|join) }}",
        "{{ params.text ~ params.text }}",
        "{{ params.text }}{{ params.text }}",
        "{{ 1" + "+1" * 990 + " }}" + "{{ 1" + "|abs" * 490 + " }}" + "x" * 300_000,
    ],
    ids=range(6),
)
def test_a_template_cannot_grow_without_bound(template: str) -> None:
    started = time.process_time()
    with pytest.raises(RenderError, match="longer than"):
        render(template, context(params={"big": ["x" * 1000] * 200, "text": "y" * 200_000}))

    assert time.process_time() - started < 5


def test_rendering_leaves_the_context_as_it_was() -> None:
    params = {"list": [3, 1, 2]}

    assert render("{{ params.list|sort|join(',') }}", context(params=params)).value == "1,2,3"
    assert params == {"list": [3, 1, 2]}


@pytest.mark.parametrize(
    ("when", "holds"),
    [
        (None, True),
        (True, True),
        (False, False),
        ("params.count > 2", True),
        ("{{ params.count > 5 }}", False),
        ("params.missing is defined", False),
        ("params.none is none", True),
        ("steps.open.status == 'succeeded' and not false", True),
        ("'lab' in device.tags", True),
    ],
)
def test_conditions_are_true_or_false(when: str | bool | None, holds: bool) -> None:
    assert evaluate_when(when, CONTEXT) is holds


@pytest.mark.parametrize("when", ["params.count", "params.missing", "params.name", "a b", "'true'"])
def test_a_condition_that_is_neither_true_nor_false_fails(when: str) -> None:
    with pytest.raises(RenderError) as failed:
        evaluate_when(when, CONTEXT)

    assert failed.value.path == "when"


def test_for_each_yields_a_list() -> None:
    assert evaluate_for_each("{{ params.list }}", CONTEXT) == [1, "a"]
    assert evaluate_for_each(["{{ params.count }}", 2], CONTEXT) == [3, 2]


@pytest.mark.parametrize("for_each", ["{{ params.count }}", "{{ params.long }}", "text"])
def test_for_each_over_anything_else_fails(for_each: str) -> None:
    with pytest.raises(RenderError):
        evaluate_for_each(for_each, context(params={**PARAMS, "long": list(range(1001))}))


def test_item_is_what_the_step_repeats_for() -> None:
    assert render("{{ item.url }}", context(item={"url": "u"})).value == "u"


def test_a_skipped_step_has_an_empty_output() -> None:
    skipped = context(steps={"look": StepContext(status="skipped")})

    assert render("{{ steps.look.output.path|default('none') }}", skipped).value == "none"


def test_secrets_and_what_derives_from_them_are_collected() -> None:
    rendered = render({"a": "{{ params.password|upper }}!", "b": "{{ params.name }}"}, CONTEXT)
    log = "typed HUNTER2 & CO! then hunter2 & co for x y, hunter2%20%26%20co in the URL"

    assert rendered.value["a"] == "HUNTER2 & CO!"
    assert redact(log, rendered.secrets) == f"typed {MASK}! then {MASK} for x y, {MASK} in the URL"


@pytest.mark.parametrize(
    "template", ["{{ params.password|int }}", "{{ params.password + 1 }}", "{{ params.password.x }}"]
)
def test_a_failed_render_does_not_tell_the_secret(template: str) -> None:
    with pytest.raises(RenderError) as failed:
        render(template, CONTEXT)

    assert "hunter2" not in str(failed.value)


def test_redaction_reaches_into_values_and_masks_the_longest_first() -> None:
    secrets = collect_secrets(["pass", "password1", "1234"])

    assert redact_value({"password1": ["xpassword1", 1234, True, None]}, secrets) == {
        MASK: [f"x{MASK}", MASK, True, None]
    }


def test_each_line_of_a_secret_is_a_secret() -> None:
    assert redact("only line-two", collect_secrets(["line-one\nline-two\n"])) == f"only {MASK}"


@FUZZ
@given(st.text("abc $'\"\\é", min_size=4), st.text("abc 01"), st.text("abc 01"))
def test_no_secret_survives_redaction(secret: str, before: str, after: str) -> None:
    text = before + secret + after

    assert secret not in redact(text, collect_secrets([secret]))
    assert json.dumps(secret)[1:-1] not in redact(json.dumps(text), collect_secrets([secret]))


@FUZZ
@given(st.text() | st.text(alphabet="{}()[]'\"|.,+-~ %paramsxi0\\"))
def test_any_text_renders_or_fails_cleanly(text: str) -> None:
    for template in (text, "{{" + text + "}}"):
        try:
            render(template, CONTEXT)
        except RenderError:
            continue


@FUZZ
@given(st.text(alphabet="abc.|[]()'\"+ ,:{}=is", max_size=30))
def test_we_see_every_name_that_the_engine_sees(source: str) -> None:
    try:
        expressions = parse_template("{{" + source + "}}").expressions
        engine_names = minijinja.Environment().undeclared_variables_in_str("{{ (" + source + ") }}")
    except (ExpressionError, minijinja.TemplateError):
        return

    assert engine_names <= {ref.parts[0] for each in expressions for ref in each.references}


@pytest.mark.parametrize(
    ("source", "references"),
    [
        ("a.b.c", ["a.b.c"]),
        ("a['b'].c[0].d", ["a.b.c"]),
        ("a.b[c.d]", ["a.b", "c.d"]),
        ("x|default(y.z)|join(sep=w)", ["x", "y.z", "w"]),
        ("a is not defined and b is divisibleby(c)", ["a", "b", "c"]),
        ("{'k': v, w: 1}", ["v", "w"]),
        ('\'a.b\' ~ "c\\"d"', []),
        ("a . b", ["a.b"]),
        ("x.0.y", ["x.0.y"]),
    ],
)
def test_references_are_found(source: str, references: list[str]) -> None:
    assert [".".join(ref.parts) for ref in read_expression(source).references] == references
