"""Random histories: whatever happens in whatever order, the engine does as the model says, and the invariants hold.

CORRAL_MACHINE_EXAMPLES asks for more of them than every change needs; the choice is then a new one each time.
"""

import os
from collections.abc import Iterator, Sequence

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from corral.engine.migrate import list_definitions
from tests.engine.broken_rules import BROKEN_RULES, RARELY_MET
from tests.engine.machine import FarmMachine, World
from tests.postgres import Server

DEEP = int(os.environ.get("CORRAL_MACHINE_EXAMPLES", "0"))
RULES = {**BROKEN_RULES, **(RARELY_MET if DEEP else {})}


def machine_settings(
    examples: int, *, is_derandomized: bool = True, phases: Sequence[Phase] = tuple(Phase)
) -> settings:
    return settings(
        max_examples=examples,
        stateful_step_count=30,
        derandomize=is_derandomized,
        database=None,
        deadline=None,
        print_blob=True,
        phases=phases,
        suppress_health_check=list(HealthCheck),
    )


def run_machine(world: World, how: settings) -> None:
    class MachineOfThisWorld(FarmMachine):
        def __init__(self) -> None:
            super().__init__(world)

    run_state_machine_as_test(MachineOfThisWorld, settings=how)


@pytest.fixture
def world(cluster: Server) -> Iterator[World]:
    world = World(cluster)
    yield world
    world.close()


@pytest.mark.timeout(3600)
def test_any_history_of_a_farm_goes_as_the_model_says(world: World, request: pytest.FixtureRequest) -> None:
    examples = DEEP or (6 if "postgres15" in request.node.name else 24)
    run_machine(world, machine_settings(examples, is_derandomized=not DEEP))


@pytest.mark.timeout(900)
@pytest.mark.parametrize("cluster", ["postgres18"], indirect=True)
@pytest.mark.parametrize("rule", sorted(RULES))
def test_the_machine_notices_a_broken_rule(world: World, rule: str) -> None:
    """A test that cannot fail is none: with one rule taken out of the shipped SQL, the machine must fail."""
    world.broken = without_rule(*RULES[rule])

    with pytest.raises(AssertionError):
        run_machine(world, machine_settings(300, phases=[Phase.generate]))


def without_rule(function: str, kept: str, broken: str) -> str:
    """The definition of a function that lacks one rule."""
    (shipped,) = [sql for sql in list_definitions() if f"create or replace function corral.{function}(" in sql]
    assert shipped.count(kept) == 1, "the rule must be there to be taken out"
    return shipped.replace(kept, broken)
