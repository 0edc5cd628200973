"""Compile a playbook, an ordered choice of command assets, into a recipe. Data in, data out.

A command asset may declare parameters and use them as `{{ params.name }}`. A playbook's step binds them to
values or expressions; what it leaves open becomes a parameter of the recipe, to be set by each run.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any

from msgspec import Meta, Struct, field

from corral.model.errors import Problem, RecipeInvalidError
from corral.workflow.action_spec import ActionSpec
from corral.workflow.actions import BUILT_IN
from corral.workflow.binding import UnbindableError, bind
from corral.workflow.conform import Conformer
from corral.workflow.limits import DEFAULT_JOB_TIMEOUT_S, MAX_STEPS
from corral.workflow.params import wrong_with_value
from corral.workflow.paths import at_index, at_key, did_you_mean
from corral.workflow.recipe import Defaults, ParamSpec, Recipe, StepSpec
from corral.workflow.source import read_document
from corral.workflow.template import is_template
from corral.workflow.validate import check_recipe, merge, tidy
from corral.workflow.words import (
    Description,
    Identifier,
    OnFailure,
    Probability,
    Retries,
    Seconds,
    Slug,
    TimeoutBounds,
    Title,
    With,
)


class CommandAsset(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A reusable step."""

    name: Slug
    uses: Annotated[str, Meta(min_length=1, max_length=100)]
    title: Title = ""
    description: Description = ""
    with_: With = field(default_factory=dict, name="with")
    params: dict[Identifier, ParamSpec] = field(default_factory=dict)
    timeout_s: Seconds | None = None
    timeout_bounds_s: TimeoutBounds | None = None
    on_failure: OnFailure | None = None
    retries: Retries | None = None
    repeatable: bool | None = None


