"""What this node can execute: the actions that Corral ships, and those of installed extensions.

An extension's ActionSpec names its implementation in `runs`, which is imported here and nowhere else.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple

import msgspec

from corral.model.errors import ActionClashError, ActionFailedError
from corral.node.actions import (
    app,
    artifact,
    assert_,
    command,
    device,
    file,
    flow,
    hold,
    http,
    input_,
    instrument,
    login,
    maestro,
    reboot,
    report,
    shell,
    ui,
    url,
    vendor,
)
from corral.node.actions.protocol import Action, Bench
from corral.workflow.action_spec import ActionSpec
from corral.workflow.actions import installed_actions

BUILT_IN: Mapping[str, Action] = {
    name: action
    for family in (
        device,
        reboot,
        hold,
        app,
        login,
        input_,
        ui,
        file,
        url,
        artifact,
        assert_,
        flow,
        report,
        vendor,
        http,
        shell,
        instrument,
        maestro,
        command,
    )
    for name, action in family.ACTIONS.items()
}


class NodeAction(NamedTuple):
    """A contract and what fulfils it."""

    spec: ActionSpec
    run: Action

    async def perform(self, bench: Bench, rendered: dict[str, Any]) -> dict[str, Any]:
        """Read the rendered `with`, execute, and return the output as plain data.

        Raises what the action raises, and RecipeInvalidError (code args_invalid) for a `with` that does not fit.
        """
        output = await self.run(bench, self.spec.read_args(rendered))
        plain = {} if output is None else msgspec.to_builtins(output, str_keys=True)
        if not isinstance(plain, dict):
            raise ActionFailedError(f"{self.spec.name} yielded {type(output).__name__}, which is not an object")
        return plain


@cache
def node_actions() -> Mapping[str, NodeAction]:
    """By name, all that this node can execute; raises ActionClashError, naming the extension that is broken."""
    return load_node_actions(installed_actions())


def load_node_actions(specs: Mapping[str, ActionSpec]) -> dict[str, NodeAction]:
    """The contracts with their implementations. One that names none is for others to execute and is left out."""
    found = {name: NodeAction(spec, action) for name, spec in specs.items() if (action := _find(spec)) is not None}
    if missing := BUILT_IN.keys() - found.keys():
        raise ActionClashError(f"no contract was given for {', '.join(sorted(missing))}")
    return found


def _find(spec: ActionSpec) -> Action | None:
    return BUILT_IN.get(spec.name) or (_imported(spec) if spec.runs else None)


def _imported(spec: ActionSpec) -> Action:
    module, _, attribute = (spec.runs or "").partition(":")
    try:
        found = getattr(import_module(module), attribute)
    except Exception as error:  # an extension may fail in any way as it is imported; all of them are its fault
        raise ActionClashError(f"the action {spec.name} cannot be loaded from {spec.runs}: {error!r}") from error
    if not inspect.iscoroutinefunction(found):
        raise ActionClashError(f"the action {spec.name}: {spec.runs} is not an async function")
    action: Action = found
    return action
