"""Templates: text with `{{ expressions }}`. They are parsed here and rendered in `render`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import minijinja

from corral.workflow.expression import Expression, ExpressionError, read_expression
from corral.workflow.filters import FILTERS, engine
from corral.workflow.paths import at_index, at_key, did_you_mean

_STATEMENT = re.compile(r"\{%.*?%\}", re.DOTALL)
_STEP = re.compile(r"""'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|[{}]""", re.DOTALL)


class Template(NamedTuple):
    """Alternating literal text and expressions."""

    parts: tuple[str | Expression, ...]

    @property
    def expressions(self) -> list[Expression]:
        """The expressions, in order."""
        return [part for part in self.parts if isinstance(part, Expression)]

    @property
    def sole_expression(self) -> Expression | None:
        """The expression, if it is the whole template: its value then keeps its type."""
        inked = [part for part in self.parts if isinstance(part, Expression) or part.strip()]
        return inked[0] if len(inked) == 1 and isinstance(inked[0], Expression) else None


def is_template(value: object) -> bool:
    """Whether the value is text with an expression in it."""
    return isinstance(value, str) and "{{" in value


def parse_template(text: str) -> Template:
    """Split and check a template; raises ExpressionError."""
    parts: list[str | Expression] = []
    position = 0
    while (start := text.find("{{", position)) >= 0:
        parts.append(text[position:start])
        end = _end_of_expression(text, start + 2)
        parts.append(parse_expression(text[start + 2 : end]))
        position = end + 2
    parts.append(text[position:])
    for part in parts:
        if isinstance(part, str) and _STATEMENT.search(part):
            raise ExpressionError("statements ({% … %}) are not supported; use {{ … }}")
    return Template(tuple(part for part in parts if part != ""))


def parse_condition(text: str) -> Expression:
    """The expression of a `when`, written bare or as `{{ … }}`; raises ExpressionError."""
    if not is_template(text):
        return parse_expression(text)
    sole = parse_template(text).sole_expression
    if sole is None:
        raise ExpressionError("must be one expression, without text around it")
    return sole


def parse_expression(source: str) -> Expression:
    """Check one expression as far as possible without values; raises ExpressionError."""
    stripped = source.strip()
    if source.startswith("-") or source.endswith("-"):
        raise ExpressionError("whitespace control ({{- -}}) is not supported")
    expression = read_expression(stripped)
    for name in expression.filters:
        if name not in FILTERS:
            raise ExpressionError(f"unknown filter '{name}'{did_you_mean(name, FILTERS)}")
    try:
        engine.eval_expr(f"true or ({stripped})")  # compiles all of it, evaluates none
    except minijinja.TemplateError as error:
        raise ExpressionError(f"{error.detail or error.kind}") from None
    return expression


def walk_templates(value: object, path: str) -> Iterator[tuple[str, str]]:
    """Every template inside a value, with its path."""
    if isinstance(value, str):
        if is_template(value) or _STATEMENT.search(value):
            yield path, value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from walk_templates(item, at_key(path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from walk_templates(item, at_index(path, index))


def _end_of_expression(text: str, start: int) -> int:
    """Where the closing braces of an expression are: past the strings and the objects inside it."""
    depth, position = 0, start
    while (match := _STEP.search(text, position)) is not None:
        position = match.end()
        if match.group() == "{":
            depth += 1
        elif match.group() == "}" and depth:
            depth -= 1
        elif match.group() == "}" and text.startswith("}}", match.start()):
            return match.start()
    raise ExpressionError("'{{' is never closed")