class PlaybookStep(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A command asset at its place; what is given here wins over the asset."""

    command: Slug
    id: Annotated[Identifier | None, Meta(description="By default the command's name.")] = None
    probability: Probability = 1.0
    timeout_s: Seconds | None = None
    on_failure: OnFailure | None = None
    retries: Retries | None = None
    params: Annotated[dict[str, Any], Meta(description="Values for the command's parameters.")] = field(
        default_factory=dict
    )


class Playbook(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An ordered choice of command assets."""

    name: Slug
    title: Title = ""
    description: Description = ""
    timeout_s: Seconds = DEFAULT_JOB_TIMEOUT_S
    defaults: Defaults = field(default_factory=Defaults)
    steps: Annotated[list[PlaybookStep], Meta(min_length=1, max_length=MAX_STEPS)]


def parse_command(source: object, actions: Mapping[str, ActionSpec] = BUILT_IN) -> CommandAsset:
    """A command asset that could stand in a playbook; raises RecipeInvalidError (code command_invalid)."""
    conformer = Conformer()
    command: CommandAsset = conformer.build(_read(source, "command_invalid"), CommandAsset, "")
    step = StepSpec(id="", **_settings(command, None))
    recipe = Recipe(name=command.name, params=command.params, steps=[step])
    found = (
        Problem(each.path.removeprefix("steps[0]").removeprefix("."), each.message)
        for each in check_recipe(recipe, actions)
    )
    problems = merge(conformer.problems, found)
    if problems:
        raise RecipeInvalidError(tidy(problems), code="command_invalid")
    return command


def compile_playbook(
    source: object, commands: Mapping[str, CommandAsset], actions: Mapping[str, ActionSpec] = BUILT_IN
) -> Recipe:
    """The recipe of a playbook; raises RecipeInvalidError (code playbook_invalid) with paths into the playbook.

    Problems of a command asset are under the step that names it: `steps[1].command.with.package`.
    """
    compiler = _Compiler(commands)
    playbook: Playbook = compiler.conformer.build(_read(source, "playbook_invalid"), Playbook, "")
    recipe = Recipe(
        name=playbook.name,
        title=playbook.title,
        description=playbook.description,
        timeout_s=playbook.timeout_s,
        defaults=playbook.defaults,
        steps=[compiler.compile_step(step, position) for position, step in enumerate(playbook.steps)],
        params=compiler.params,
    )
    found = [_moved(each, playbook) for each in check_recipe(recipe, actions)]
    problems = merge(compiler.conformer.problems, found)
    if problems:
        raise RecipeInvalidError(tidy(problems), code="playbook_invalid")
    return recipe


class _Compiler:
    def __init__(self, commands: Mapping[str, CommandAsset]) -> None:
        self.commands = commands
        self.conformer = Conformer()
        self.params: dict[str, ParamSpec] = {}
        self.ids: set[str] = set()

    def compile_step(self, step: PlaybookStep, position: int) -> StepSpec:
        path = at_index("steps", position)
        command = self.commands.get(step.command)
        if command is None:
            if step.command:
                hint = did_you_mean(step.command, self.commands)
                self.conformer.refuse(at_key(path, "command"), f"there is no command '{step.command}'{hint}")
            return StepSpec(id="", uses="")
        settings = _settings(command, step)
        settings["with_"] = self._bound(command, step, path)
        return StepSpec(id=self._id(step, path), **settings)

    def _id(self, step: PlaybookStep, path: str) -> str:
        if step.id is not None:
            if step.id and step.id in self.ids:
                self.conformer.refuse(at_key(path, "id"), f"'{step.id}' is already the id of a step before")
                return ""
            self.ids.add(step.id)
            return step.id
        stem = step_id_from(step.command)
        number, chosen = 1, stem
        while chosen in self.ids:
            number += 1
            chosen = f"{stem}_{number}"
        self.ids.add(chosen)
        return chosen

    def _bound(self, command: CommandAsset, step: PlaybookStep, path: str) -> dict[str, Any]:
        bindings: dict[str, Any] = {}
        where = at_key(path, "params")
        for name, value in step.params.items():
            wrong = _wrong_with_binding(command, name, value)
            if wrong is None:
                bindings[name] = value
            else:
                self.conformer.refuse(at_key(where, name), wrong)
        try:
            bound = {key: bind(item, bindings) for key, item in command.with_.items()}
        except UnbindableError as error:
            self.conformer.refuse(at_key(where, error.name), str(error))
            bound, bindings = command.with_, {}
        self._open_params({name: spec for name, spec in command.params.items() if name not in bindings}, path)
        return bound

    def _open_params(self, unbound: Mapping[str, ParamSpec], path: str) -> None:
        for name, spec in unbound.items():
            if self.params.setdefault(name, spec) != spec:
                self.conformer.refuse(
                    at_key(at_key(at_key(path, "command"), "params"), name),
                    "another command declares this parameter differently; bind it in one of the steps",
                )


def step_id_from(command_name: str) -> str:
    """A step id made from a command's name."""
    stem = re.sub(r"[^a-z0-9]+", "_", command_name.lower()).strip("_")[:50] or "step"
    return stem if stem[0].isalpha() else f"step_{stem}"


def _wrong_with_binding(command: CommandAsset, name: str, value: Any) -> str | None:
    spec = command.params.get(name)
    if spec is None:
        return f"the command {command.name} has no such parameter{did_you_mean(name, command.params)}"
    if is_template(value):
        return None
    if spec.secret:
        return "a secret cannot be written into a playbook; leave it open and give it to each run"
    return wrong_with_value(spec, value)


def _settings(command: CommandAsset, step: PlaybookStep | None) -> dict[str, Any]:
    """What a recipe's step takes from a command, and from the playbook's step where that says something."""
    on_failure, retries = command.on_failure, command.retries
    if step is not None and step.on_failure is not None:
        on_failure, retries = step.on_failure, command.retries if step.on_failure == "retry" else None
    return {
        "uses": command.uses,
        "title": command.title,
        "with_": command.with_,
        "timeout_s": command.timeout_s if step is None or step.timeout_s is None else step.timeout_s,
        "timeout_bounds_s": command.timeout_bounds_s,
        "on_failure": on_failure,
        "retries": retries if step is None or step.retries is None else step.retries,
        "repeatable": command.repeatable,
        "probability": 1.0 if step is None else step.probability,
    }


_OF_STEP = ("timeout_s", "on_failure", "retries", "probability", "id")
_STEP_PATH = re.compile(r"steps\[(\d+)\]\.(\w+)(.*)\Z", re.DOTALL)


def _moved(problem: Problem, playbook: Playbook) -> Problem:
    """A problem of the recipe as one of the playbook: at the step if that says it, else at its command."""
    match = _STEP_PATH.match(problem.path)
    if match is None:
        return problem
    position, key, rest = match.groups()
    step = playbook.steps[int(position)]
    if key in _OF_STEP and getattr(step, key) is not None:
        return problem
    return Problem(f"steps[{position}].command.{key}{rest}", problem.message)


def _read(source: object, code: str) -> object:
    try:
        return read_document(source)
    except RecipeInvalidError as invalid:
        raise RecipeInvalidError(invalid.problems, code=code) from None
