"""What fn_create_run is asked of a recipe: its own bounds, params with secrets apart, overrides that fit.

For whoever asks for runs: a person by the API, a channel that found a new video.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from corral.workflow.actions import installed_actions
from corral.workflow.overrides import resolve_plan
from corral.workflow.params import resolve_params
from corral.workflow.recipe import Recipe


def plan_run(recipe: Mapping[str, Any], *, params: Mapping[str, Any], overrides: Mapping[str, Any]) -> dict[str, Any]:
    """The recipe's part of a request. Raises RecipeInvalidError with the path of the offending value."""
    checked = msgspec.convert(recipe, Recipe)
    resolved = resolve_params(checked.params, params)
    plan = resolve_plan(checked, overrides, installed_actions())
    return {
        "params": resolved.public,
        "secret_params": resolved.secret,
        "overrides": overrides,
        "timeout_s": plan.timeout_s,
        "repeatable": plan.repeatable,
    }


def list_secrets(recipe: Mapping[str, Any], params: Mapping[str, Any]) -> list[str]:
    """Which of the params given are secrets, by name: for those who must not keep any."""
    specs = msgspec.convert(recipe, Recipe).params
    return sorted(name for name in params if name in specs and specs[name].secret)
