"""Turn plain values into typed records, collecting every problem instead of stopping at the first.

What is wrong is reported and replaced by a stand-in, so that later checks still see the rest of the document.
Callers must throw the record away when there are problems.
"""

from __future__ import annotations

import re
import types
import typing
from functools import cache
from typing import Annotated, Any, Literal, TypeGuard, Union

import msgspec

from corral.model.errors import Problem
from corral.workflow.paths import at_index, at_key, did_you_mean

_KINDS = {
    bool: "a boolean",
    int: "an integer",
    float: "a number",
    str: "text",
    list: "a list",
    dict: "an object",
}
_NAMES = {
    "bool": "a boolean",
    "int": "an integer",
    "float": "a number",
    "str": "text",
    "array": "a list",
    "object": "an object",
    "null": "null",
}
_TYPE_NAME = re.compile(rf"\b({'|'.join(_NAMES)})\b")


class Conformer:
    """Collects problems while it builds records. Subclass `stands_for` to let values stand in for others."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []

    def stands_for(self, value: object, hint: Any, path: str) -> bool:  # noqa: ARG002 - for subclasses
        """Whether the value is accepted as it is, whatever the hint says."""
        return False

    def build(self, value: object, hint: Any, path: str) -> Any:
        """The value as the hinted type, or a stand-in for it after reporting what is wrong."""
        if self.stands_for(value, hint, path):
            return value
        bare, metas = unwrap(hint)
        option = _option_for(value, bare)
        if option is not bare:
            return self.build(value, option, path)
        if is_struct(bare):
            return self._struct(value, bare, path)
        if typing.get_origin(bare) is list and isinstance(value, list):
            self._check_length(value, metas, path)
            return [self.build(item, typing.get_args(bare)[0], at_index(path, i)) for i, item in enumerate(value)]
        if typing.get_origin(bare) is dict and isinstance(value, dict):
            self._check_length(value, metas, path)
            return {key: self.build(item, typing.get_args(bare)[1], at_key(path, key)) for key, item in value.items()}
        return self._leaf(value, hint, path)

    def refuse(self, path: str, message: str) -> None:
        """Report a problem."""
        self.problems.append(Problem(path, message))

    def _struct(self, value: object, cls: type[msgspec.Struct], path: str) -> msgspec.Struct:
        if not isinstance(value, dict):
            self.refuse(path, f"expected an object, got {kind_of(value)}")
            return stand_in(cls)  # type: ignore[no-any-return]
        fields = fields_of(cls)
        for key in value.keys() - fields.keys():
            self.refuse(at_key(path, key), f"unknown key{did_you_mean(key, fields)}")
        members: dict[str, Any] = {}
        for key, field in fields.items():
            if key in value:
                members[field.name] = self.build(value[key], field.type, at_key(path, key))
            elif field.required:
                self.refuse(at_key(path, key), "is required")
                members[field.name] = stand_in(field.type)
        return cls(**members)

    def _leaf(self, value: object, hint: Any, path: str) -> Any:
        try:
            converted = msgspec.convert(value, hint)
        except msgspec.ValidationError as error:
            self.refuse(path, _explain(value, hint, str(error)))
            return stand_in(hint)
        if isinstance(value, str) and value.endswith("\n") and _has_pattern(hint):
            self.refuse(path, "must not end with a line break")  # which `$` in a pattern lets through
        return converted

    def _check_length(self, value: list[Any] | dict[str, Any], metas: list[msgspec.Meta], path: str) -> None:
        for meta in metas:
            if meta.min_length is not None and len(value) < meta.min_length:
                self.refuse(path, f"needs at least {meta.min_length}")
            if meta.max_length is not None and len(value) > meta.max_length:
                self.refuse(path, f"has {len(value)}, more than {meta.max_length}")


@cache
def fields_of(cls: type[msgspec.Struct]) -> dict[str, msgspec.structs.FieldInfo]:
    """A record's fields by the names that documents use. Cached: msgspec works them out anew each time."""
    return {field.encode_name: field for field in msgspec.structs.fields(cls)}


def unwrap(hint: Any) -> tuple[Any, list[msgspec.Meta]]:
    """A hint without its annotations, and those annotations."""
    if typing.get_origin(hint) is Annotated:
        bare, *extras = typing.get_args(hint)
        return bare, [extra for extra in extras if isinstance(extra, msgspec.Meta)]
    return hint, []


def options_of(hint: Any) -> tuple[Any, ...]:
    """The members of a union, or the hint itself."""
    bare, _ = unwrap(hint)
    if typing.get_origin(bare) in (Union, types.UnionType):
        return typing.get_args(bare)
    return (hint,)


def is_struct(hint: Any) -> TypeGuard[type[msgspec.Struct]]:
    """Whether the hint is a record."""
    return isinstance(hint, type) and issubclass(hint, msgspec.Struct)


def kind_of(value: object) -> str:
    """How users call the value's type."""
    return "null" if value is None else _KINDS.get(type(value), type(value).__name__)


def stand_in(hint: Any) -> Any:
    """An empty value of the hinted type, unchecked against its constraints."""
    bare, _ = unwrap(options_of(hint)[0])
    if is_struct(bare):
        required = [field for field in fields_of(bare).values() if field.required]
        return bare(**{field.name: stand_in(field.type) for field in required})
    if typing.get_origin(bare) is Literal:
        return typing.get_args(bare)[0]
    empty = typing.get_origin(bare) or bare
    return empty() if empty in (str, int, float, bool, list, dict) else None


def _option_for(value: object, bare: Any) -> Any:
    """The member of a union that fits the value's shape; scalars are left to the union as a whole."""
    for option in options_of(bare):
        inner, _ = unwrap(option)
        shape = typing.get_origin(inner) or inner
        if (isinstance(value, dict) and (shape is dict or is_struct(inner))) or (
            isinstance(value, list) and shape is list
        ):
            return option if option is not bare else bare
    return bare


def _explain(value: object, hint: Any, message: str) -> str:
    expected = [(meta.extra or {}).get("expected") for option in options_of(hint) for meta in unwrap(option)[1]]
    if isinstance(value, str):
        choices = [word for option in options_of(hint) for word in _choices(option)]
        if choices:
            return f"must be one of {', '.join(choices)}{did_you_mean(value, choices)}"
        for text in filter(None, expected):
            return f"must be {text}"
    text = _TYPE_NAME.sub(lambda match: _NAMES[match.group(1)], message.partition(" - at ")[0])
    text = text.replace("`", "").replace(" | null", "").replace(" | ", " or ")
    return text[:1].lower() + text[1:]


def _has_pattern(hint: Any) -> bool:
    return any(meta.pattern for option in (hint, *options_of(hint)) for meta in unwrap(option)[1])


def _choices(option: Any) -> list[str]:
    bare, _ = unwrap(option)
    return [str(word) for word in typing.get_args(bare)] if typing.get_origin(bare) is Literal else []
