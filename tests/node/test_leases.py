"""Until when phones may be touched."""

from uuid import uuid4

from corral.node.clock import boot_time
from corral.node.leases import Leases


class Hand:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_nothing_may_be_touched_before_the_first_renewal() -> None:
    assert not Leases(Hand()).is_live


def test_the_right_ends_before_the_server_could_give_it_to_another() -> None:
    clock = Hand()
    leases = Leases(clock)

    leases.renew(sent_at=1000, lease_s=60)

    clock.now = 1049.9
    assert leases.is_live
    clock.now = 1050
    assert not leases.is_live


def test_it_counts_from_when_the_request_left_not_from_its_answer() -> None:
    clock = Hand()
    leases = Leases(clock)
    clock.now = 1040

    leases.renew(sent_at=1000, lease_s=60)

    assert leases.left_s == 10


def test_an_answer_that_comes_late_takes_nothing_away() -> None:
    leases = Leases(Hand())
    leases.renew(sent_at=1000, lease_s=60)

    leases.renew(sent_at=990, lease_s=60)

    assert leases.left_s == 50


def test_a_renewal_brings_the_right_back_after_it_ended() -> None:
    clock = Hand()
    leases = Leases(clock)
    leases.renew(sent_at=1000, lease_s=60)
    clock.now = 2000

    leases.renew(sent_at=2000, lease_s=60)

    assert leases.is_live


def test_an_agent_that_was_replaced_never_touches_anything_again() -> None:
    leases = Leases(Hand())
    leases.renew(sent_at=1000, lease_s=60)

    leases.end()
    leases.renew(sent_at=1000, lease_s=600)

    assert not leases.is_live


def test_a_token_counts_from_when_its_request_left_and_then_from_heartbeats_that_named_it() -> None:
    clock, token = Hand(), uuid4()
    leases = Leases(clock)
    leases.renew(sent_at=1000, lease_s=60)
    leases.hold(token, sent_at=1000)
    assert leases.is_live_for(token)

    clock.now = 1060
    leases.renew(sent_at=1060, lease_s=60)
    assert (leases.is_live, leases.is_live_for(token)) == (True, False)

    leases.renew(sent_at=1060, lease_s=60, named=[token, uuid4()])
    assert leases.is_live_for(token)
    leases.drop(token)
    assert not leases.is_live_for(token)


def test_what_is_held_is_a_value_that_never_changes_under_its_reader() -> None:
    leases, token = Leases(Hand()), uuid4()
    before = leases.held

    leases.hold(token, sent_at=1000)
    after = leases.held
    leases.drop(token)

    assert (before, after, leases.held) == (frozenset(), frozenset({token}), frozenset())


def test_the_clock_goes_forward() -> None:
    first = boot_time()

    assert boot_time() >= first > 0
