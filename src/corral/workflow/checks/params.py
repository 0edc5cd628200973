"""Checks of the parameters that a recipe declares."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from msgspec import UNSET

from corral.model.errors import Problem
from corral.workflow.action_spec import ActionSpec
from corral.workflow.params import wrong_with_value
from corral.workflow.paths import at_index, at_key
from corral.workflow.recipe import ParamSpec, Recipe

_NAME = re.compile(r"[a-z][a-z0-9_]{0,62}\Z")


def check_params(recipe: Recipe, _actions: Mapping[str, ActionSpec]) -> Iterator[Problem]:
    """Problems of names, choices, defaults and secrets."""
    for name, spec in recipe.params.items():
        path = at_key("params", name)
        if not _NAME.match(name):
            yield Problem(path, "must be named in lower-case letters, digits and _, starting with a letter")
        yield from _check_choices(spec, path)
        yield from _check_secret(spec, path)
        yield from _check_default(spec, path)


def _check_choices(spec: ParamSpec, path: str) -> Iterator[Problem]:
    if spec.type != "enum":
        if spec.choices is not None:
            yield Problem(at_key(path, "choices"), "only an enum has choices")
        return
    if not spec.choices:
        yield Problem(at_key(path, "choices"), "an enum needs at least one choice")
        return
    for index, choice in enumerate(spec.choices):
        if choice in spec.choices[:index]:
            yield Problem(at_index(at_key(path, "choices"), index), f"'{choice:.80}' appears twice")


def _check_secret(spec: ParamSpec, path: str) -> Iterator[Problem]:
    if not spec.secret:
        return
    if spec.type != "string":
        yield Problem(at_key(path, "type"), "a secret must be a string")
    if spec.default is not UNSET:
        yield Problem(at_key(path, "default"), "a secret cannot have a default: recipes are not secret")


def _check_default(spec: ParamSpec, path: str) -> Iterator[Problem]:
    if spec.default is UNSET or spec.secret:
        return
    if spec.required:
        yield Problem(at_key(path, "required"), "a required parameter cannot have a default")
    wrong = None if spec.type == "enum" and not spec.choices else wrong_with_value(spec, spec.default)
    if wrong is not None:
        yield Problem(at_key(path, "default"), wrong)
