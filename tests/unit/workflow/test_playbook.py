"""Playbooks become recipes, and their problems point into the playbook."""

from __future__ import annotations

from typing import Any

import pytest

from corral.model.errors import RecipeInvalidError
from corral.workflow import CommandAsset, Recipe, compile_playbook, parse_command, parse_recipe, to_json

COMMANDS = {
    command.name: command
    for command in map(
        parse_command,
        [
            {
                "name": "open-app",
                "uses": "app.start",
                "with": {"package": "{{ params.package }}"},
                "params": {"package": {"type": "string"}},
                "timeout_s": 30,
                "timeout_bounds_s": [5, 60],
            },
            {
                "name": "Say",
                "uses": "device.shell",
                "with": {"command": "echo {{ params.text }} | head -n {{ params.lines + 1 }}"},
                "params": {"text": {"type": "string"}, "lines": {"type": "int", "default": 3}},
                "retries": 2,
            },
            {
                "name": "type-password",
                "uses": "input.text",
                "with": {"text": "{{ params.password }}"},
                "params": {"password": {"type": "string", "secret": True}},
            },
            {"name": "look", "uses": "device.screenshot"},
        ],
    )
}


def compiled(*steps: dict[str, Any], **members: Any) -> Recipe:
    return compile_playbook({"name": "book", "steps": list(steps), **members}, COMMANDS)


def problems(*steps: dict[str, Any], **members: Any) -> list[tuple[str, str]]:
    with pytest.raises(RecipeInvalidError) as refused:
        compiled(*steps, **members)
    assert refused.value.code == "playbook_invalid"
    return list(refused.value.problems)


def test_a_playbook_compiles_into_a_valid_recipe() -> None:
    recipe = compiled(
        {"command": "open-app", "params": {"package": "com.example.a"}, "probability": 0.5, "timeout_s": 10},
        {"command": "look", "on_failure": "continue"},
        {"command": "look", "id": "again"},
        {"command": "look"},
        title="A book",
        timeout_s=900,
    )

    assert parse_recipe(to_json(recipe)) == recipe
    assert [step.id for step in recipe.steps] == ["open_app", "look", "again", "look_2"]
    assert recipe.steps[0].with_ == {"package": "com.example.a"}
    assert (recipe.steps[0].probability, recipe.steps[0].timeout_s) == (0.5, 10)
    assert recipe.steps[1].on_failure == "continue"
    assert (recipe.title, recipe.timeout_s, recipe.params) == ("A book", 900, {})


def test_parameters_left_open_become_those_of_the_recipe() -> None:
    recipe = compiled({"command": "open-app"}, {"command": "type-password"}, {"command": "open-app"})

    assert set(recipe.params) == {"package", "password"}
    assert recipe.params["password"].secret


@pytest.mark.parametrize(
    ("params", "command"),
    [
        ({"text": "hi"}, "echo hi | head -n {{ params.lines + 1 }}"),
        ({"text": "hi", "lines": 5}, "echo hi | head -n {{ (5) + 1 }}"),
        ({"text": "{{ device.serial }}"}, "echo {{ device.serial }} | head -n {{ params.lines + 1 }}"),
        ({"text": "<{{ device.serial }}>"}, "echo <{{ device.serial }}> | head -n {{ params.lines + 1 }}"),
        ({"text": "{%x%} \"q'"}, 'echo {{ ("{%x%} \\"q\'") }} | head -n {{ params.lines + 1 }}'),
        ({"text": "x", "lines": "{{ device.index }}"}, "echo x | head -n {{ (device.index) + 1 }}"),
    ],
)
def test_bound_parameters_are_put_in_their_place(params: dict[str, Any], command: str) -> None:
    assert compiled({"command": "Say", "params": params}).steps[0].with_ == {"command": command}


