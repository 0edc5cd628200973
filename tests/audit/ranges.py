"""Which versions an npm range means, as advisories write them: comparators side by side, alternatives by `||`."""

import re
from typing import Final

_COMPARATOR = re.compile(r"(<=|>=|<|>|=)?\s*v?(\d+)\.(\d+)\.(\d+)(-[0-9A-Za-z.-]+)?(?:\+\S+)?")
_Order = tuple[int, int, int, bool, str]
_ANY: Final = {"*", ""}


def is_in_range(version: str, versions: str) -> bool:
    """Whether the version is meant. One that cannot be read is: better one alarm too many."""
    return any(_meets_all(version, each.strip()) for each in versions.split("||"))


def _meets_all(version: str, comparators: str) -> bool:
    given = _COMPARATOR.fullmatch(version)
    if comparators in _ANY or given is None or _COMPARATOR.sub("", comparators).strip(" ,"):
        return True
    order = _order(given)
    return all(_meets(order, found[1] or "=", _order(found)) for found in _COMPARATOR.finditer(comparators))


def _order(found: "re.Match[str]") -> _Order:
    """A release is after its own previews, which follow each other by their names."""
    return int(found[2]), int(found[3]), int(found[4]), found[5] is None, found[5] or ""


def _meets(order: _Order, comparator: str, other: _Order) -> bool:
    match comparator:
        case "<":
            return order < other
        case "<=":
            return order <= other
        case ">":
            return order > other
        case ">=":
            return order >= other
        case _:
            return order == other
