"""A farm under a nemesis for a minute. Bugs are put back by hand: `python -m tests.chaos --break token`."""

from pathlib import Path

import pytest

from tests.chaos.farm import Shape
from tests.chaos.plan import ACTS, plan_acts
from tests.chaos.trial import try_to_break

SEED = 184396
SECONDS = 60
SHAPE = Shape(phones=12, seed=SEED)


def test_a_plan_is_decided_by_its_seed() -> None:
    first, again, other = (plan_acts(seed, seconds=600, lease_s=6) for seed in (1, 1, 2))
    assert first == again
    assert first != other
    assert {act.kind for act in first} == set(ACTS)


def test_the_story_of_a_minute_has_every_act_with_time_to_matter() -> None:
    acts = plan_acts(SEED, seconds=SECONDS, lease_s=SHAPE.lease_s)
    over = [act for act in acts if act.at_s + act.for_s < SECONDS]
    assert {act.kind for act in over} == set(ACTS)
    for kind in ("pause_node", "cut_node", "mute_node"):
        assert any(act.kind == kind and act.for_s > SHAPE.lease_s for act in over), f"{kind} past the lease"
    for kind in ("double_requests", "lose_replies", "slow_network"):
        assert sum(act.for_s for act in over if act.kind == kind) > SHAPE.lease_s / 2


@pytest.mark.timeout(600)
async def test_a_farm_keeps_its_promises_under_a_nemesis(tmp_path: Path) -> None:
    verdict = await try_to_break(tmp_path, SHAPE, seconds=SECONDS)
    assert verdict.violations == [], f"evidence: {tmp_path}"
    assert verdict.jobs["succeeded"] > 0
    assert verdict.steps["succeeded"] > 0
    assert {"kill_node", "kill_server", "kill_database", "pause_node", "cut_node"} <= verdict.acts.keys()
