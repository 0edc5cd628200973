"""Exit statuses that scripts can trust."""

import pytest

from corral.cli.exit_status import EXIT_CODES, status_of, status_of_run
from corral.model import errors
from corral.model.errors import CorralError, Problem, RecipeInvalidError
from corral.model.states import RunStatus


def test_only_success_is_zero() -> None:
    assert {status: status_of_run(status) for status in RunStatus if status.is_terminal} == {
        RunStatus.SUCCEEDED: 0,
        RunStatus.COMPLETED_WITH_ERRORS: 1,
        RunStatus.FAILED: 1,
        RunStatus.SKIPPED: 1,
        RunStatus.CANCELLED: 4,
    }


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (errors.NotFoundError("no run"), 2),
        (errors.InvalidRequestError("no"), 2),
        (errors.ConflictError("still going"), 2),
        (errors.ConfigInvalidError("no"), 2),
        (RecipeInvalidError([Problem("steps", "none")]), 2),
        (errors.ServerUnavailableError("nobody answers"), 3),
        (errors.UnauthenticatedError("who?"), 3),
        (errors.ForbiddenError("not you"), 3),
        (errors.UnexpectedAnswerError("a proxy's page"), 3),
        (errors.WaitTimeoutError("too long"), 4),
        (errors.BrokenRuleError("a bug"), 1),
    ],
)
def test_an_error_has_the_status_of_its_kind(error: CorralError, status: int) -> None:
    assert status_of(error) == status


def test_the_help_names_every_status() -> None:
    assert all(f"{status} " in EXIT_CODES for status in range(5))
