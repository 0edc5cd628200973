"""Checks of templates: their syntax, and that every name in them will have a value when the step starts."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping

from corral.model.errors import Problem
from corral.workflow.action_spec import ActionSpec
from corral.workflow.conform import fields_of
from corral.workflow.context import ROOTS, DeviceContext, RunContext, StepContext
from corral.workflow.expression import Expression, ExpressionError
from corral.workflow.graph import StepGraph
from corral.workflow.paths import at_index, at_key, did_you_mean
from corral.workflow.recipe import Recipe, StepSpec
from corral.workflow.template import is_template, parse_condition, parse_template, walk_templates

_FIELDS = {
    "device": fields_of(DeviceContext),
    "run": fields_of(RunContext),
    "steps": fields_of(StepContext),
}


def check_templates(recipe: Recipe, actions: Mapping[str, ActionSpec]) -> Iterator[Problem]:
    """Problems of every template in `with`, `when` and `for_each`."""
    graph = StepGraph(recipe.steps)
    for position, step in enumerate(recipe.steps):
        path = at_index("steps", position)
        scope = _Scope(recipe, actions, graph, position)
        for where, text in walk_templates(step.with_, at_key(path, "with")):
            yield from scope.check(_expressions, text, where)
        scope.has_item = False
        if isinstance(step.when, str):
            yield from scope.check(_condition, step.when, at_key(path, "when"))
        yield from _check_for_each(step, scope, at_key(path, "for_each"))


def _check_for_each(step: StepSpec, scope: _Scope, path: str) -> Iterator[Problem]:
    if isinstance(step.for_each, str):
        if is_template(step.for_each):
            yield from scope.check(_condition, step.for_each, path)
        else:
            yield Problem(path, "must be a list, or a template that yields one")
    for where, text in walk_templates(step.for_each if isinstance(step.for_each, list) else [], path):
        yield from scope.check(_expressions, text, where)


def _expressions(text: str) -> list[Expression]:
    return parse_template(text).expressions


def _condition(text: str) -> list[Expression]:
    return [parse_condition(text)]


class _Scope:
    """What one step's templates can see."""

    def __init__(self, recipe: Recipe, actions: Mapping[str, ActionSpec], graph: StepGraph, position: int) -> None:
        self.recipe = recipe
        self.actions = actions
        self.graph = graph
        self.position = position
        self.has_item = recipe.steps[position].for_each is not None
        self.upstream = set(range(position)) if recipe.mode == "device" else graph.upstream(position)

    def check(self, parse: Callable[[str], list[Expression]], text: str, path: str) -> Iterator[Problem]:
        try:
            expressions = parse(text)
        except ExpressionError as error:
            yield Problem(path, f"template: {error}")
            return
        for expression in expressions:
            for reference in expression.references:
                wrong = self._wrong_with(reference.parts)
                if wrong is not None:
                    yield Problem(path, wrong)

    def _wrong_with(self, parts: tuple[str, ...]) -> str | None:
        root, *members = parts
        if root not in ROOTS:
            return f"unknown name '{root}'; templates can use params, steps, device and run"
        if root == "item":
            return None if self.has_item else "'item' exists only in the `with` of a step that has for_each"
        if root == "device" and self.recipe.mode != "device":
            return f"there is no device in a {self.recipe.mode} recipe"
        if not members:
            return f"'{root}' needs a name: {root}.<name>"
        if root == "steps":
            return self._wrong_with_step(members)
        return _unknown(members[0], self.recipe.params if root == "params" else _FIELDS[root], f"{root} has no")

    def _wrong_with_step(self, members: list[str]) -> str | None:
        step_id, *rest = members
        position = self.graph.positions.get(step_id)
        if position is None:
            known = [step.id for step in self.recipe.steps if step.id]
            return f"there is no step '{step_id}'{did_you_mean(step_id, known)}"
        if position not in self.upstream or position == self.position:
            return f"the step '{step_id}' has not ended by then: it is not upstream of this one"
        if not rest:
            return f"steps.{step_id} needs .output or .status"
        if wrong := _unknown(rest[0], _FIELDS["steps"], f"steps.{step_id} has no"):
            return wrong
        return self._wrong_with_output(position, rest[1:]) if rest[0] == "output" else None

    def _wrong_with_output(self, position: int, members: list[str]) -> str | None:
        step = self.recipe.steps[position]
        action = self.actions.get(step.uses)
        if action is None or action.output is None or action.is_output_open or not members or step.for_each is not None:
            return None
        return _unknown(members[0], fields_of(action.output), f"{step.uses} yields no")


def _unknown(name: str, known: Collection[str], complaint: str) -> str | None:
    return None if name in known else f"{complaint} '{name}'{did_you_mean(name, known)}"
