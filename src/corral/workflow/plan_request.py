"""From what somebody asks for to what the engine is asked: a run's request, checked against its recipe."""

from collections.abc import Mapping
from typing import Any, Final

from corral.model.errors import InvalidRequestError
from corral.workflow.actions import installed_actions
from corral.workflow.overrides import resolve_plan
from corral.workflow.params import resolve_params
from corral.workflow.recipe import Recipe

_PASSED_ON: Final = ("name", "seed", "youtube_video_id", "source_type", "source_id", "replay_of")


def plan_request(recipe: Recipe, wanted: Mapping[str, Any]) -> dict[str, Any]:
    """What fn_create_run is asked: the recipe's own bounds, params with secrets apart, overrides that fit.

    `wanted` is the body of POST /api/runs. Raises RecipeInvalidError with the path of the offending value.
    """
    if recipe.mode != "device":
        raise InvalidRequestError("runs of distributed workflows cannot be created yet", path="workflow")
    overrides = wanted.get("overrides", {})
    params = resolve_params(recipe.params, wanted.get("params", {}))
    plan = resolve_plan(recipe, overrides, installed_actions())
    return {
        "target": wanted.get("target", {"all": True}),
        "params": params.public,
        "secret_params": params.secret,
        "overrides": overrides,
        "policy": wanted.get("policy", {}),
        "timeout_s": plan.timeout_s,
        "repeatable": plan.repeatable,
        "workspace": wanted.get("workspace", "default"),
    } | {name: str(wanted[name]) for name in _PASSED_ON if wanted.get(name) is not None}
