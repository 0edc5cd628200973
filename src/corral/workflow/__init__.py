"""The recipe language: parsing, validation, templates, draws. Pure: no database, no device, no network.

The server validates with it when a workflow, playbook or run is created; nodes render and draw with it.
Executing actions is not here.
"""

from corral.model.errors import ActionClashError, Problem, RecipeInvalidError, RenderError
from corral.workflow.action_spec import ANYWHERE, DEVICE_ONLY, ActionSpec, Args, OpenOutput, Output
from corral.workflow.actions import BUILT_IN, ActionRegistry, installed_actions, load_actions
from corral.workflow.capabilities import LOCAL, PHONE, asks_for_phone
from corral.workflow.context import Context, DeviceContext, RunContext, StepContext
from corral.workflow.distribute import WHOLE_JOB, StepPlan, distribute, repeat
from corral.workflow.draws import draw, executes
from corral.workflow.holding import HOLD_ACTION, HOLD_NAME, LONGEST_HOLD_S, hold_recipe
from corral.workflow.input_files import list_input_files
from corral.workflow.overrides import Plan, PlannedStep, StepOverride, read_overrides, resolve_plan
from corral.workflow.params import RunParams, param_from_text, resolve_params
from corral.workflow.plan_request import SESSION, list_secrets, plan_request
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
from corral.workflow.yaml_writing import to_yaml

__all__ = [
    "ANYWHERE",
    "BUILT_IN",
    "DEVICE_ONLY",
    "HOLD_ACTION",
    "HOLD_NAME",
    "LOCAL",
    "LONGEST_HOLD_S",
    "MASK",
    "PHONE",
    "SESSION",
    "WHOLE_JOB",
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
    "StepPlan",
    "StepSpec",
    "asks_for_phone",
    "canonical_hash",
    "collect_secrets",
    "compile_playbook",
    "distribute",
    "draw",
    "evaluate_for_each",
    "evaluate_when",
    "executes",
    "find_problems",
    "from_json",
    "hold_recipe",
    "installed_actions",
    "list_input_files",
    "list_secrets",
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
    "repeat",
    "resolve_params",
    "resolve_plan",
    "to_json",
    "to_yaml",
]
