"""Read YAML into plain values: one pass over the parser's events, without recursion.

A strict subset, so that a recipe means what it looks like: no tags, no merge keys, no duplicate keys, one
document, and few scalars that are not text: null, true, false, and decimal numbers. `yes`, `1:30`, dates and
what may be a serial (`12E5`, `0x10`) are text. Aliases work and are counted as if written out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, NoReturn

import yaml

from corral.model.errors import Problem, RecipeInvalidError
from corral.workflow.limits import MAX_DEPTH, MAX_NODES

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_WORDS: dict[str, bool | None] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_INT = re.compile(r"[-+]?(?:0|[1-9][0-9]{0,29})\Z")  # 007 is text: as a number it would lose what was written
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+\.[0-9]*)(?:[eE][-+]?[0-9]+)?\Z")
_NON_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)\Z|\.(?:nan|NaN|NAN)\Z")


@dataclass(slots=True)
class _Open:
    """A collection whose end has not been read yet."""

    value: dict[Any, Any] | list[Any]
    anchor: str | None
    nodes_before: int
    key: str | None = None
    has_key: bool = False


@dataclass(slots=True)
class _Reader:
    stack: list[_Open] = field(default_factory=list)
    anchors: dict[str, tuple[object, int] | None] = field(default_factory=dict)
    nodes: int = 0
    documents: int = 0
    result: object = None

    def read(self, event: Any) -> None:
        if isinstance(event, yaml.DocumentStartEvent):
            self.documents += 1
            if self.documents > 1:
                refuse(event, "only one document is allowed")
        elif isinstance(event, yaml.ScalarEvent):
            self._refuse_tag(event)
            self._count(event, 1)
            self._place(event, _scalar(event))
        elif isinstance(event, yaml.MappingStartEvent | yaml.SequenceStartEvent):
            self._open(event)
        elif isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent):
            self._close()
        elif isinstance(event, yaml.AliasEvent):
            self._alias(event)

    def _open(self, event: Any) -> None:
        self._refuse_tag(event)
        if len(self.stack) >= MAX_DEPTH:
            refuse(event, f"nested more than {MAX_DEPTH} deep")
        value: dict[Any, Any] | list[Any] = {} if isinstance(event, yaml.MappingStartEvent) else []
        nodes_before = self.nodes
        self._count(event, 1)
        self._place(event, value)
        if event.anchor:
            self.anchors[event.anchor] = None
        self.stack.append(_Open(value, event.anchor, nodes_before))

    def _close(self) -> None:
        closed = self.stack.pop()
        if closed.anchor:
            self.anchors[closed.anchor] = (closed.value, self.nodes - closed.nodes_before)

    def _alias(self, event: Any) -> None:
        if event.anchor not in self.anchors:
            refuse(event, f"the alias *{event.anchor} has no anchor")
        known = self.anchors[event.anchor]
        if known is None:
            refuse(event, f"the alias *{event.anchor} contains itself")
        self._count(event, known[1])
        self._place(event, known[0])

    def _place(self, event: Any, value: object) -> None:
        anchor = getattr(event, "anchor", None)
        if isinstance(event, yaml.ScalarEvent) and anchor:
            self.anchors[anchor] = (value, 1)
        if not self.stack:
            self.result = value
            return
        parent = self.stack[-1]
        if isinstance(parent.value, list):
            parent.value.append(value)
        elif parent.has_key:
            parent.value[parent.key] = value
            parent.has_key = False
        else:
            self._take_key(event, parent, value)

    def _take_key(self, event: Any, parent: _Open, value: object) -> None:
        if not isinstance(value, str):
            refuse(event, "keys must be text")
        if value in parent.value:
            refuse(event, f"the key '{value:.80}' appears twice")
        parent.key, parent.has_key = value, True

    def _count(self, event: Any, nodes: int) -> None:
        self.nodes += nodes
        if self.nodes > MAX_NODES:
            refuse(event, f"the document holds more than {MAX_NODES} values")

    @staticmethod
    def _refuse_tag(event: Any) -> None:
        if event.tag is not None and event.tag != "!":
            refuse(event, "tags are not supported")


def load_yaml(text: str) -> object:
    """The document as plain values; raises RecipeInvalidError with a line number if it cannot be read."""
    reader = _Reader()
    try:
        for event in yaml.parse(text, Loader=_LOADER):
            reader.read(event)
    except yaml.MarkedYAMLError as error:
        raise _invalid(error.problem_mark or error.context_mark, error.problem or "not valid YAML") from None
    except (yaml.YAMLError, UnicodeError) as error:
        raise RecipeInvalidError([Problem("", f"not valid YAML: {str(error).splitlines()[0]:.200}")]) from None
    return reader.result


def refuse(event: Any, message: str) -> NoReturn:
    """Refuse the document because of what stands at this event."""
    raise _invalid(event.start_mark, message)


def _invalid(mark: Any, message: str) -> RecipeInvalidError:
    where = f"line {mark.line + 1}, column {mark.column + 1}: " if mark is not None else ""
    return RecipeInvalidError([Problem("", where + message)])


def is_plain_text(text: str) -> bool:
    """Whether a scalar without quotes is read as this text, and not as a number or a word of YAML's."""
    return text not in _WORDS and not any(each.match(text) for each in (_INT, _FLOAT, _NON_FINITE))


def _scalar(event: Any) -> object:
    text: str = event.value
    if event.style or event.tag == "!":
        return text
    if text in _WORDS:
        return _WORDS[text]
    if _INT.match(text):
        return int(text)
    if _FLOAT.match(text):
        return float(text)
    if _NON_FINITE.match(text):
        refuse(event, "numbers must be finite")
    return text
