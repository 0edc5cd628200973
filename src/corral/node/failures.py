"""From errors to what the server is told: a reason of the closed list, and words that are safe to show."""

from __future__ import annotations

from typing import Final, NamedTuple

from corral.model.errors import (
    ActionFailedError,
    CommandFailedError,
    CorralError,
    DeviceError,
    DeviceOfflineError,
    NotSupportedError,
    RecipeInvalidError,
    RenderError,
    RequestRefusedError,
    SpoolFullError,
)
from corral.model.states import FailureReason

_REASONS: Final[dict[type[CorralError], FailureReason]] = {
    RenderError: FailureReason.TEMPLATE_ERROR,
    RecipeInvalidError: FailureReason.TEMPLATE_ERROR,
    SpoolFullError: FailureReason.UPLOAD_FAILED,
    RequestRefusedError: FailureReason.ACTION_FAILED,
}


class Failure(NamedTuple):
    reason: FailureReason
    message: str


def describe(error: Exception) -> Failure:
    """What an exception of an action means. What we have no word for is told by its type alone: its text may hold anything."""
    if isinstance(error, DeviceError | ActionFailedError):
        return Failure(error.reason, error.message)
    if isinstance(error, CorralError):
        reason = next(
            (each for kind, each in _REASONS.items() if isinstance(error, kind)), FailureReason.INTERNAL_ERROR
        )
        return Failure(reason, f"{error.path}: {error.message}" if error.path else error.message)
    if isinstance(error, OSError):
        return Failure(FailureReason.INTERNAL_ERROR, f"{type(error).__name__}: {error.strerror or 'no more is known'}")
    return Failure(FailureReason.INTERNAL_ERROR, f"{type(error).__name__} in the action; the node's log says more")


def asks_for_grace(error: Exception) -> bool:
    """Whether the phone, rather than the work, is in trouble, so that waiting for it may help."""
    return isinstance(error, DeviceError) and not isinstance(error, CommandFailedError | NotSupportedError)


def never_started(error: Exception) -> bool:
    """Whether it is certain that the phone did nothing of it."""
    return isinstance(error, DeviceOfflineError) and not error.is_started
