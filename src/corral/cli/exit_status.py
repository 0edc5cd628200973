"""What the command line's exit status means. Scripts rely on it; docs/cli.md says the same."""

from typing import Final

from corral.model.errors import (
    ConfigInvalidError,
    ConflictError,
    CorralError,
    DatabaseUnavailableError,
    ForbiddenError,
    InvalidRequestError,
    NotFoundError,
    RecipeInvalidError,
    ServerUnavailableError,
    StaleEpochError,
    TooManyFailuresError,
    UnauthenticatedError,
    UnexpectedAnswerError,
    WaitTimeoutError,
)
from corral.model.states import RunStatus

SUCCEEDED: Final = 0
FAILED: Final = 1
REFUSED: Final = 2
UNREACHABLE: Final = 3
ENDED_EARLY: Final = 4
EXIT_CODES: Final = (
    "Exit status: 0 succeeded; 1 failed (a run with errors, too); 2 refused, or not understood; "
    "3 the server cannot be reached or denies access; 4 cancelled, or not in time."
)

_BY_ERROR: Final[tuple[tuple[type[CorralError], int], ...]] = (
    (StaleEpochError, UNREACHABLE),
    (ServerUnavailableError, UNREACHABLE),
    (DatabaseUnavailableError, UNREACHABLE),
    (UnauthenticatedError, UNREACHABLE),
    (ForbiddenError, UNREACHABLE),
    (TooManyFailuresError, UNREACHABLE),
    (UnexpectedAnswerError, UNREACHABLE),
    (WaitTimeoutError, ENDED_EARLY),
    (ConfigInvalidError, REFUSED),
    (InvalidRequestError, REFUSED),
    (RecipeInvalidError, REFUSED),
    (NotFoundError, REFUSED),
    (ConflictError, REFUSED),
)
_BY_STATUS: Final = {RunStatus.SUCCEEDED: SUCCEEDED, RunStatus.CANCELLED: ENDED_EARLY}


def status_of(error: CorralError) -> int:
    """The exit status that an error means."""
    return next((status for kind, status in _BY_ERROR if isinstance(error, kind)), FAILED)


def status_of_run(status: RunStatus) -> int:
    """The exit status that the end of a run means: only success is 0."""
    return _BY_STATUS.get(status, FAILED)
