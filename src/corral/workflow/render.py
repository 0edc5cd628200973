"""Render templates on the node, when a step starts: sandboxed, bounded, and keeping track of secrets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import minijinja
import msgspec

from corral.model.errors import RenderError
from corral.workflow.context import Context
from corral.workflow.expression import Expression, ExpressionError
from corral.workflow.filters import as_text, engine
from corral.workflow.limits import MAX_FOR_EACH, MAX_RENDERED
from corral.workflow.paths import at_index, at_key
from corral.workflow.redaction import collect_secrets, redact
from corral.workflow.template import Template, is_template, parse_condition, parse_template


class Rendered(NamedTuple):
    """A rendered value, and every text in it that must be redacted wherever it may show up."""

    value: Any
    secrets: frozenset[str]


def render(value: object, context: Context, path: str = "with") -> Rendered:
    """Render every template inside a value; raises RenderError with the path of the one that failed.

    Text that is one expression takes its value and type: `"{{ params.count }}"` yields a number.
    """
    renderer = Renderer(context)
    result = renderer.render(value, path)
    return Rendered(result, frozenset(renderer.secrets))


def evaluate_when(when: str | bool | None, context: Context) -> bool:  # noqa: FBT001 - as in recipes
    """Whether a step's condition holds; raises RenderError, also if it yields anything but true or false."""
    if when is None or isinstance(when, bool):
        return when is not False
    renderer = Renderer(context)
    result = renderer.evaluate(_parsed(parse_condition, when, "when"), "when")
    if not isinstance(result, bool):
        raise RenderError(f"{{{{ {when} }}}} must be true or false, not {type(result).__name__}", path="when")
    return result


def evaluate_for_each(for_each: list[Any] | str, context: Context) -> list[Any]:
    """The items that a step repeats for; raises RenderError if they are not a list, or too many."""
    items = render(for_each, context, "for_each").value
    if not isinstance(items, list):
        raise RenderError("must yield a list", path="for_each")
    if len(items) > MAX_FOR_EACH:
        raise RenderError(f"yields {len(items)} items, more than {MAX_FOR_EACH}", path="for_each")
    return items


class Renderer:
    """Renders against one context; collects what to redact: secret parameters and what derives from them."""

    def __init__(self, context: Context) -> None:
        self.secrets: set[str] = set(collect_secrets(context.secret_params.values()))
        self._secret_names = frozenset(context.secret_params)
        self._names = _names(context)

    def render(self, value: object, path: str) -> Any:
        if isinstance(value, str) and is_template(value):
            return self._template(_parsed(parse_template, value, path), path)
        if isinstance(value, dict):
            return {key: self.render(item, at_key(path, key)) for key, item in value.items()}
        if isinstance(value, list):
            return [self.render(item, at_index(path, index)) for index, item in enumerate(value)]
        return value

    def evaluate(self, expression: Expression, path: str) -> Any:
        source = f"({expression.source})"
        try:
            value = _plain(engine.eval_expr(source, **self._names))
            if value is None and not engine.eval_expr(f"{source} is defined", **self._names):
                raise RenderError(f"{{{{ {expression.source} }}}} is undefined", path=path)
        except (minijinja.TemplateError, TypeError, ValueError, OverflowError, AttributeError) as error:
            reason = error.detail or error.kind if isinstance(error, minijinja.TemplateError) else str(error)
            told = redact(f"{{{{ {expression.source} }}}}: {reason}", self.secrets)
            raise RenderError(told, path=path) from None
        if self._reads_secret(expression):
            self.secrets.update(collect_secrets(_texts(value)))
        return value

    def _template(self, template: Template, path: str) -> Any:
        if template.sole_expression is not None:
            return self._bounded(self.evaluate(template.sole_expression, path), path)
        text = "".join(part if isinstance(part, str) else as_text(self.evaluate(part, path)) for part in template.parts)
        return self._bounded(text, path)

    @staticmethod
    def _bounded(value: Any, path: str) -> Any:
        if sum(map(len, _texts(value))) > MAX_RENDERED:
            raise RenderError(f"the rendered value is longer than {MAX_RENDERED} characters", path=path)
        return value

    def _reads_secret(self, expression: Expression) -> bool:
        return any(
            ref.parts[0] == "params" and (len(ref.parts) == 1 or ref.parts[1] in self._secret_names)
            for ref in expression.references
        )


def _parsed(parse: Any, text: str, path: str) -> Any:
    try:
        return parse(text)
    except ExpressionError as error:
        raise RenderError(str(error), path=path) from None


def _names(context: Context) -> dict[str, Any]:
    names: dict[str, Any] = msgspec.to_builtins({"run": context.run, "steps": context.steps})
    if context.device is not None:
        names["device"] = msgspec.to_builtins(context.device)
    names["params"] = {**context.params, **context.secret_params}
    names["item"] = context.item
    return {name: _sealed(value) for name, value in names.items()}


def _sealed_getattribute(self: object, name: str) -> Any:
    if name.startswith("__"):
        return object.__getattribute__(self, name)
    raise AttributeError(name)


class _SealedDict(dict[str, Any]):
    """A dict whose methods templates cannot see, so that `output.items` is a member or undefined."""

    __getattribute__ = _sealed_getattribute


class _SealedList(list[Any]):
    __getattribute__ = _sealed_getattribute


def _sealed(value: Any) -> Any:
    if isinstance(value, Mapping):
        return _SealedDict({str(key): _sealed(item) for key, item in value.items()})
    if isinstance(value, list | tuple):
        return _SealedList([_sealed(item) for item in value])
    return value


def _plain(value: Any) -> Any:
    """The engine's answer as plain values again; raises TypeError for what is no JSON."""
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, str):
        return str(value)
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in dict.items(value)}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    raise TypeError(f"yields a {type(value).__name__}, which is not a JSON value")


def _texts(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [text for item in value.values() for text in _texts(item)]
    if isinstance(value, list):
        return [text for item in value for text in _texts(item)]
    return [as_text(value)]
