"""Errors as people read them: one line that says what is wrong, and what to do about it where that is known."""

import sys
from typing import Final

from corral.model.errors import (
    CorralError,
    ForbiddenError,
    InvalidRequestError,
    RecipeInvalidError,
    ServerUnavailableError,
    UnauthenticatedError,
)

_ADVICE: Final[tuple[tuple[type[CorralError], str], ...]] = (
    (ServerUnavailableError, "start one with `corral up`, or set CORRAL_URL"),
    (UnauthenticatedError, "set CORRAL_TOKEN to your token"),
    (ForbiddenError, "ask an admin for a role that may"),
)


def complain(error: CorralError) -> None:
    """Tell the person on standard error."""
    print("\n".join(describe(error)), file=sys.stderr)  # noqa: T201 - the command line talks


def describe(error: CorralError) -> list[str]:
    """One line; or one for each problem of a document."""
    if isinstance(error, RecipeInvalidError):
        return [f"corral: {problem}" for problem in error.problems]
    advice = next((text for kind, text in _ADVICE if isinstance(error, kind) and not _is_told(error)), None)
    is_placed = isinstance(error, InvalidRequestError) and error.path and error.path not in error.message
    where = f" ({error.path})" if is_placed else ""
    return [f"corral: {error.message}{where}" + (f"; {advice}" if advice else "")]


def _is_told(error: CorralError) -> bool:
    """Whether the server's own message says what to do."""
    return isinstance(error, ForbiddenError) and "role" not in error.message and "token" not in error.message
