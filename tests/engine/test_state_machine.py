"""Random histories: whatever happens in whatever order, the engine does as the model says, and the invariants hold.

CORRAL_MACHINE_EXAMPLES asks for more of them than every change needs; the choice is then a new one each time.
"""

import os
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.engine.machine import FarmMachine, World

DEEP = int(os.environ.get("CORRAL_MACHINE_EXAMPLES", "0"))


def machine_settings(examples: int, steps: int = 40, *, is_derandomized: bool = True) -> settings:
    return settings(
        max_examples=examples,
        stateful_step_count=steps,
        derandomize=is_derandomized,
        database=None,
        deadline=None,
        print_blob=True,
        phases=[Phase.generate] if os.environ.get("NOSHRINK") else list(Phase),
        suppress_health_check=list(HealthCheck),
    )


@pytest.fixture
def world(cluster_dsn: str) -> Iterator[World]:
    world = World(cluster_dsn)
    yield world
    world.loop.close()


@pytest.mark.timeout(3600)
def test_any_history_of_a_farm_goes_as_the_model_says(world: World, request: pytest.FixtureRequest) -> None:
    examples = DEEP or (10 if "postgres15" in request.node.name else 40)
    run_state_machine_as_test(lambda: FarmMachine(world), settings=machine_settings(examples, is_derandomized=not DEEP))
