"""The template engine and the filters that it offers: only those whose result is bounded by their input.

Filters that can grow a value (joining, replacing, encoding) are ours and refuse to pass the limit.
"""

from __future__ import annotations

from typing import Any, Final
from urllib.parse import quote

import minijinja
import msgspec

from corral.workflow.limits import MAX_RENDERED, RENDER_FUEL


class TooLargeError(ValueError):
    """A filter would yield more than the limit."""


def _bounded(text: str) -> str:
    if len(text) > MAX_RENDERED:
        raise TooLargeError(f"the value is longer than {MAX_RENDERED} characters")
    return text


def as_text(value: object) -> str:
    """How a value reads inside text: nothing for null, JSON for booleans, lists and objects."""
    if isinstance(value, str):
        return str(value)
    if value is None:
        return ""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return as_json(value)


def as_json(value: object) -> str:
    """The value as compact JSON."""
    return _bounded(msgspec.json.encode(value).decode())


def _join(value: list[object], separator: str = "") -> str:
    items = [as_text(item) for item in value]
    if sum(map(len, items)) + len(items) * len(separator) > MAX_RENDERED:
        raise TooLargeError(f"the value is longer than {MAX_RENDERED} characters")
    return separator.join(items)


def _replace(value: str, old: str, new: str) -> str:
    if old == "":
        raise ValueError("replace needs something to look for")
    if len(value) + value.count(old) * len(new) > MAX_RENDERED:
        raise TooLargeError(f"the value is longer than {MAX_RENDERED} characters")
    return value.replace(old, new)


def _urlencode(value: object) -> str:
    return _bounded(quote(as_text(value), safe=""))


_OURS: Final[dict[str, Any]] = {
    "join": _join,
    "replace": _replace,
    "tojson": as_json,
    "urlencode": _urlencode,
    "string": as_text,
}
_BUILT_IN: Final = (
    *(
        "abs",
        "bool",
        "count",
        "d",
        "default",
        "first",
        "float",
        "int",
        "last",
        "length",
        "lines",
        "lower",
        "max",
        "min",
    ),
    *("reverse", "round", "sort", "split", "sum", "trim", "unique", "upper"),
)
FILTERS: Final = frozenset({*_OURS, *_BUILT_IN})


def _make_engine() -> minijinja.Environment:
    made = minijinja.Environment(
        filters=_OURS,
        undefined_behavior="strict",
        fuel=RENDER_FUEL,
        pycompat=False,  # no methods on values
        auto_escape_callback=lambda _name: False,
        debug=True,  # names what is undefined; we pass on that one line, never the dump of variables
    )
    for name in ("cycler", "debug", "dict", "joiner", "namespace", "range"):
        made.remove_global(name)
    return made


engine: Final = _make_engine()
