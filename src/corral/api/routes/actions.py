"""The actions that recipes and command assets may use."""

from functools import cache
from typing import Final

from litestar import get

from corral.wire.actions import ActionContract, ActionList
from corral.workflow import ActionSpec, Recipe, StepSpec, installed_actions
from corral.workflow.limits import DEFAULT_TIMEOUT_BOUNDS_S
from corral.workflow.timeouts import timeout_of


@get("/api/actions", sync_to_thread=False)
def list_actions() -> ActionList:
    """Every action that steps may use, built in or of an extension, with the schema of what it is given."""
    return _describe_actions()


HANDLERS: Final = [list_actions]


@cache
def _describe_actions() -> ActionList:
    return ActionList(
        actions=[_describe(spec) for _, spec in sorted(installed_actions().items())],
        timeout_bounds_s=list(DEFAULT_TIMEOUT_BOUNDS_S),
    )


def _describe(spec: ActionSpec) -> ActionContract:
    silent = Recipe(name=spec.name, steps=[])  # one that says nothing about timeouts
    return ActionContract(
        name=spec.name,
        summary=spec.summary,
        modes=sorted(spec.modes),
        args_schema=spec.args_schema(),
        exclusive=[list(names) for names in spec.exclusive],
        repeatable=spec.repeatable,
        default_timeout_s=timeout_of(silent, StepSpec(id="step", uses=spec.name), spec),
        capability=spec.capability,
    )
