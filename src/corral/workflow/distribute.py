"""A distributed recipe as steps for the queue: what each requires of a worker, and what is left to do when one claims it.

Whatever a step's templates need is kept with the step, so that whoever renders them needs neither the recipe nor the other steps.
A recipe that is `local` is one step, which one worker takes as a whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import msgspec
from msgspec import Struct, field

from corral.model.records import NewStep
from corral.workflow.capabilities import LOCAL, asks_for_phone
from corral.workflow.overrides import Plan, PlannedStep
from corral.workflow.recipe import Recipe, StepSpec
from corral.workflow.template import parse_condition, parse_template, walk_templates

WHOLE_JOB: Final = "whole-job"
"""The one step of a local recipe; no step of a recipe can have this name."""


class Repetition(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What every repetition of a step with for_each has in common."""

    requires: list[str]
    timeout_s: float
    max_attempts: int
    backoff_s: float
    backoff_factor: float
    backoff_max_s: float
    backoff_jitter: float
    is_repeatable: bool


class StepPlan(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a queued step keeps of its recipe until it is claimed."""

    with_: dict[str, Any] = field(name="with")
    when: str | bool | None = None
    for_each: list[Any] | str | None = None
    sequential: bool = False
    reads: list[str] = field(default_factory=list)
    """The steps whose output or status its templates name."""

    phone: list[str] = field(default_factory=list)
    """The capabilities that a phone must give: none where the step needs no phone."""

    of: str | None = None
    """Of a repetition: the step that it repeats, and which item it is for."""

    index: int = 0
    repetition: Repetition | None = None
    probability: float = 1.0


def distribute(recipe: Recipe, plan: Plan) -> list[NewStep]:
    """The steps of a distributed or local recipe's job, as its plan resolves them."""
    if recipe.mode == "local":
        return [_whole_job(recipe, plan)]
    return [_step(planned, written) for planned, written in zip(plan.steps, recipe.steps, strict=True)]


def repeat(
    name: str,
    plan: StepPlan,
    *,
    action: str | None,
    title: str | None,
    needs: list[str],
    harmless: bool,
    count: int,
) -> list[NewStep]:
    """The repetitions of a step for so many items, side by side or one after the other; each needs what the step needed."""
    if plan.repetition is None:
        raise ValueError(f"the step {name} does not repeat")
    own = msgspec.structs.replace(plan, for_each=plan.for_each, repetition=None, when=None, of=name, probability=1.0)
    common: dict[str, Any] = msgspec.structs.asdict(plan.repetition)
    names = [f"{name}[{index}]" for index in range(count)]
    return [
        NewStep(
            name=child,
            action=action,
            title=title,
            needs=[*needs, *([names[index - 1]] if plan.sequential and index else [])],
            spec=msgspec.to_builtins(msgspec.structs.replace(own, index=index)),
            continue_on_failure=harmless,
            **common,
        )
        for index, child in enumerate(names)
    ]


def _step(step: PlannedStep, written: StepSpec) -> NewStep:
    required = sorted({step.uses, *written.requires})
    repetition = Repetition(
        requires=required,
        timeout_s=step.timeout_s,
        max_attempts=step.retries + 1,
        backoff_s=step.backoff.initial_s,
        backoff_factor=step.backoff.factor,
        backoff_max_s=step.backoff.max_s,
        backoff_jitter=step.backoff.jitter,
        is_repeatable=written.repeatable is not False,
    )
    plan = StepPlan(
        with_=step.with_,
        when=step.when,
        for_each=step.for_each,
        sequential=step.sequential,
        reads=sorted(set(_reads(step))),
        phone=asks_for_phone(written.requires),
        repetition=repetition if step.for_each is not None else None,
        probability=step.probability,
    )
    shared: dict[str, Any] = {
        "name": step.id,
        "action": step.uses,
        "title": step.title or None,
        "needs": step.needs,
        "spec": msgspec.to_builtins(plan),
        "position": step.position + 1,
        "continue_on_failure": step.continue_on_failure,
        "probability": step.probability,
    }
    if step.for_each is not None:  # anybody may find out how often; the repetitions ask for what the action needs
        return NewStep(**shared, timeout_s=step.timeout_s)
    return NewStep(**shared, **msgspec.structs.asdict(repetition))


def _whole_job(recipe: Recipe, plan: Plan) -> NewStep:
    required = {LOCAL}.union(*({step.uses, *step.requires} for step in recipe.steps))
    return NewStep(
        name=WHOLE_JOB,
        title=recipe.title or None,
        spec=msgspec.to_builtins(StepPlan(with_={})),
        requires=sorted(required),
        timeout_s=plan.timeout_s,
        is_repeatable=plan.repeatable,
    )


def _reads(step: PlannedStep) -> Iterator[str]:
    """Every step that a template of this one names. The recipe is valid: nothing here can fail."""
    expressions = [
        expression
        for value in (step.with_, step.for_each if isinstance(step.for_each, list) else [])
        for _, text in walk_templates(value, "")
        for expression in parse_template(text).expressions
    ]
    expressions += [parse_condition(each) for each in (step.when, step.for_each) if isinstance(each, str)]
    for expression in expressions:
        for reference in expression.references:
            if reference.parts[0] == "steps":
                yield reference.parts[1]
