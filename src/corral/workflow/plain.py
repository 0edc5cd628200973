"""Check that a decoded document is plain JSON which every store and browser keeps exactly.

It knows nothing of recipes: only types, sizes and characters.
"""

from __future__ import annotations

import math
import re

from corral.model.errors import Problem
from corral.workflow.limits import MAX_DEPTH, MAX_INT, MAX_NODES
from corral.workflow.paths import at_index, at_key

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def find_unplain(document: object) -> list[Problem]:
    """Everything in the document that is not plain, bounded JSON; empty if all is well."""
    walk = _Walk()
    walk.visit(document, "", 0)
    return walk.problems


class _Walk:
    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self.budget = MAX_NODES

    def visit(self, value: object, path: str, depth: int) -> None:
        self.budget -= 1
        if self.budget < 0:
            if self.budget == -1:
                self.problems.append(Problem("", f"the document holds more than {MAX_NODES} values"))
            return
        if depth > MAX_DEPTH:
            self.problems.append(Problem(path, f"nested more than {MAX_DEPTH} deep"))
        elif isinstance(value, dict):
            self._visit_object(value, path, depth)
        elif isinstance(value, list):
            for index, item in enumerate(value):
                if self.budget < 0:
                    return
                self.visit(item, at_index(path, index), depth + 1)
        else:
            self._visit_scalar(value, path)

    def _visit_object(self, value: dict[object, object], path: str, depth: int) -> None:
        for key, item in value.items():
            if self.budget < 0:
                return
            if not isinstance(key, str):
                self.problems.append(Problem(path, f"the key {key!s:.80} is not a string"))
            elif _UNSTORABLE.search(key):
                self.problems.append(Problem(path, "a key holds a character that cannot be stored"))
            else:
                self.visit(item, at_key(path, key), depth + 1)

    def _visit_scalar(self, value: object, path: str) -> None:
        message = _wrong_with_scalar(value)
        if message is not None:
            self.problems.append(Problem(path, message))


def _wrong_with_scalar(value: object) -> str | None:
    if value is None or isinstance(value, bool):
        return None
    if isinstance(value, str):
        return "holds a character that cannot be stored" if _UNSTORABLE.search(value) else None
    if isinstance(value, int):
        return None if -MAX_INT <= value <= MAX_INT else f"integers must lie within ±{MAX_INT}"
    if isinstance(value, float):
        return None if math.isfinite(value) else "numbers must be finite"
    return f"{type(value).__name__} is not a JSON value"
