"""Which timeout a step has, and which it may be given."""

from __future__ import annotations

from corral.workflow.action_spec import ActionSpec
from corral.workflow.limits import DEFAULT_TIMEOUT_BOUNDS_S
from corral.workflow.recipe import Recipe, StepSpec


def timeout_of(recipe: Recipe, step: StepSpec, action: ActionSpec | None) -> float:
    """The step's own timeout; else the recipe's default, or the action's where that is longer."""
    if step.timeout_s is not None:
        return step.timeout_s
    if action is not None and action.uploads:
        return recipe.defaults.upload_timeout_s
    return max(recipe.defaults.timeout_s, (action.default_timeout_s if action else None) or 0.0)


def bounds_of(step: StepSpec) -> tuple[float, float]:
    """The least and greatest timeout that the step may have."""
    if step.timeout_bounds_s is None:
        return DEFAULT_TIMEOUT_BOUNDS_S
    least, greatest = step.timeout_bounds_s
    return least, greatest
