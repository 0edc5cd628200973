"""Random histories of shared suites: every test ends exactly once, with the verdict that plain Python says."""

from collections.abc import Iterator, Sequence
from typing import Final

import pytest
from hypothesis import Phase
from hypothesis.stateful import run_state_machine_as_test

from tests.engine.machine import World
from tests.engine.suite_machine import SuiteMachine
from tests.engine.test_state_machine import DEEP, machine_settings, without_rule
from tests.postgres import Server

# (function, what it says, what it would say): rules that any history soon meets; tests/engine/test_tests.py has one for each.
BROKEN: Final[dict[str, tuple[str, str, str]]] = {
    "a failed test is tried again as often as it may be": ("fn_apply_test_results", "o.try > s.test_retries", "true"),
    "the tests of a phone that died go to others": ("fn_release_tests", "(l.ended_at is not null or", "(false or"),
    "a repeated request gets the same": ("fn_list_claimed_tests", "and u.claim_request_id = p_request_id", ""),
    "a test that was lost is executed alone": ("fn_take_tests", "(c.losses = 0 and", "(true and"),
    "what nobody executed is an error": ("fn_advance_runs", "v_bad := fn_close_tests(v_ended);", "v_bad := '{}';"),
}


def run_machine(world: World, examples: int, *, phases: Sequence[Phase] = tuple(Phase)) -> None:
    class MachineOfThisWorld(SuiteMachine):
        def __init__(self) -> None:
            super().__init__(world)

    run_state_machine_as_test(
        MachineOfThisWorld, settings=machine_settings(examples, is_derandomized=not DEEP, phases=phases)
    )


@pytest.fixture
def world(cluster: Server) -> Iterator[World]:
    world = World(cluster)
    yield world
    world.close()


@pytest.mark.timeout(3600)
def test_any_history_of_a_suite_goes_as_the_model_says(world: World, request: pytest.FixtureRequest) -> None:
    run_machine(world, DEEP or (6 if "postgres15" in request.node.name else 20))


@pytest.mark.timeout(900)
@pytest.mark.parametrize("cluster", ["postgres18"], indirect=True)
@pytest.mark.parametrize("rule", sorted(BROKEN))
def test_the_machine_notices_a_broken_rule_of_suites(world: World, rule: str) -> None:
    world.broken = without_rule(*BROKEN[rule])

    with pytest.raises(AssertionError):
        run_machine(world, 300, phases=[Phase.generate])
