"""What a node can execute."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from corral.model.errors import ActionClashError, ActionFailedError, RecipeInvalidError
from corral.node.actions import registry
from corral.node.actions.protocol import Bench
from corral.node.actions.registry import load_node_actions
from corral.workflow import BUILT_IN, ActionSpec, Args
from corral.workflow.catalog import CATALOG
from tests.node.actions.conftest import Workshop

HERE = __name__


async def give_back(_bench: Bench, _args: Args) -> Any:  # noqa: ANN401 - to try out what actions may yield
    return 5


def not_async(_bench: Bench, _args: Args) -> None: ...


def test_the_node_executes_exactly_the_catalog() -> None:
    assert set(registry.BUILT_IN) == {spec.name for spec in CATALOG}
    assert set(load_node_actions(BUILT_IN)) == set(BUILT_IN)


def test_an_action_without_an_implementation_is_left_to_others() -> None:
    assert "lab.blink" not in load_node_actions(BUILT_IN.extended([ActionSpec(name="lab.blink", summary="Blink.")]))


def test_contracts_of_all_that_is_built_in_must_be_there() -> None:
    with pytest.raises(ActionClashError, match=r"no contract was given for .*device\.shell"):
        load_node_actions({})


@pytest.mark.parametrize(
    ("runs", "message"),
    [
        (
            "no_such_module_anywhere:run",
            r"lab\.blink cannot be loaded from no_such_module_anywhere:run: ModuleNotFound",
        ),
        (f"{HERE}:nothing", "cannot be loaded from"),
        (f"{HERE}:not_async", "is not an async function"),
        (f"{HERE}:HERE", "is not an async function"),
    ],
)
def test_an_implementation_that_cannot_be_loaded_is_refused_by_name(runs: str, message: str) -> None:
    with pytest.raises(ActionClashError, match=message):
        load_node_actions(BUILT_IN.extended([ActionSpec(name="lab.blink", summary="Blink.", runs=runs)]))


async def test_arguments_that_do_not_fit_are_refused_before_anything_is_done(workshop: Workshop) -> None:
    with pytest.raises(RecipeInvalidError, match="package"):
        await workshop.perform("app.stop", package="a;reboot")

    assert workshop.phone.commands == []


async def test_what_is_no_object_cannot_be_yielded(workshop: Workshop) -> None:
    spec = ActionSpec(name="lab.blink", summary="Blink.", runs=f"{HERE}:give_back")
    action = load_node_actions(BUILT_IN.extended([spec]))["lab.blink"]

    with pytest.raises(ActionFailedError, match=r"lab\.blink yielded int"):
        await action.perform(workshop.bench, {})


@pytest.mark.parametrize("spec", CATALOG, ids=lambda spec: spec.name)
def test_what_corral_ships_needs_no_place(spec: ActionSpec) -> None:
    assert spec.runs is None
    assert replace(spec, runs="x:y").runs == "x:y"
