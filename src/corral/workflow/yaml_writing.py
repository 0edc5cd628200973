"""Write plain values as YAML that people read and `yaml_text` reads back as the very same values."""

from __future__ import annotations

from typing import Any

import yaml
from msgspec import Struct

from corral.workflow.conform import fields_of
from corral.workflow.recipe import Recipe, default_of
from corral.workflow.yaml_text import is_plain_text

_WIDTH = 110
_NUMBERS = {"timeout_s", "upload_timeout_s", "timeout_bounds_s", "initial_s", "max_s", "factor", "probability"}
"""Numbers of a record, which are read as fractions however they are written."""

_ODD_BREAKS = frozenset("\x85\u2028\u2029")
"""Line breaks to YAML: they stay what they are only as escapes, between double quotes."""


class _Dumper(yaml.SafeDumper):
    """Without aliases, which would save space and cost the reader; lists are indented below their key."""

    def ignore_aliases(self, data: object) -> bool:  # noqa: ARG002 - PyYAML's signature
        return True

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:  # noqa: ARG002, FBT001, FBT002 - as above
        super().increase_indent(flow, False)  # noqa: FBT003 - as above


def dump_yaml(value: object) -> str:
    """The document's text; keys stay in their order."""
    text: str = yaml.dump(value, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=_WIDTH)
    return text


def to_yaml(recipe: Recipe) -> str:
    """A recipe as its author would write it: in the order of the documents, defaults left out."""
    return dump_yaml(_as_written(recipe))


def _represent_text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = None if is_plain_text(text) else "'"  # PyYAML and our reader differ on what is a number
    if "\n" in text.strip("\n"):
        style = "|"
    if _ODD_BREAKS.intersection(text):
        style = '"'
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _represent_text)


def _as_written(value: Any) -> Any:
    """Records as objects of what differs from the defaults."""
    if isinstance(value, Struct):
        members = {each.encode_name: (getattr(value, each.name), each) for each in fields_of(type(value)).values()}
        return {
            name: _as_number(member) if name in _NUMBERS else _as_written(member)
            for name, (member, each) in members.items()
            if member != default_of(each)
        }
    if isinstance(value, list):
        return [_as_written(item) for item in value]
    if isinstance(value, dict):
        return {key: _as_written(item) for key, item in value.items()}
    return value


def _as_number(value: Any) -> Any:
    """Numbers without a fraction that says nothing."""
    if isinstance(value, list):
        return [_as_number(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value
