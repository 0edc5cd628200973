"""Which input files a recipe names. Whether they exist is for the server to see; templates are for the node."""

from __future__ import annotations

from collections.abc import Mapping

from corral.workflow.action_spec import ActionSpec
from corral.workflow.actions import BUILT_IN
from corral.workflow.catalog.fields import InputFile
from corral.workflow.conform import fields_of
from corral.workflow.paths import at_index, at_key
from corral.workflow.recipe import Recipe
from corral.workflow.template import is_template


def list_input_files(recipe: Recipe, actions: Mapping[str, ActionSpec] = BUILT_IN) -> list[tuple[str, str]]:
    """Every input file that a step names literally, by name or sha256, with the path of the naming."""
    return [
        (path, value)
        for position, step in enumerate(recipe.steps)
        for name, given in step.with_.items()
        if name in _file_fields(actions[step.uses])
        for path, value in _each(at_key(at_key(at_index("steps", position), "with"), name), given)
        if isinstance(value, str) and not is_template(value)
    ]


def _each(path: str, given: object) -> list[tuple[str, object]]:
    """The value, or the values of a list, with their paths."""
    if not isinstance(given, list):
        return [(path, given)]
    return [(at_index(path, position), value) for position, value in enumerate(given)]


def _file_fields(action: ActionSpec) -> set[str]:
    """The arguments that are input files, whatever an extension calls them."""
    kinds = (InputFile, InputFile | None, list[InputFile])
    return {each.encode_name for each in fields_of(action.args).values() if each.type in kinds}