def test_the_playbook_wins_over_the_command() -> None:
    retried = compiled({"command": "Say"}).steps[0]
    stopped = compiled({"command": "Say", "on_failure": "stop"}).steps[0]

    assert (retried.on_failure, retried.retries) == (None, 2)
    assert (stopped.on_failure, stopped.retries) == ("stop", None)


@pytest.mark.parametrize(
    ("step", "path", "message"),
    [
        ({"command": "lok"}, "steps[0].command", "did you mean 'look'?"),
        ({}, "steps[0].command", "is required"),
        ({"command": "look", "probability": 2}, "steps[0].probability", "<= 1"),
        ({"command": "look", "proability": 1}, "steps[0].proability", "did you mean 'probability'?"),
        ({"command": "look", "timeout_s": 4000}, "steps[0].timeout_s", "outside the default bounds"),
        ({"command": "open-app", "timeout_s": 61}, "steps[0].timeout_s", "outside the step's bounds [5, 60]"),
        ({"command": "look", "on_failure": "retry", "retries": 0}, "steps[0].retries", "at least one"),
        ({"command": "look", "id": "No"}, "steps[0].id", "lower-case"),
        ({"command": "look", "params": {"x": 1}}, "steps[0].params.x", "has no such parameter"),
        ({"command": "open-app", "params": {"package": 5}}, "steps[0].params.package", "expected text"),
        (
            {"command": "open-app", "params": {"package": "a;b"}},
            "steps[0].command.with.package",
            "a package name",
        ),
        ({"command": "type-password", "params": {"password": "abcd"}}, "steps[0].params.password", "secret"),
        ({"command": "Say", "params": {"text": "{{ params.x }}"}}, "steps[0].command.with.command", "no 'x'"),
        (
            {"command": "Say", "params": {"lines": "a {{ device.index }}"}},
            "steps[0].params.lines",
            "one expression",
        ),
    ],
)
def test_a_bad_step_is_refused_at_its_place(step: dict[str, Any], path: str, message: str) -> None:
    (problem,) = problems(step)

    assert problem[0] == path
    assert message in problem[1]


def test_commands_that_declare_one_parameter_differently_are_refused() -> None:
    other = CommandAsset(
        name="o",
        uses="report",
        with_={"message": "{{ params.package }}"},
        params={"package": COMMANDS["Say"].params["lines"]},
    )
    book = {"name": "book", "steps": [{"command": "open-app"}, {"command": "o"}]}

    with pytest.raises(RecipeInvalidError) as refused:
        compile_playbook(book, {**COMMANDS, "o": other})

    assert refused.value.problems[0].path == "steps[1].command.params.package"


@pytest.mark.parametrize(
    ("command", "path"),
    [
        ({"name": "x"}, "uses"),
        ({"name": "x", "uses": "app.strt"}, "uses"),
        ({"name": "x", "uses": "app.start"}, "with.package"),
        ({"name": "x", "uses": "app.start", "with": {"package": "{{ params.p }}"}}, "with.package"),
        ({"name": "x", "uses": "device.screenshot", "timeout_s": 5, "timeout_bounds_s": [6, 7]}, "timeout_s"),
        ({"name": "x", "uses": "device.screenshot", "params": {"p": {"type": "x"}}}, "params.p.type"),
        ([], ""),
    ],
)
def test_a_bad_command_is_refused_at_its_place(command: object, path: str) -> None:
    with pytest.raises(RecipeInvalidError) as refused:
        parse_command(command)

    assert refused.value.code == "command_invalid"
    assert path in [problem.path for problem in refused.value.problems]


def test_a_value_that_was_refused_is_not_judged_by_what_stands_in_for_it() -> None:
    source = {"name": "tour", "steps": [{"command": "look", "timeout_s": 99_999}]}

    with pytest.raises(RecipeInvalidError) as refused:
        compile_playbook(source, {"look": parse_command({"name": "look", "uses": "device.screenshot"})})

    assert [problem.path for problem in refused.value.problems] == ["steps[0].timeout_s"]
    assert "86400" in refused.value.problems[0].message
