"""What becomes of phones that keep failing."""

import pytest

from corral.model.states import Health
from corral.node.health.ladder import Act, Ladder, Rules

RULES = Rules(failures=3, failure_window_s=600, flaps=4, flap_window_s=60, quarantine_s=60, longest_quarantine_s=200)


def fail(ladder: Ladder, now: float, times: int = 3) -> Act | None:
    acts = [ladder.failed(now, "no answer") for _ in range(times)]
    assert acts[:-1] == [None] * (times - 1)
    return acts[-1]


@pytest.fixture
def ladder() -> Ladder:
    return Ladder(RULES)


def test_it_is_reconnected_then_rebooted_then_quarantined_with_the_reason(ladder: Ladder) -> None:
    told = [(fail(ladder, now), ladder.health) for now in (1.0, 2.0, 3.0)]

    assert told == [
        (Act.RECONNECT, Health.SUSPECT),
        (Act.REBOOT, Health.SUSPECT),
        (Act.QUARANTINE, Health.QUARANTINED),
    ]
    assert ladder.reason == "3 failures in a row, last: no answer"


def test_failures_that_are_far_apart_are_no_pattern(ladder: Ladder) -> None:
    assert [ladder.failed(now, "no answer") for now in (0.0, 700.0, 1400.0, 2100.0)] == [None] * 4
    assert ladder.health is Health.OK


def test_work_that_succeeds_forgives_everything(ladder: Ladder) -> None:
    fail(ladder, 1)

    ladder.worked()

    assert (ladder.health, ladder.reason) == (Health.OK, None)
    assert fail(ladder, 2) is Act.RECONNECT


def test_flapping_is_a_failure_of_its_own(ladder: Ladder) -> None:
    acts = [ladder.disconnected(now) for now in (0.0, 10.0, 20.0, 30.0)]

    assert acts == [None, None, None, Act.RECONNECT]
    assert ladder.reason == "disconnected 4 times within 60 s"


def test_a_quarantine_ends_when_the_phone_answers_after_its_time(ladder: Ladder) -> None:
    for now in (1.0, 2.0, 3.0):
        fail(ladder, now)

    assert ladder.answered(50) is None
    assert ladder.health is Health.QUARANTINED
    assert ladder.answered(70) is Act.RELEASE
    assert ladder.health is Health.SUSPECT


def test_each_quarantine_lasts_longer_than_the_one_before_up_to_a_limit(ladder: Ladder) -> None:
    for now in (1.0, 2.0, 3.0):
        fail(ladder, now)
    lasted = []
    for start in (1000.0, 2000.0, 3000.0, 4000.0):
        ladder.answered(start)
        fail(ladder, start)
        lasted.append(next(s for s in range(0, 300, 10) if ladder.answered(start + s) is Act.RELEASE))
        fail(ladder, start + 300)

    assert lasted == [120, 200, 200, 200]


def test_work_does_not_end_a_quarantine(ladder: Ladder) -> None:
    for now in (1.0, 2.0, 3.0):
        fail(ladder, now)

    ladder.worked()

    assert ladder.health is Health.QUARANTINED


def test_a_suspect_that_answers_for_a_whole_window_is_well_again(ladder: Ladder) -> None:
    fail(ladder, 0)

    ladder.answered(599)
    assert ladder.health is Health.SUSPECT
    ladder.answered(600)
    assert ladder.health is Health.OK
