"""What goes wrong, and when: decided by the seed alone, before anything runs."""

import random
from typing import Final, Literal

from msgspec import Struct

Kind = Literal[
    "kill_node",
    "pause_node",
    "kill_server",
    "pause_server",
    "kill_database",
    "kill_adb",
    "cut_node",
    "cut_all",
    "mute_node",
    "slow_network",
    "lose_replies",
    "double_requests",
    "fill_disk",
    "jump_clock",
    "trouble_phones",
]

WAKE: Final = "wake_node"
"""Not an act: how the evidence names the moment at which a paused node goes on."""

# How often each is chosen, and for how many leases it lasts, at least and at most (0: it is over at once).
ACTS: Final[dict[Kind, tuple[int, float, float]]] = {
    "kill_node": (4, 0.0, 1.5),
    "pause_node": (7, 0.5, 2.5),
    "kill_server": (3, 0.0, 1.0),
    "pause_server": (2, 0.1, 1.5),
    "kill_database": (1, 0.0, 0.4),
    "kill_adb": (1, 0.0, 0.0),
    "cut_node": (6, 0.5, 2.5),
    "cut_all": (1, 0.1, 1.5),
    "mute_node": (4, 1.0, 2.5),
    "slow_network": (2, 0.5, 1.5),
    "lose_replies": (3, 0.3, 1.5),
    "double_requests": (3, 0.3, 1.5),
    "fill_disk": (1, 0.2, 1.0),
    "jump_clock": (2, 0.5, 2.0),
    "trouble_phones": (3, 0.2, 1.5),
}


class Act(Struct, frozen=True, kw_only=True):
    """Something that the nemesis does at a time, to the nth of its kind, for a while."""

    at_s: float
    kind: Kind
    which: int
    for_s: float
    amount: float
    """What the act makes of it, from 0 to 1: how late, how often, how far."""


def plan_acts(seed: int, *, seconds: float, lease_s: float, pause_s: float = 2.5) -> list[Act]:
    """Acts for so long, one about every `pause_s` seconds; several may be under way at once."""
    chance = random.Random(seed)
    kinds = list(ACTS)
    weights = [ACTS[kind][0] for kind in kinds]
    acts: list[Act] = []
    at_s = pause_s
    while at_s < seconds:
        (kind,) = chance.choices(kinds, weights)
        _, least, most = ACTS[kind]
        acts.append(
            Act(
                at_s=round(at_s, 2),
                kind=kind,
                which=chance.randrange(1000),
                for_s=round(chance.uniform(least, most) * lease_s, 2),
                amount=round(chance.random(), 3),
            )
        )
        at_s += chance.uniform(0.2, 1.8) * pause_s
    return acts
