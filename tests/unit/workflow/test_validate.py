"""What is refused, and with which path."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corral.workflow import BUILT_IN, find_problems
from tests.unit.workflow.recipes import FUZZ, paths_of, problems_of, recipe, report, step

LOOK = step("look")
DISTRIBUTED: dict[str, Any] = {"mode": "distributed"}
START = {"package": "com.android.settings"}


def given_param(**spec: Any) -> dict[str, Any]:
    return recipe(params={"p": spec})


BAD: list[tuple[object, str, str]] = [
    # the document
    ([], "", "expected an object, got a list"),
    ("", "", "expected an object, got null"),
    ({"steps": [LOOK]}, "name", "is required"),
    ({"name": "x"}, "steps", "is required"),
    (recipe(steps=[]), "steps", "at least 1"),
    (recipe(steps={"id": "a"}), "steps", "expected a list"),
    (recipe(name="a b"), "name", "must be letters"),
    (recipe(name="a\n"), "name", "line break"),
    (recipe(nme=1), "nme", "did you mean 'name'?"),
    (recipe(**{"odd key!": 1}), '["odd key!"]', "unknown key"),
    (recipe(mode="devise"), "mode", "did you mean 'device'?"),
    (recipe(timeout_s=0), "timeout_s", "expected a number >= 1"),
    (recipe(timeout_s="10"), "timeout_s", "expected a number, got text"),
    (recipe(defaults={"timout_s": 1}), "defaults.timout_s", "did you mean 'timeout_s'?"),
    (recipe(defaults={"on_failure": "retry", "retries": 0}), "defaults.retries", "at least one"),
    (recipe(*[step(f"s{n}") for n in range(1001)]), "steps", "more than 1000"),
    # params
    (given_param(type="strin"), "params.p.type", "did you mean 'string'?"),
    (given_param(), "params.p.type", "is required"),
    (recipe(params={"Bad-Name": {"type": "int"}}), "params.Bad-Name", "lower-case"),
    (recipe(params={"p": "string"}), "params.p", "expected an object, got text"),
    (given_param(type="int", default="3"), "params.p.default", "expected an integer, got text"),
    (given_param(type="int", default=True), "params.p.default", "expected an integer, got a boolean"),
    (given_param(type="int", default=1.5), "params.p.default", "expected an integer, got a number"),
    (given_param(type="boolean", default=0), "params.p.default", "expected true or false"),
    (given_param(type="string", default=[]), "params.p.default", "expected"),
    (given_param(type="enum"), "params.p.choices", "at least one choice"),
    (given_param(type="enum", choices=["a", "a"]), "params.p.choices[1]", "appears twice"),
    (given_param(type="enum", choices=["a"], default="b"), "params.p.default", "must be one of a"),
    (given_param(type="string", choices=["a"]), "params.p.choices", "only an enum"),
    (
        given_param(type="string", secret=True, default="x"),
        "params.p.default",
        "secret cannot have a default",
    ),
    (given_param(type="int", secret=True), "params.p.type", "a secret must be a string"),
    (given_param(type="int", required=True, default=1), "params.p.required", "cannot have a default"),
    # steps
    (recipe(LOOK, "look"), "steps[1]", "expected an object, got text"),  # type: ignore[arg-type]
    (recipe({"uses": "report"}), "steps[0].id", "is required"),
    (recipe({"id": "a"}), "steps[0].uses", "is required"),
    (recipe(step("a-b")), "steps[0].id", "must be lower-case letters"),
    (recipe(LOOK, LOOK), "steps[1].id", "already the id of steps[0]"),
    (recipe(step("a", "device.screenshat")), "steps[0].uses", "did you mean 'device.screenshot'?"),
    (recipe(step("a", retrys=1)), "steps[0].retrys", "did you mean 'retries'?"),
    (recipe(step("a", probability=1.01)), "steps[0].probability", "<= 1"),
    (recipe(step("a", probability=-0.1)), "steps[0].probability", ">= 0"),
    (recipe(step("a", probability="0.5")), "steps[0].probability", "expected a number, got text"),
    (recipe(step("a", probability=True)), "steps[0].probability", "expected a number, got a boolean"),
    (recipe(step("a", retries=-1)), "steps[0].retries", ">= 0"),
    (recipe(step("a", on_failure="retry", retries=0)), "steps[0].retries", "at least one"),
    (recipe(step("a", on_failure="stop", retries=2)), "steps[0].retries", "only used with on_failure: retry"),
    (
        recipe(step("a", retries=0), defaults={"on_failure": "retry"}),
        "steps[0].retries",
        "say on_failure: stop",
    ),
    (recipe(step("a", backoff={"initial_s": 1})), "steps[0].backoff", "only used with retries"),
    (
        recipe(step("a", retries=1, backoff={"initial_s": 9, "max_s": 1})),
        "steps[0].backoff.initial_s",
        "more than",
    ),
    (
        recipe(step("a", on_failure="stop", continue_on_failure=True)),
        "steps[0].continue_on_failure",
        "contradicts",
    ),
    (
        recipe(step("a", on_failure="continue", continue_on_failure=False)),
        "steps[0].continue_on_failure",
        "contra",
    ),
    (recipe(step("a", requires=["linux"])), "steps[0].requires", "the node that the device is on"),
    (recipe(step("a", for_each=[1])), "steps[0].for_each", "only distributed recipes"),
    (recipe(report("a", for_each=[1]), mode="local"), "steps[0].for_each", "only distributed recipes"),
    (recipe(report("a", for_each=[]), **DISTRIBUTED), "steps[0].for_each", "empty"),
    (recipe(report("a", for_each="b"), **DISTRIBUTED), "steps[0].for_each", "must be a list"),
    (recipe(LOOK, **DISTRIBUTED), "steps[0].uses", "needs a device, and the recipe's mode is distributed"),
    (recipe(LOOK, mode="local"), "steps[0].uses", "needs a device, and the recipe's mode is local"),
    # order
    (recipe(step("a", needs=["b"]), step("b", needs=["a"])), "steps[0].needs", "circle: a → b → a"),
    (recipe(step("a", needs=["a"])), "steps[0].needs", "circle: a → a"),
    (
        recipe(report("a", needs=["c"]), report("b"), report("c"), **DISTRIBUTED),
        "steps[0].needs",
        "circle: a → c → b → a",
    ),
    (recipe(LOOK, step("b", needs=["lok"])), "steps[1].needs[0]", "did you mean 'look'?"),
    (recipe(LOOK, step("b", needs=["look", "look"])), "steps[1].needs[1]", "appears twice"),
    (recipe(step("a", needs=["b"]), step("b", needs=[])), "steps[0].needs", "'b' comes later"),
    # timeouts
    (recipe(step("a", timeout_s=0.5)), "steps[0].timeout_s", ">= 1"),
    (recipe(step("a", timeout_s=3601)), "steps[0].timeout_s", "outside the default bounds [1, 3600]"),
    (
        recipe(step("a", timeout_s=4, timeout_bounds_s=[5, 9])),
        "steps[0].timeout_s",
        "outside the step's bounds",
    ),
    (recipe(step("a", timeout_bounds_s=[5, 9])), "steps[0].timeout_bounds_s", "the default timeout of 90 s"),
    (recipe(step("a", timeout_bounds_s=[9, 5])), "steps[0].timeout_bounds_s", "the least is more"),
    (recipe(step("a", timeout_bounds_s=[9])), "steps[0].timeout_bounds_s", "at least 2"),
    (recipe(step("a", timeout_bounds_s=[1, 90000])), "steps[0].timeout_bounds_s[1]", "<= 86400"),
    (recipe(step("a", timeout_s=700), timeout_s=600), "steps[0].timeout_s", "longer than the whole job"),
    (recipe(LOOK, defaults={"timeout_s": 4000}), "steps[0].timeout_s", "the default timeout of 4000 s"),
    (recipe(step("a", "flow.sleep", with_={"duration_s": 90})), "steps[0].with.duration_s", "leaves no room"),
    # with
    (recipe(step("a", "app.start")), "steps[0].with.package", "is required"),
    (recipe(step("a", "app.start", with_=[])), "steps[0].with", "expected an object, got a list"),
    (
        recipe(step("a", "app.start", with_={"package": 5})),
        "steps[0].with.package",
        "expected text, got an integer",
    ),
    (recipe(step("a", "app.start", with_={"package": "a;b"})), "steps[0].with.package", "a package name"),
    (
        recipe(step("a", "app.start", with_={"pakage": "a.b"})),
        "steps[0].with.pakage",
        "did you mean 'package'?",
    ),
    (recipe(step("a", "input.tap", with_={"x": -1, "y": 1})), "steps[0].with.x", ">= 0"),
    (recipe(step("a", "input.tap", with_={"x": 1, "y": "z{{ 1 }}"})), "steps[0].with.y", "not a number"),
    (
        recipe(step("a", "input.key", with_={"key": "A", "times": "x{{ 1 }}"})),
        "steps[0].with.times",
        "an integer",
    ),
    (
        recipe(step("a", "assert.shell", with_={"command": "id", "equals": "1", "contains": "1"})),
        "steps[0].with.contains",
        "only one of",
    ),
    (
        recipe(
            step(
                "a",
                "app.login",
                with_={**START, "fields": [{"field": "x"}], "submit": "Go", "expect_text": "Hi"},
            )
        ),
        "steps[0].with.fields[0].value",
        "is required",
    ),
    # templates
    (recipe(report("a", "{{ params.x }}")), "steps[0].with.message", "params has no 'x'"),
    (recipe(report("a", "{{ params['x'] }}")), "steps[0].with.message", "params has no 'x'"),
    (recipe(report("a", "{{ params }}")), "steps[0].with.message", "needs a name"),
    (recipe(report("a", "{{ env.HOME }}")), "steps[0].with.message", "unknown name 'env'"),
    (recipe(report("a", "{{ device.seral }}")), "steps[0].with.message", "did you mean 'serial'?"),
    (recipe(report("a", "{{ run.id }}")), "steps[0].with.message", "run has no 'id'"),
    (
        recipe(report("a", "{{ device.serial }}"), **DISTRIBUTED),
        "steps[0].with.message",
        "there is no device",
    ),
    (recipe(report("a", "{{ item }}")), "steps[0].with.message", "'item' exists only"),
    (recipe(report("a", "{{ steps.b.output.x }}")), "steps[0].with.message", "there is no step 'b'"),
    (recipe(report("a", "{{ steps.a.status }}")), "steps[0].with.message", "not upstream"),
    (recipe(report("a", "{{ steps.look.status }}"), LOOK), "steps[0].with.message", "not upstream"),
    (recipe(LOOK, report("a", "{{ steps.look }}")), "steps[1].with.message", ".output or .status"),
    (recipe(LOOK, report("a", "{{ steps.look.state }}")), "steps[1].with.message", "did you mean 'status'?"),
    (
        recipe(LOOK, report("a", "{{ steps.look.output.pth }}")),
        "steps[1].with.message",
        "did you mean 'path'?",
    ),
    (
        recipe(report("a"), report("b", "{{ steps.a.status }}", needs=[]), **DISTRIBUTED),
        "steps[1].with.message",
        "not upstream",
    ),
    (recipe(report("a", "{{ 1")), "steps[0].with.message", "never closed"),
    (recipe(report("a", "{{ }}")), "steps[0].with.message", "empty"),
    (recipe(report("a", "{{ 1 + }}")), "steps[0].with.message", "template:"),
    (recipe(report("a", "{{ (1 }}")), "steps[0].with.message", "never closed"),
    (recipe(report("a", "{{ 'x }}")), "steps[0].with.message", "template:"),
    (recipe(report("a", "{{- 1 }}")), "steps[0].with.message", "whitespace control"),
    (recipe(report("a", "{% if x %}y{% endif %}")), "steps[0].with.message", "statements"),
    (recipe(report("a", "{{ range(9) }}")), "steps[0].with.message", "calls are not supported"),
    (recipe(report("a", "{{ device.tags.pop() }}")), "steps[0].with.message", "calls are not supported"),
    (recipe(report("a", "{{ [1] * 9 }}")), "steps[0].with.message", "'*' is not supported"),
    (recipe(report("a", "{{ 'x'|uper }}")), "steps[0].with.message", "did you mean 'upper'?"),
    (recipe(step("a", when="params.x")), "steps[0].when", "params has no 'x'"),
    (recipe(step("a", when="a b")), "steps[0].when", "template:"),
    (recipe(step("a", when="x {{ 1 }}")), "steps[0].when", "one expression"),
    (recipe(step("a", when=3)), "steps[0].when", "expected"),
    (recipe(report("a", when="item", for_each=[1]), **DISTRIBUTED), "steps[0].when", "'item' exists only"),
    (recipe(report("a", for_each="{{ params.x }}"), **DISTRIBUTED), "steps[0].for_each", "params has no 'x'"),
    (
        recipe(report("a", for_each=["{{ params.x }}"]), **DISTRIBUTED),
        "steps[0].for_each[0]",
        "params has no 'x'",
    ),
]


@pytest.mark.parametrize(("source", "path", "message"), BAD, ids=lambda value: str(value)[:60])
def test_a_bad_recipe_is_refused_at_its_one_bad_place(source: object, path: str, message: str) -> None:
    problems = problems_of(source)

    assert [where for where, _ in problems if where == path], problems
    assert any(where == path and message in text for where, text in problems), problems


def test_all_problems_are_reported_at_once_in_the_order_of_the_document() -> None:
    source = recipe(
        step("a-b", "device.bootstrp"),
        report("b", "{{ params.q }}", probability=2),
        step("c", "app.start", timeout_s=9000, needs=["nobody"]),
        mod=1,
    )

    assert paths_of(source) == [
        "mod",
        "steps[0].id",
        "steps[0].uses",
        "steps[1].probability",
        "steps[1].with.message",
        "steps[2].needs[0]",
        "steps[2].timeout_s",
        "steps[2].with.package",
    ]


def test_one_mistake_is_not_reported_as_several() -> None:
    broken_param = recipe(report("a", "{{ params.p }}"), params={"p": {"type": "strng"}})
    broken_id = recipe(step("Bad"), report("b", needs=[]))

    assert paths_of(broken_param) == ["params.p.type"]
    assert paths_of(broken_id) == ["steps[0].id"]


GOOD: list[dict[str, Any]] = [
    recipe(report("a", for_each=[1, {"b": 2}]), report("b"), **DISTRIBUTED),
    recipe(step("a", "shell.run", with_={"command": ["id"]}, requires=["linux"]), mode="local"),
    recipe(step("a", timeout_s=7000, timeout_bounds_s=[5, 80000]), timeout_s=8000),
    recipe(LOOK, step("b", needs=[]), step("c", needs=["look"])),
    recipe(LOOK, report("b", "{{ steps.look.output.path|default('') }}", when="steps.look.status == 'failed'")),
    recipe(step("a", "shell.run", with_={"command": "x"}), report("b", "{{ steps.a.output.printed }}"), mode="local"),
    recipe(report("a"), report("b", "{{ steps.a.output.kept }}")),
    recipe(step("a", "input.tap", with_={"x": "{{ 1 }}", "y": "{{ 2 + 3 }}"})),
    recipe(step("a", "device.shell", with_={"command": "x=abc; echo ${#x} {a,b} '%{http_code}'"})),
    recipe(step("a", "http.request", with_={"url": "https://e.com", "json": {"a": ["{{ device.serial }}"]}})),
    recipe(report("a", "{{ {'a': {'b': 1}} }} {{ '}}' }}")),
    recipe(step("a", when=True), step("b", when="{{ not false }}"), step("c", when=None)),
    recipe(step("a", "flow.sleep", with_={"duration_s": 100}, timeout_s=101)),
    recipe(
        report("a", "{{ item.url }}", for_each="{{ params.x|split(',') }}"),
        params={"x": {"type": "string"}},
        **DISTRIBUTED,
    ),
]


@pytest.mark.parametrize("source", GOOD, ids=lambda value: str(value["steps"])[:60])
def test_a_good_recipe_is_accepted(source: dict[str, Any]) -> None:
    assert problems_of(source) == []


NAMES = st.sampled_from(["id", "uses", "with", "needs", "when", "for_each", "timeout_s", "retries", "on_failure"])
VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-5, 5000),
    st.floats(),
    st.sampled_from(["a", "b", "{{ steps.a.output.x }}", "{{ params.p", "retry", *sorted(BUILT_IN)]),
    st.text('ab{}.\n "é', max_size=8),
    st.lists(st.sampled_from(["a", "b", "c"]), max_size=3),
    st.dictionaries(st.sampled_from(["package", "x", "command", "message"]), st.text("ab{}", max_size=8), max_size=3),
)


@FUZZ
@given(
    st.lists(st.dictionaries(NAMES, VALUES), max_size=5),
    st.dictionaries(st.sampled_from(["mode", "params", "defaults", "timeout_s"]), VALUES),
)
def test_nearly_valid_recipes_are_refused_and_nothing_worse(
    steps: list[dict[str, Any]], members: dict[str, Any]
) -> None:
    for problem in find_problems({"name": "fuzz", "steps": steps, **members}):
        assert problem.message
        assert problem.path.startswith(("", "steps", "params", *members))
