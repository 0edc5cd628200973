"""Which steps are taken after others have ended."""

from typing import Any

import pytest

from corral.model.states import FailureReason, StepStatus
from corral.node.walk import StepEnd, find_failure, find_skip_cause, skipped
from corral.workflow import Plan, parse_recipe, resolve_plan

OK = StepEnd(status=StepStatus.SUCCEEDED)
FAILED = StepEnd(status=StepStatus.FAILED, failure_reason=FailureReason.ACTION_FAILED)
HARMLESS = StepEnd(status=StepStatus.FAILED, is_harmless=True)
LOST = StepEnd(status=StepStatus.FAILED, is_harmless=True, is_device_lost=True)


def plan(**last: Any) -> Plan:  # noqa: ANN401 - whatever a recipe may say
    steps = [{"id": name, "uses": "device.screenshot"} for name in ("a", "b")]
    return resolve_plan(parse_recipe({"name": "walk", "steps": [*steps, {**steps[0], "id": "c", **last}]}))


@pytest.mark.parametrize(
    ("a", "b", "last", "expected"),
    [
        (OK, OK, {}, None),
        (OK, FAILED, {}, "upstream"),
        (FAILED, skipped("upstream"), {}, "upstream"),
        (OK, skipped("when"), {}, None),
        (OK, skipped("draw"), {}, None),
        (OK, HARMLESS, {}, None),
        (FAILED, OK, {"needs": []}, "stopped"),
        (FAILED, skipped("upstream"), {"continue_on_failure": True}, None),
        (OK, LOST, {"continue_on_failure": True}, "stopped"),
        (OK, LOST, {}, "stopped"),
    ],
)
def test_a_step_is_taken_unless_what_it_needs_failed(
    a: StepEnd, b: StepEnd, last: dict[str, Any], expected: str | None
) -> None:
    step = plan(**last).steps[2]

    assert find_skip_cause(step, {"a": a, "b": b}) == expected


def test_a_job_fails_by_its_first_failure_that_is_not_harmless() -> None:
    assert find_failure({"a": OK, "b": HARMLESS, "c": skipped("when")}) is None
    assert find_failure({"a": HARMLESS, "b": FAILED, "c": FAILED}) is FAILED


def test_a_phone_that_was_lost_is_never_harmless() -> None:
    assert find_failure({"a": LOST}) is LOST
