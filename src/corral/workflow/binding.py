"""Put values in the place of parameters inside templates, before anything is rendered."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from corral.workflow.expression import Expression, ExpressionError
from corral.workflow.filters import as_json, as_text
from corral.workflow.template import Template, is_template, parse_template

_MEANINGFUL = re.compile("[{}%]")
"""Characters that could mean something to the template around them."""


class UnbindableError(ValueError):
    """A value cannot stand where the parameter does."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(message)
        self.name = name


def bind(value: Any, bindings: Mapping[str, Any]) -> Any:
    """The value with `params.<name>` replaced in every template; raises UnbindableError.

    A template that is nothing but the parameter becomes the bound value itself, with its type.
    """
    if isinstance(value, dict):
        return {key: bind(item, bindings) for key, item in value.items()}
    if isinstance(value, list):
        return [bind(item, bindings) for item in value]
    if not isinstance(value, str) or not is_template(value):
        return value
    try:
        template = parse_template(value)
    except ExpressionError:
        return value  # validation reports it where it stands
    sole = template.sole_expression
    if sole is not None and (name := _parameter(sole)) in bindings:
        return bindings[name]
    return "".join(_bind_part(part, bindings, template) for part in template.parts)


def _bind_part(part: str | Expression, bindings: Mapping[str, Any], template: Template) -> str:
    if isinstance(part, str):
        return part
    name = _parameter(part)
    if name in bindings and template.sole_expression is None:
        bound = as_text(bindings[name])
        if is_template(bound) and bound.endswith("{"):
            raise UnbindableError(name, "a template inside text cannot end with '{'")
        if is_template(bound) or not _MEANINGFUL.search(bound):
            return bound
    return "{{ " + _substituted(part, bindings) + " }}"


def _parameter(expression: Expression) -> str:
    """The parameter's name if the expression is just `params.name`, else nothing."""
    if len(expression.references) != 1:
        return ""
    reference = expression.references[0]
    is_whole = reference.start == 0 and reference.end == len(expression.source)
    root, *members = reference.parts
    return members[0] if is_whole and root == "params" and len(members) == 1 else ""


def _substituted(expression: Expression, bindings: Mapping[str, Any]) -> str:
    source = expression.source
    for reference in reversed(expression.references):
        root, *members = reference.parts
        if root == "params" and members and members[0] in bindings:
            name, *rest = members
            inner = f"({_as_expression(name, bindings[name])})" + "".join(f".{each}" for each in rest)
            source = source[: reference.start] + inner + source[reference.end :]
    return source


def _as_expression(name: str, value: Any) -> str:
    if is_template(value):
        sole = parse_template(value).sole_expression
        if sole is None:
            raise UnbindableError(name, "is used inside an expression, so it must be a value or one expression")
        return sole.source
    return "none" if value is None else as_json(value)
