"""From errors to HTTP."""

from corral.api.problems import STATUS_BY_ERROR, describe
from corral.model import errors
from corral.model.errors import CorralError, NotFoundError, Problem, RecipeInvalidError


def test_every_error_has_a_status() -> None:
    kinds = {each for each in vars(errors).values() if isinstance(each, type) and issubclass(each, CorralError)}
    never_answered = (errors.DeviceError, errors.ActionFailedError, errors.NodeError, errors.ClientError)

    assert set(STATUS_BY_ERROR) == {each for each in kinds if not issubclass(each, never_answered)}


def test_an_error_tells_its_code_message_and_path() -> None:
    status, fault = describe(NotFoundError("no run 5", path="run_id"))

    assert (status, fault.code, fault.message, fault.path) == (404, "not_found", "no run 5", "run_id")


def test_all_problems_of_a_document_are_told() -> None:
    _, fault = describe(RecipeInvalidError([Problem("a", "bad"), Problem("b", "worse")]))

    assert fault.problems == [{"path": "a", "message": "bad"}, {"path": "b", "message": "worse"}]


def test_what_we_have_no_word_for_is_told_to_nobody() -> None:
    status, fault = describe(RuntimeError("the password is hunter2"))

    assert (status, fault.code) == (500, "internal_error")
    assert "hunter2" not in fault.message


def test_a_bug_of_ours_is_told_by_its_code_alone() -> None:
    status, fault = describe(errors.BrokenRuleError("lanes_hold_a_job_if_busy"))

    assert (status, fault.code) == (500, "broken_rule")
    assert "lanes" not in fault.message


def test_where_the_database_is_stays_our_business() -> None:
    _, fault = describe(errors.DatabaseUnavailableError("cannot reach 10.0.0.1"))

    assert "10.0.0.1" not in fault.message
