"""Checks of each step by itself: its id, its action, and settings that contradict each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from corral.model.errors import Problem
from corral.workflow.action_spec import ActionSpec
from corral.workflow.capabilities import asks_for_phone
from corral.workflow.paths import at_index, at_key, did_you_mean
from corral.workflow.recipe import Backoff, Recipe, StepSpec


def check_steps(recipe: Recipe, actions: Mapping[str, ActionSpec]) -> Iterator[Problem]:
    """Problems of ids, actions and contradictory settings."""
    seen: dict[str, int] = {}
    for position, step in enumerate(recipe.steps):
        path = at_index("steps", position)
        if step.id and seen.setdefault(step.id, position) != position:
            yield Problem(at_key(path, "id"), f"'{step.id}' is already the id of steps[{seen[step.id]}]")
        yield from _check_action(step, recipe, actions, path)
        yield from _check_failure(step, recipe, path)
        yield from _check_backoff(step.backoff, path)
        yield from _check_place(step, recipe, path)
    yield from _check_backoff(recipe.defaults.backoff, "defaults")
    if recipe.defaults.on_failure == "retry" and recipe.defaults.retries == 0:
        yield Problem("defaults.retries", "on_failure is retry, so there must be at least one")


def _check_action(step: StepSpec, recipe: Recipe, actions: Mapping[str, ActionSpec], path: str) -> Iterator[Problem]:
    if not step.uses:
        return
    action = actions.get(step.uses)
    if action is None:
        yield Problem(at_key(path, "uses"), f"unknown action '{step.uses}'{did_you_mean(step.uses, actions)}")
    elif not action.runs_in(recipe.mode) and recipe.mode == "distributed":
        if not asks_for_phone(step.requires):
            wanted = "say requires: [phone], or [phone:<tag>]"
            yield Problem(
                at_key(path, "uses"), f"{step.uses} needs a device, and the recipe's mode is distributed: {wanted}"
            )
    elif not action.runs_in(recipe.mode):
        need = "a device" if recipe.mode != "device" else "a distributed recipe"
        yield Problem(at_key(path, "uses"), f"{step.uses} needs {need}, and the recipe's mode is {recipe.mode}")


def _check_failure(step: StepSpec, recipe: Recipe, path: str) -> Iterator[Problem]:
    on_failure = step.on_failure
    if on_failure == "retry" and step.retries == 0:
        yield Problem(at_key(path, "retries"), "on_failure is retry, so there must be at least one")
    if step.retries and on_failure not in (None, "retry"):
        yield Problem(at_key(path, "retries"), f"is only used with on_failure: retry, not {on_failure}")
    if step.retries == 0 and on_failure is None and recipe.defaults.on_failure == "retry":
        yield Problem(at_key(path, "retries"), "the default is to retry; say on_failure: stop instead")
    if on_failure == "stop" and step.continue_on_failure:
        yield Problem(at_key(path, "continue_on_failure"), "contradicts on_failure: stop")
    if on_failure == "continue" and step.continue_on_failure is False:
        yield Problem(at_key(path, "continue_on_failure"), "contradicts on_failure: continue")
    if step.backoff is not None and not step.retries and "retry" not in (on_failure or recipe.defaults.on_failure):
        yield Problem(at_key(path, "backoff"), "is only used with retries")


def _check_backoff(backoff: Backoff | None, path: str) -> Iterator[Problem]:
    if backoff is not None and backoff.initial_s > backoff.max_s:
        yield Problem(at_key(at_key(path, "backoff"), "initial_s"), f"is more than max_s ({backoff.max_s:g})")


def _check_place(step: StepSpec, recipe: Recipe, path: str) -> Iterator[Problem]:
    if recipe.mode == "device" and step.requires:
        yield Problem(at_key(path, "requires"), "a device's job goes to the node that the device is on")
    if len(phones := asks_for_phone(step.requires)) > 1:
        yield Problem(at_key(path, "requires"), f"one phone is asked for once, not as {' and '.join(phones)}")
    if phones and recipe.mode == "local":
        yield Problem(at_key(path, "requires"), "a local recipe has no phones; say mode: distributed")
    if step.for_each is None:
        if step.sequential:
            yield Problem(at_key(path, "sequential"), "is only used with for_each")
        return
    if recipe.mode != "distributed":
        yield Problem(at_key(path, "for_each"), f"only distributed recipes repeat steps, not {recipe.mode} ones")
    if isinstance(step.for_each, list) and not step.for_each:
        yield Problem(at_key(path, "for_each"), "the list is empty")
