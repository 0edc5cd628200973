"""The values of a run's parameters: checked against what the recipe declares, and secrets kept apart."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from msgspec import UNSET

from corral.model.errors import Problem, RecipeInvalidError
from corral.workflow.conform import kind_of
from corral.workflow.limits import MIN_SECRET_LENGTH
from corral.workflow.paths import at_key, did_you_mean
from corral.workflow.plain import find_unplain
from corral.workflow.recipe import ParamSpec

_TYPES: dict[str, tuple[tuple[type, ...], str]] = {
    "string": ((str,), "text"),
    "int": ((int,), "an integer"),
    "number": ((int, float), "a number"),
    "boolean": ((bool,), "true or false"),
    "enum": ((str,), "text"),
}


class RunParams(NamedTuple):
    """Parameters with their defaults filled in; only `public` may be shown or logged."""

    public: dict[str, Any]
    secret: dict[str, str]


def resolve_params(specs: Mapping[str, ParamSpec], given: Mapping[str, Any]) -> RunParams:
    """The parameters of a run; raises RecipeInvalidError (code params_invalid). No message holds a secret."""
    problems = [
        Problem(at_key("params", name), f"unknown parameter{did_you_mean(name, specs)}")
        for name in given
        if name not in specs
    ]
    resolved = RunParams({}, {})
    for name, spec in specs.items():
        value = given.get(name, None if spec.default is UNSET else spec.default)
        wrong = _wrong_with_given(spec, value, is_given=name in given)
        if wrong is not None:
            problems.append(Problem(at_key("params", name), wrong))
        elif spec.secret and value is not None:
            resolved.secret[name] = value
        else:
            resolved.public[name] = value
    if problems:
        raise RecipeInvalidError(problems, code="params_invalid")
    return resolved


def wrong_with_value(spec: ParamSpec, value: object) -> str | None:
    """Why the value cannot be the parameter's, if so."""
    if value is None:
        return None if not spec.is_required else "cannot be null"
    types, wanted = _TYPES[spec.type]
    if not isinstance(value, types) or (isinstance(value, bool) and spec.type != "boolean"):
        return f"expected {wanted}, got {kind_of(value)}"
    unplain = find_unplain(value)
    if unplain:
        return unplain[0].message
    if spec.type == "enum" and value not in (spec.choices or ()):
        choices = spec.choices or []
        return f"must be one of {', '.join(choices)}{did_you_mean(str(value), choices)}"
    return None


def param_from_text(spec: ParamSpec, text: str) -> Any:
    """What a user meant by text on a command line; text that does not fit comes back as it is."""
    if spec.type == "boolean":
        return {"true": True, "false": False}.get(text.strip().lower(), text)
    if spec.type in ("int", "number"):
        for convert in (int, float) if spec.type == "number" else (int,):
            try:
                return convert(text)
            except ValueError:
                continue
    return text


def _wrong_with_given(spec: ParamSpec, value: object, *, is_given: bool) -> str | None:
    if not is_given:
        return "is required" if spec.is_required else None
    if spec.secret and isinstance(value, str) and len(value.strip()) < MIN_SECRET_LENGTH:
        return f"a secret must be at least {MIN_SECRET_LENGTH} characters long, or it cannot be kept out of logs"
    return wrong_with_value(spec, value)
