"""Plans, overrides and parameters of runs."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from corral.model.errors import RecipeInvalidError
from corral.workflow import (
    ParamSpec,
    Plan,
    param_from_text,
    parse_recipe,
    read_overrides,
    resolve_params,
    resolve_plan,
)
from tests.unit.workflow.recipes import recipe, report, step

SPECS = {
    "title": ParamSpec(type="string", default="hi"),
    "count": ParamSpec(type="int"),
    "ratio": ParamSpec(type="number", required=False),
    "loud": ParamSpec(type="boolean", default=False),
    "size": ParamSpec(type="enum", choices=["small", "large"], default="small"),
    "pin": ParamSpec(type="string", secret=True, required=False),
}


def plan_of(*steps: dict[str, Any], overrides: object = None, **members: Any) -> Plan:
    return resolve_plan(parse_recipe(recipe(*steps, **members)), overrides)


def test_a_plan_fills_in_what_the_recipe_leaves_open() -> None:
    planned = plan_of(step("a"), step("b", retries=2), step("c", on_failure="continue")).steps

    assert [each.needs for each in planned] == [[], ["a"], ["b"]]
    assert [each.timeout_s for each in planned] == [90, 90, 90]
    assert [each.on_failure for each in planned] == ["stop", "retry", "continue"]
    assert [each.retries for each in planned] == [0, 2, 0]
    assert [each.continue_on_failure for each in planned] == [False, False, True]
    assert [each.timeout_bounds_s for each in planned] == [(1, 3600)] * 3
    assert [each.repeatable for each in planned] == [True, True, True]


def test_defaults_of_the_recipe_reach_every_step() -> None:
    defaults = {"timeout_s": 40, "on_failure": "retry", "retries": 3, "backoff": {"initial_s": 5}}
    first, second = plan_of(step("a"), step("b", on_failure="stop"), defaults=defaults).steps

    assert (first.timeout_s, first.on_failure, first.retries, first.backoff.initial_s) == (40, "retry", 3, 5)
    assert (second.on_failure, second.retries) == ("stop", 0)


def test_a_step_that_is_retried_is_retried_once_unless_told_otherwise() -> None:
    assert plan_of(step("a", on_failure="retry")).steps[0].retries == 1


@pytest.mark.parametrize(
    ("uses", "arguments", "default_s", "timeout_s"),
    [
        ("app.install", {"file": "a.apk"}, 90, 300),
        ("app.install", {"file": "a.apk"}, 600, 600),
        ("artifact.upload", {"path": "a.png"}, 600, 30),
        ("device.screenshot", {}, 15, 15),
    ],
)
def test_an_action_that_needs_longer_gets_it(uses: str, arguments: Any, default_s: float, timeout_s: float) -> None:
    planned = plan_of(step("a", uses, with_=arguments), defaults={"timeout_s": default_s})

    assert planned.steps[0].timeout_s == timeout_s


def test_capabilities_of_the_action_and_of_the_step_are_joined() -> None:
    shell = step("a", "shell.run", with_={"command": "id"}, requires=["linux"])

    assert plan_of(shell, mode="distributed").steps[0].requires == ["linux", "shell"]


def test_a_step_may_say_that_it_is_repeatable() -> None:
    tap = {"x": 1, "y": 1}
    first, second = plan_of(step("a", "input.tap", with_=tap), step("b", "input.tap", with_=tap, repeatable=True)).steps

    assert (first.repeatable, second.repeatable) == (False, True)


def test_a_plan_survives_the_wire() -> None:
    planned = plan_of(report("a", "{{ item }}", for_each=[1]), mode="distributed")

    assert msgspec.json.decode(msgspec.json.encode(planned), type=Plan) == planned


def test_a_run_overrides_timeouts_within_bounds() -> None:
    overrides = {"a": {"timeout_s": 5}, "b": {"timeout_s": 3600}}
    planned = plan_of(step("a", timeout_s=9, timeout_bounds_s=[5, 10]), step("b"), overrides=overrides)

    assert [each.timeout_s for each in planned.steps] == [5, 3600]


@pytest.mark.parametrize(
    ("overrides", "path", "message"),
    [
        ({"a": {"timeout_s": 4}}, "overrides.a.timeout_s", "outside the step's bounds [5, 10]"),
        ({"a": {"timeout_s": 11}}, "overrides.a.timeout_s", "outside the step's bounds [5, 10]"),
        ({"b": {"timeout_s": 3601}}, "overrides.b.timeout_s", "outside the step's bounds [1, 3600]"),
        ({"a": {"timeout_s": "6"}}, "overrides.a.timeout_s", "expected a number, got text"),
        ({"a": {"timeout": 6}}, "overrides.a.timeout", "did you mean 'timeout_s'?"),
        ({"a": 6}, "overrides.a", "expected an object"),
        ({"c": {}}, "overrides.c", "there is no step 'c'"),
        ([], "overrides", "expected an object"),
    ],
)
def test_overrides_that_do_not_fit_are_refused(overrides: object, path: str, message: str) -> None:
    parsed = parse_recipe(recipe(step("a", timeout_s=9, timeout_bounds_s=[5, 10]), step("b")))

    with pytest.raises(RecipeInvalidError) as refused:
        read_overrides(parsed, overrides)

    assert refused.value.code == "overrides_invalid"
    assert refused.value.problems[0].path == path
    assert message in refused.value.problems[0].message


def test_parameters_get_their_defaults_and_secrets_are_kept_apart() -> None:
    resolved = resolve_params(SPECS, {"count": 2, "pin": "0000-1"})

    assert resolved.public == {"title": "hi", "count": 2, "ratio": None, "loud": False, "size": "small"}
    assert resolved.secret == {"pin": "0000-1"}


@pytest.mark.parametrize(
    ("given", "path", "message"),
    [
        ({}, "params.count", "is required"),
        ({"count": None}, "params.count", "cannot be null"),
        ({"count": "2"}, "params.count", "expected an integer, got text"),
        ({"count": True}, "params.count", "expected an integer, got a boolean"),
        ({"count": 2**53}, "params.count", "must lie within"),
        ({"count": 1, "ratio": "x"}, "params.ratio", "expected a number"),
        ({"count": 1, "ratio": float("nan")}, "params.ratio", "finite"),
        ({"count": 1, "title": "\0"}, "params.title", "cannot be stored"),
        ({"count": 1, "loud": 1}, "params.loud", "expected true or false"),
        ({"count": 1, "size": "smal"}, "params.size", "did you mean 'small'?"),
        ({"count": 1, "titel": "x"}, "params.titel", "did you mean 'title'?"),
        ({"count": 1, "pin": "abc"}, "params.pin", "at least 4 characters"),
        ({"count": 1, "pin": 12345}, "params.pin", "expected text"),
    ],
)
def test_parameters_that_do_not_fit_are_refused(given: dict[str, Any], path: str, message: str) -> None:
    with pytest.raises(RecipeInvalidError) as refused:
        resolve_params(SPECS, given)

    assert refused.value.code == "params_invalid"
    assert [(problem.path, message in problem.message) for problem in refused.value.problems] == [(path, True)]


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("count", "3", 3),
        ("count", "3.5", "3.5"),
        ("ratio", "3.5", 3.5),
        ("ratio", "3", 3),
        ("loud", "True", True),
        ("loud", "yes", "yes"),
        ("title", "3", "3"),
    ],
)
def test_text_from_a_command_line_becomes_what_the_parameter_takes(name: str, text: str, value: object) -> None:
    assert param_from_text(SPECS[name], text) == value
