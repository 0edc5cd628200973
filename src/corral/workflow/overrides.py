"""The plan of a run: every step with what it will really be given, a run's own timeouts included."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field

from corral.model.errors import Problem, RecipeInvalidError
from corral.workflow.action_spec import ActionSpec
from corral.workflow.actions import BUILT_IN
from corral.workflow.conform import Conformer
from corral.workflow.graph import StepGraph
from corral.workflow.paths import at_key, did_you_mean
from corral.workflow.recipe import Backoff, Recipe, StepSpec
from corral.workflow.source import read_document
from corral.workflow.timeouts import bounds_of, timeout_of
from corral.workflow.words import OnFailure, Seconds


class StepOverride(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a run may change about one step."""

    timeout_s: Seconds | None = None


class PlannedStep(Struct, frozen=True, kw_only=True):
    """A step with nothing left open but its templates."""

    position: int
    id: str
    uses: str
    title: str
    with_: dict[str, Any] = field(name="with")
    needs: list[str]
    when: str | bool | None
    for_each: list[Any] | str | None
    sequential: bool
    probability: float
    timeout_s: float
    timeout_bounds_s: tuple[float, float]
    upload_timeout_s: float
    on_failure: OnFailure
    retries: int
    backoff: Backoff
    continue_on_failure: bool
    repeatable: bool
    requires: list[str]


class Plan(Struct, frozen=True, kw_only=True):
    """What a job executes."""

    timeout_s: float
    repeatable: bool
    steps: list[PlannedStep]


def resolve_plan(recipe: Recipe, overrides: object = None, actions: Mapping[str, ActionSpec] = BUILT_IN) -> Plan:
    """The plan of a valid recipe; raises RecipeInvalidError (code overrides_invalid) if an override is refused.

    `overrides` maps step ids to what changes: `{"open": {"timeout_s": 60}}`.
    """
    chosen = read_overrides(recipe, overrides)
    graph = StepGraph(recipe.steps)
    return Plan(
        timeout_s=recipe.timeout_s,
        repeatable=recipe.repeatable,
        steps=[
            _planned(recipe, position, graph, chosen.get(step.id, StepOverride()), actions[step.uses])
            for position, step in enumerate(recipe.steps)
        ],
    )


def read_overrides(recipe: Recipe, overrides: object) -> dict[str, StepOverride]:
    """A run's overrides as records, checked against the recipe's steps and their bounds."""
    if overrides is None:
        return {}
    conformer = Conformer()
    chosen: dict[str, StepOverride] = {}
    document = read_document(overrides)
    if not isinstance(document, dict):
        raise RecipeInvalidError([Problem("overrides", "expected an object of step ids")], code="overrides_invalid")
    steps = {step.id: step for step in recipe.steps}
    for name, value in document.items():
        path = at_key("overrides", name)
        if name not in steps:
            conformer.refuse(path, f"there is no step '{name:.80}'{did_you_mean(name, steps)}")
            continue
        known = len(conformer.problems)
        chosen[name] = conformer.build(value, StepOverride, path)
        if len(conformer.problems) == known:
            _check_bounds(conformer, steps[name], chosen[name], path)
    if conformer.problems:
        raise RecipeInvalidError(conformer.problems, code="overrides_invalid")
    return chosen


def _check_bounds(conformer: Conformer, step: StepSpec, override: StepOverride, path: str) -> None:
    least, greatest = bounds_of(step)
    if override.timeout_s is not None and not least <= override.timeout_s <= greatest:
        where = at_key(path, "timeout_s")
        conformer.refuse(where, f"{override.timeout_s:g} s is outside the step's bounds [{least:g}, {greatest:g}]")


def _planned(
    recipe: Recipe, position: int, graph: StepGraph, override: StepOverride, action: ActionSpec
) -> PlannedStep:
    step = recipe.steps[position]
    on_failure = failure_of(recipe, step)
    return PlannedStep(
        position=position,
        id=step.id,
        uses=step.uses,
        title=step.title,
        with_=step.with_,
        needs=graph.needs_by_id(position),
        when=step.when,
        for_each=step.for_each,
        sequential=step.sequential,
        probability=step.probability,
        timeout_s=override.timeout_s or timeout_of(recipe, step, action),
        timeout_bounds_s=bounds_of(step),
        upload_timeout_s=recipe.defaults.upload_timeout_s,
        on_failure=on_failure,
        retries=retries_of(recipe, step) if on_failure == "retry" else 0,
        backoff=step.backoff or recipe.defaults.backoff,
        continue_on_failure=continues(step, on_failure),
        repeatable=action.repeatable if step.repeatable is None else step.repeatable,
        requires=sorted({*step.requires, *([action.capability] if action.capability else [])}),
    )


def failure_of(recipe: Recipe, step: StepSpec) -> OnFailure:
    """What happens when the step fails; giving it retries says that it is retried."""
    if step.on_failure is not None:
        return step.on_failure
    return "retry" if step.retries else recipe.defaults.on_failure


def retries_of(recipe: Recipe, step: StepSpec) -> int:
    """How often a step that is retried is retried."""
    return step.retries or recipe.defaults.retries or 1


def continues(step: StepSpec, on_failure: OnFailure) -> bool:
    """Whether dependents go on after the step has failed, its retries included."""
    return on_failure == "continue" if step.continue_on_failure is None else step.continue_on_failure
