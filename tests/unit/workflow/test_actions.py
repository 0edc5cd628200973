"""The registry and the contracts of actions."""

from __future__ import annotations

from importlib.metadata import EntryPoint

import jsonschema
import msgspec
import pytest

from corral.model.errors import ActionClashError, RecipeInvalidError
from corral.workflow import (
    BUILT_IN,
    ActionRegistry,
    ActionSpec,
    find_problems,
    installed_actions,
    load_actions,
)
from tests.unit.workflow.recipes import recipe, step

EXTRA = ActionSpec(name="lab.blink", summary="Blink the lamp.", output=None)
MANY = (EXTRA, ActionSpec(name="lab.beep", summary="Beep."))
TAKEN = ActionSpec(name="app.start", summary="Taken.")
NOT_AN_ACTION = 5
NOWHERE = ActionSpec(name="lab.dim", summary="Dim.", runs="somewhere")


def point(attribute: str) -> EntryPoint:
    return EntryPoint(name=attribute.lower(), value=f"{__name__}:{attribute}", group="corral.actions")


def test_every_action_of_the_design_is_there() -> None:
    families: dict[str, set[str]] = {}
    for action in BUILT_IN.values():
        families.setdefault(action.family, set()).add(action.name.partition(".")[2])

    assert families == {
        "device": {"bootstrap", "shell", "screenshot", "reboot", "health", "hold"},
        "app": {"install", "start", "stop", "clear", "uninstall", "login"},
        "input": {"tap", "swipe", "text", "key"},
        "ui": {"wait_text", "tap_text"},
        "file": {"push", "pull"},
        "url": {"open"},
        "artifact": {"upload"},
        "assert": {"shell"},
        "flow": {"sleep"},
        "report": {""},
        "vendor": {"call"},
        "http": {"request"},
        "shell": {"run"},
        "test": {"command", "instrument", "maestro"},
    }


def test_what_touches_the_phone_is_never_repeated_blindly() -> None:
    repeatable = {name for name, action in BUILT_IN.items() if action.repeatable}

    assert repeatable.isdisjoint({"input.tap", "input.swipe", "input.text", "input.key", "ui.tap_text", "app.login"})
    assert repeatable.isdisjoint({"device.shell", "vendor.call", "http.request", "shell.run", "url.open"})
    assert {"device.screenshot", "device.health", "ui.wait_text", "artifact.upload"} <= repeatable


@pytest.mark.parametrize("action", BUILT_IN.values(), ids=lambda action: action.name)
def test_every_contract_has_a_schema_for_forms_and_a_summary(action: ActionSpec) -> None:
    for schema in (action.args_schema(), action.output_schema()):
        jsonschema.Draft202012Validator.check_schema(schema)
    fields = {field.encode_name for field in msgspec.structs.fields(action.args)}

    assert action.summary.endswith(".")
    assert {name for names in action.exclusive for name in names} <= fields
    assert action.duration_field is None or action.duration_field in fields


def test_every_argument_that_is_required_is_described() -> None:
    for action in BUILT_IN.values():
        schema = action.args_schema()
        body = schema["$defs"][schema["$ref"].rpartition("/")[2]]
        for name in set(body.get("required", ())) - {"x", "y", "from_x", "from_y", "to_x", "to_y"}:
            assert "description" in body["properties"][name], (action.name, name)


def test_rendered_arguments_become_a_record() -> None:
    args = BUILT_IN["app.start"].read_args({"package": "com.example.app"})

    assert (args.package, args.activity, args.stop_first) == ("com.example.app", None, False)


@pytest.mark.parametrize(
    ("name", "rendered", "path"),
    [
        ("app.start", {"package": "a;reboot"}, "with.package"),
        ("app.start", {"package": "a.b\n"}, "with.package"),
        ("input.tap", {"x": "1", "y": 2}, "with.x"),
        ("http.request", {"url": "https://e.com", "json": 1, "body": "x"}, "with"),
        ("url.open", {"url": "no scheme"}, "with.url"),
    ],
)
def test_rendered_arguments_that_do_not_fit_are_refused(name: str, rendered: dict[str, object], path: str) -> None:
    with pytest.raises(RecipeInvalidError) as refused:
        BUILT_IN[name].read_args(rendered)

    assert refused.value.code == "args_invalid"
    assert refused.value.problems[0].path == path


def test_extensions_add_actions_that_recipes_can_use() -> None:
    registry = load_actions([point("MANY")])

    assert set(registry) - set(BUILT_IN) == {"lab.blink", "lab.beep"}
    assert find_problems(recipe(step("a", "lab.blink")), registry) == []
    assert find_problems(recipe(step("a", "lab.blink"))) != []


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        (["TAKEN"], r"the extension taken \(.*:TAKEN\): two actions are named app.start"),
        (["EXTRA", "MANY"], "two actions are named lab.blink"),
        (["NOWHERE"], "lab.dim runs 'somewhere', which is not of the form module:function"),
        (["NOT_AN_ACTION"], "offers int, which is not an ActionSpec"),
    ],
)
def test_an_extension_that_clashes_is_refused_by_name(attributes: list[str], message: str) -> None:
    with pytest.raises(ActionClashError, match=message):
        load_actions(map(point, attributes))


def test_an_action_with_a_bad_name_is_refused() -> None:
    with pytest.raises(ActionClashError, match="not an action's name"):
        ActionRegistry([ActionSpec(name="Bad Name", summary="")])


def test_without_extensions_the_installed_actions_are_the_built_in_ones() -> None:
    assert set(installed_actions()) >= set(BUILT_IN)
