"""From what somebody asks for to what the engine is asked: a run's request, checked against its recipe.

For whoever asks for runs: a person by the API, a schedule, a channel that found a new video.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from corral.model.errors import InvalidRequestError
from corral.workflow.actions import installed_actions
from corral.workflow.distribute import distribute
from corral.workflow.overrides import resolve_plan
from corral.workflow.params import resolve_params
from corral.workflow.recipe import Recipe

SESSION: Final = "session"
"""The source of runs that hold a phone; nobody else's may say so, because they are no work."""

_PASSED_ON: Final = ("name", "seed", "log_path", "youtube_video_id", "source_type", "source_id", "replay_of")
_EVERYWHERE: Final = {"all": True}


def plan_request(recipe: Recipe, wanted: Mapping[str, Any]) -> dict[str, Any]:
    """What fn_create_run is asked: the recipe's own bounds, params with secrets apart, overrides that fit.

    `wanted` is the body of POST /api/runs. Raises RecipeInvalidError with the path of the offending value.
    """
    if wanted.get("source_type") == SESSION:
        raise InvalidRequestError("POST /api/sessions opens sessions", path="source_type")
    overrides = wanted.get("overrides", {})
    target = wanted.get("target", _EVERYWHERE)
    params = resolve_params(recipe.params, wanted.get("params", {}))
    plan = resolve_plan(recipe, overrides, installed_actions())
    request = {
        "target": target,
        "params": params.public,
        "secret_params": params.secret,
        "overrides": overrides,
        "policy": wanted.get("policy", {}),
        "timeout_s": plan.timeout_s,
        "repeatable": plan.repeatable,
        "workspace": wanted.get("workspace", "default"),
    } | {name: str(wanted[name]) for name in _PASSED_ON if wanted.get(name) is not None}
    if recipe.mode == "device":
        if "log_path" in request:
            raise InvalidRequestError("only a distributed run has one log", path="log_path")
        return request
    if target != _EVERYWHERE:
        raise InvalidRequestError(f"a {recipe.mode} run has no target: its steps say what they require", path="target")
    return request | {"steps": msgspec.to_builtins(distribute(recipe, plan))}


def list_secrets(recipe: Recipe, params: Mapping[str, Any]) -> list[str]:
    """Which of the params given are secrets, by name: for those who must not keep any."""
    return sorted(name for name in params if name in recipe.params and recipe.params[name].secret)
