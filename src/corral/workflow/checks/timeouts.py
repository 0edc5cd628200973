"""Checks of timeouts against their bounds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from corral.model.errors import Problem
from corral.workflow.action_spec import ActionSpec
from corral.workflow.paths import at_index, at_key
from corral.workflow.recipe import Recipe, StepSpec
from corral.workflow.template import is_template
from corral.workflow.timeouts import bounds_of, timeout_of


def check_timeouts(recipe: Recipe, actions: Mapping[str, ActionSpec]) -> Iterator[Problem]:
    """Problems of timeouts: outside their bounds, longer than the job, shorter than what the step does."""
    for position, step in enumerate(recipe.steps):
        path = at_index("steps", position)
        action = actions.get(step.uses)
        problem = _wrong_with_bounds(step) or _wrong_with_timeout(recipe, step, action)
        if problem is not None:
            yield Problem(at_key(path, problem[0]), problem[1])
        elif action is not None:
            yield from _check_duration(recipe, step, action, path)


def _wrong_with_bounds(step: StepSpec) -> tuple[str, str] | None:
    if step.timeout_bounds_s is None:
        return None
    if len(step.timeout_bounds_s) != len(("least", "greatest")):
        return "timeout_bounds_s", "must be two numbers: the least and the greatest"
    least, greatest = step.timeout_bounds_s
    return ("timeout_bounds_s", "the least is more than the greatest") if least > greatest else None


def _wrong_with_timeout(recipe: Recipe, step: StepSpec, action: ActionSpec | None) -> tuple[str, str] | None:
    timeout = timeout_of(recipe, step, action)
    least, greatest = bounds_of(step)
    if not least <= timeout <= greatest:
        return _outside_bounds(step, timeout, least, greatest)
    if step.timeout_s is not None and step.timeout_s > recipe.timeout_s:
        return "timeout_s", f"is longer than the whole job's ({recipe.timeout_s:g} s)"
    return None


def _outside_bounds(step: StepSpec, timeout: float, least: float, greatest: float) -> tuple[str, str]:
    bounds = f"[{least:g}, {greatest:g}]"
    if step.timeout_s is None:
        key = "timeout_s" if step.timeout_bounds_s is None else "timeout_bounds_s"
        return key, f"the default timeout of {timeout:g} s is outside {bounds}; give the step a timeout_s"
    if step.timeout_bounds_s is None:
        return "timeout_s", f"{timeout:g} s is outside the default bounds {bounds}; state timeout_bounds_s"
    return "timeout_s", f"{timeout:g} s is outside the step's bounds {bounds}"


def _check_duration(recipe: Recipe, step: StepSpec, action: ActionSpec, path: str) -> Iterator[Problem]:
    if action.duration_field is None:
        return
    duration = step.with_.get(action.duration_field)
    timeout = timeout_of(recipe, step, action)
    if is_template(duration) or isinstance(duration, bool) or not isinstance(duration, int | float):
        return
    if duration >= timeout:
        where = at_key(at_key(path, "with"), action.duration_field)
        yield Problem(where, f"{duration:g} s leaves no room within the step's timeout of {timeout:g} s")
