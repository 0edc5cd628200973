"""The published JSON Schema (2020-12) of recipes, for editors and other tools.

It is made from the code: `python -m corral.workflow.schema` prints it, recipe.schema.json keeps it, a test
compares the two. What it cannot say (order, references, bounds against each other) only `validate` checks.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any, Final

import msgspec

from corral.workflow.action_spec import ActionSpec
from corral.workflow.actions import BUILT_IN
from corral.workflow.recipe import Recipe

SCHEMA_ID: Final = "urn:corral:recipe"
_TEMPLATE: Final = {"$ref": "#/$defs/Template"}


def recipe_schema(actions: Mapping[str, ActionSpec] = BUILT_IN) -> dict[str, Any]:
    """The schema of recipes that use these actions."""
    types = [Recipe, *dict.fromkeys(action.args for action in actions.values())]
    refs, components = msgspec.json.schema_components(types, ref_template="#/$defs/{name}")
    of_recipe = msgspec.json.schema_components([Recipe], ref_template="#/$defs/{name}")[1]
    definitions = {name: schema if name in of_recipe else _templated(schema) for name, schema in components.items()}
    definitions["Template"] = {
        "description": "Text with {{ expressions }}, rendered when the step starts.",
        "type": "string",
        "pattern": r"\{\{",
    }
    refs_by_args = dict(zip(types, refs, strict=True))
    step = definitions["StepSpec"]
    step["properties"]["uses"] = {**step["properties"]["uses"], "enum": sorted(actions)}
    step["allOf"] = [_given(action, refs_by_args[action.args]) for _, action in sorted(actions.items())]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": SCHEMA_ID,
        "title": "Corral recipe",
        **refs[0],
        "$defs": dict(sorted(definitions.items())),
    }


def recipe_schema_text(actions: Mapping[str, ActionSpec] = BUILT_IN) -> str:
    """The schema as it is stored."""
    return msgspec.json.format(msgspec.json.encode(recipe_schema(actions)), indent=2).decode() + "\n"


def _given(action: ActionSpec, ref: dict[str, Any]) -> dict[str, Any]:
    """If a step uses the action, then its `with` is the action's."""
    then: dict[str, Any] = {"properties": {"with": ref}}
    if any(field.required for field in msgspec.structs.fields(action.args)):
        then["required"] = ["with"]
    return {"if": {"properties": {"uses": {"const": action.name}}, "required": ["uses"]}, "then": then}


def _templated(schema: dict[str, Any]) -> dict[str, Any]:
    """A record's schema in which each value may also be a template."""
    properties = schema.get("properties", {})
    return {**schema, "properties": {name: _or_template(each) for name, each in properties.items()}}


def _or_template(schema: dict[str, Any]) -> dict[str, Any]:
    inner = dict(schema)
    if "items" in inner:
        inner["items"] = _or_template(inner["items"])
    if isinstance(inner.get("additionalProperties"), dict):
        inner["additionalProperties"] = _or_template(inner["additionalProperties"])
    if "anyOf" in inner:
        return {**inner, "anyOf": [*(_or_template(each) for each in inner["anyOf"]), _TEMPLATE]}
    notes: dict[str, Any] = {key: inner.pop(key) for key in ("description", "default") if key in inner}
    return {**notes, "anyOf": [inner, _TEMPLATE]} if inner else notes


if __name__ == "__main__":
    sys.stdout.write(recipe_schema_text())
