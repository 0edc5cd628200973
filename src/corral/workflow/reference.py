"""The reference of actions as Markdown, made from their contracts.

`python -m corral.workflow.reference` prints it, docs/actions.md keeps it, a test compares the two.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from corral.workflow.action_spec import ActionSpec
from corral.workflow.actions import BUILT_IN

_HEAD = """\
# Actions

What a step's `uses` may name. This page is generated from the code:
`python -m corral.workflow.reference > docs/actions.md`.

*Repeatable* means that the step may be repeated when it is unknown whether it happened, after a node was lost
or a device stopped answering. Every value may be a template; see [recipes](recipes.md).
"""


def actions_markdown(actions: Mapping[str, ActionSpec] = BUILT_IN) -> str:
    """The page: one section per action, in the order of the registry."""
    sections = ["\n".join(_section(action)) for action in actions.values()]
    return "\n".join([_HEAD, *sections])


def _section(action: ActionSpec) -> Iterator[str]:
    yield f"## {action.name}\n"
    yield f"{action.summary}\n"
    yield f"{' · '.join(_facts(action))}\n"
    arguments = _rows(action.args, action.args_schema())
    if arguments:
        yield "| with | type | default | |"
        yield "|---|---|---|---|"
        for name, schema, required in arguments:
            default = "required" if required else f"`{msgspec.json.encode(schema.get('default')).decode()}`"
            yield f"| `{name}` | {_type(schema)} | {default} | {_description(schema)} |"
        yield ""
    outputs = _rows(action.output, action.output_schema()) if action.output is not None else []
    told = [f"`{name}` ({_type(schema)})" for name, schema, _ in outputs]
    if told and action.is_output_open:
        told.append("and more, as said above")
    if told:
        yield f"Yields {', '.join(told)}.\n"


def _facts(action: ActionSpec) -> Iterator[str]:
    yield "on devices" if action.modes == {"device"} else "on devices and in distributed recipes"
    yield "repeatable" if action.repeatable else "not repeatable"
    if action.capability:
        yield f"needs a node with `{action.capability}`"
    if action.uploads:
        yield "timeout: the recipe's `upload_timeout_s`"
    if action.default_timeout_s:
        yield f"timeout: at least {action.default_timeout_s:g} s unless the step states its own"
    for names in action.exclusive:
        yield f"at most one of {', '.join(f'`{name}`' for name in names)}"


def _rows(record: type[msgspec.Struct], schema: dict[str, Any]) -> list[tuple[str, dict[str, Any], bool]]:
    definitions = schema["$defs"]
    body = definitions[schema["$ref"].rpartition("/")[2]]
    fields = {field.encode_name: field.required for field in msgspec.structs.fields(record)}
    return [(name, _resolved(each, definitions), fields[name]) for name, each in body.get("properties", {}).items()]


def _resolved(schema: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    """The schema with records in lists written out, one level deep."""
    items = schema.get("items")
    if isinstance(items, dict) and "$ref" in items:
        return {**schema, "items": definitions[items["$ref"].rpartition("/")[2]]}
    return schema


def _type(schema: dict[str, Any]) -> str:
    if "anyOf" in schema:
        return " or ".join(_type(each) for each in schema["anyOf"])
    if "enum" in schema:
        return ", ".join(f"`{word}`" for word in schema["enum"])
    kind = str(schema.get("type", "any"))
    if kind == "array" and "properties" in schema.get("items", {}):
        return f"list of {{{', '.join(schema['items']['properties'])}}}"
    if kind == "array":
        return f"list of {_type(schema['items'])}" if "items" in schema else "list"
    return kind + _range(schema)


def _range(schema: dict[str, Any]) -> str:
    least, greatest = schema.get("minimum"), schema.get("maximum")
    if least is None:
        return ""
    return f" ≥ {least:g}" if greatest is None else f" {least:g} to {greatest:g}"


def _description(schema: dict[str, Any]) -> str:
    own = schema.get("description")
    inner = (each.get("description") for each in schema.get("anyOf", ()))
    return own or next(filter(None, inner), "")


if __name__ == "__main__":
    sys.stdout.write(actions_markdown())
