"""Checks of what each action is given. Values that are templates are checked again, rendered, by the node."""

from __future__ import annotations

import typing
from collections.abc import Iterator, Mapping
from typing import Any, Literal

from corral.model.errors import Problem
from corral.workflow.action_spec import ActionSpec
from corral.workflow.conform import Conformer, kind_of, options_of, unwrap
from corral.workflow.expression import ExpressionError
from corral.workflow.paths import at_index, at_key
from corral.workflow.recipe import Recipe
from corral.workflow.template import is_template, parse_template


def check_with(recipe: Recipe, actions: Mapping[str, ActionSpec]) -> Iterator[Problem]:
    """Problems of arguments: unknown, missing, of the wrong type, or excluding each other."""
    for position, step in enumerate(recipe.steps):
        action = actions.get(step.uses)
        if action is None:
            continue
        path = at_key(at_index("steps", position), "with")
        conformer = TemplateConformer()
        conformer.build(step.with_, action.args, path)
        yield from conformer.problems
        for names in action.exclusive:
            given = [name for name in names if step.with_.get(name) is not None]
            if len(given) > 1:
                yield Problem(at_key(path, given[1]), f"only one of {', '.join(names)} may be given")


class TemplateConformer(Conformer):
    """Lets a template stand for what it may yield: anything if it is one expression, else text."""

    def stands_for(self, value: object, hint: Any, path: str) -> bool:
        """Whether the value is a template; reports one that yields text where no text can be."""
        if not isinstance(value, str) or not is_template(value):
            return False
        try:
            sole = parse_template(value).sole_expression
        except ExpressionError:
            return True  # check_templates reports it
        if sole is None and not _takes_text(hint):
            wanted = " or ".join(sorted(_kinds(hint)))
            self.refuse(path, f"a template with text around it yields text, not {wanted}")
        return True


def _takes_text(hint: Any) -> bool:
    return any(_shape(option) in (str, Any, object, Literal) for option in options_of(hint))


def _kinds(hint: Any) -> set[str]:
    shapes = [_shape(option) for option in options_of(hint)]
    return {
        kind_of(shape()) if shape in (bool, int, float, list, dict) else "an object"
        for shape in shapes
        if shape is not type(None)
    }


def _shape(option: Any) -> Any:
    bare, _ = unwrap(option)
    return typing.get_origin(bare) or bare
