"""The recipe language: parsing, validation, templates, draws. Pure: no database, no device, no network.

The server validates with it when a workflow, playbook or run is created; nodes render and draw with it.
Executing actions is not here.
"""

from corral.model.errors import ActionClashError, Problem, RecipeInvalidError, RenderError
from corral.workflow.action_spec import ANYWHERE, DEVICE_ONLY, ActionSpec, Args, OpenOutput, Output
from corral.workflow.actions import BUILT_IN, ActionRegistry, installed_actions, load_actions
from corral.workflow.context import Context, DeviceContext, RunContext, StepContext
from corral.workflow.draws import draw, executes
from corral.workflow.input_files import list_input_files
from corral.workflow.overrides import Plan, PlannedStep, StepOverride, read_overrides, resolve_plan
from corral.workflow.params import RunParams, param_from_text, resolve_params
from corral.workflow.plan_request import plan_request
from corral.workflow.playbook import CommandAsset, Playbook, PlaybookStep, compile_playbook, parse_command
from corral.workflow.presets import preset_texts
from corral.workflow.recipe import (
    Backoff,
    Defaults,
    ParamSpec,
    Recipe,
    StepSpec,
    canonical_hash,
    from_json,
    to_json,
)
from corral.workflow.redaction import MASK, collect_secrets, redact, redact_value
from corral.workflow.render import Rendered, evaluate_for_each, evaluate_when, render
from corral.workflow.validate import find_problems, parse_recipe

__all__ = [
    "ANYWHERE",
    "BUILT_IN",
    "DEVICE_ONLY",
    "MASK",
    "ActionClashError",
    "ActionRegistry",
    "ActionSpec",
    "Args",
    "Backoff",
    "CommandAsset",
    "Context",
    "Defaults",
    "DeviceContext",
    "OpenOutput",
    "Output",
    "ParamSpec",
    "Plan",
    "PlannedStep",
    "Playbook",
    "PlaybookStep",
    "Problem",
    "Recipe",
    "RecipeInvalidError",
    "RenderError",
    "Rendered",
    "RunContext",
    "RunParams",
    "StepContext",
    "StepOverride",
    "StepSpec",
    "canonical_hash",
    "collect_secrets",
    "compile_playbook",
    "draw",
    "evaluate_for_each",
    "evaluate_when",
    "executes",
    "find_problems",
    "from_json",
    "installed_actions",
    "list_input_files",
    "load_actions",
    "param_from_text",
    "parse_command",
    "parse_recipe",
    "plan_request",
    "preset_texts",
    "read_overrides",
    "redact",
    "redact_value",
    "render",
    "resolve_params",
    "resolve_plan",
    "to_json",
]
