"""The one tree of errors: stable codes, data in fields. Translating them happens elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class CorralError(Exception):
    """Something that Corral refuses or could not do, named by a stable code."""

    def __init__(self, code: str, message: str, path: str | None = None) -> None:
        super().__init__(message if path is None else f"{path}: {message}")
        self.code = code
        self.message = message
        self.path = path


class Problem(NamedTuple):
    """One thing wrong with a document, and where: `steps[2].with.package`, or nothing for the whole of it."""

    path: str
    message: str

    def __str__(self) -> str:
        return f"{self.path}: {self.message}" if self.path else self.message


class RecipeInvalid(CorralError):
    """A recipe, playbook or run was refused; `problems` holds all that is wrong with it, at least one."""

    def __init__(self, problems: Sequence[Problem], *, code: str = "recipe_invalid") -> None:
        self.problems = tuple(problems)
        first = self.problems[0]
        more = f" (and {len(self.problems) - 1} more)" if len(self.problems) > 1 else ""
        super().__init__(code, first.message + more, first.path or None)


class RenderFailed(CorralError):
    """A template could not be rendered: a value is undefined, of the wrong type or too large."""

    def __init__(self, message: str, path: str | None = None) -> None:
        super().__init__("render_failed", message, path)


class ActionClash(CorralError):
    """Two actions claim one name, or an extension offers something that is not an action."""

    def __init__(self, message: str) -> None:
        super().__init__("action_clash", message)
