"""A farm under a nemesis for a minute. Bugs are put back by hand: `python -m tests.chaos --break token`."""

from pathlib import Path

import pytest

from tests.chaos.farm import Shape
from tests.chaos.plan import ACTS, plan_acts
from tests.chaos.trial import try_to_break


def test_a_plan_is_decided_by_its_seed() -> None:
    first, again, other = (plan_acts(seed, seconds=600, lease_s=6) for seed in (1, 1, 2))
    assert first == again
    assert first != other
    assert {act.kind for act in first} == set(ACTS)


@pytest.mark.timeout(600)
async def test_a_farm_keeps_its_promises_under_a_nemesis(tmp_path: Path) -> None:
    """The story of this seed has every kind of act, and nodes that are away for longer than a lease."""
    verdict = await try_to_break(tmp_path, Shape(phones=12, seed=382), seconds=60)
    assert verdict.violations == [], f"evidence: {tmp_path}"
    assert verdict.jobs["succeeded"] > 0
    assert {"kill_node", "kill_server", "kill_database", "pause_node", "cut_node"} <= verdict.acts.keys()
