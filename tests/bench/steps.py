"""Promise: one worker process drains no-op steps at least so fast, beside a bare loop of SQL on the same PostgreSQL.

What is drained: one distributed job of 20,000 steps that need nothing, the fair counterpart of 20,000 jobs in a queue.
Each step is claimed by capability, in its order, under a lease with a token of its own; its end is judged by that token,
closes the lease, counts down the job and, with the last one, ends the job and its run. Nothing of that is left out.
Printed beside it, and not judged: jobs of one step each, where every end also ends a job and a run; and the steps of
the one job reported as events (the callback), each of which is kept under its id.

Both drain twice: claiming 20 at a time, and tuned to their best. Other queues drain the same in tests.bench.others, which
judges whether Corral is ahead of them; where all were measured, the best of them reached 55 to 70 % of the loop with
batches of 20, and 50 to 60 % tuned.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial
from statistics import median

from tests.bench.report import Check
from tests.bench.steps_corral import drain_corral, drain_events, drain_jobs
from tests.bench.steps_floor import drain_floor

LEAST_SHARE, LEAST_TUNED_SHARE = 0.7, 0.4


@dataclass
class Contestant:
    """A way to drain, and how many steps per second it did in each round."""

    name: str
    drain: Callable[[str], Awaitable[float]]
    rates: list[float] = field(default_factory=list)

    @property
    def rate(self) -> float:
        return median(self.rates)


async def check_steps(dsn: str, *, rounds: int) -> list[Check]:
    """Everybody in turn, round after round, so that a noisy neighbour hits all."""
    return [await _compare(dsn, rounds=rounds, tuned=tuned) for tuned in (False, True)]


async def _compare(dsn: str, *, rounds: int, tuned: bool) -> Check:
    way = "tuned" if tuned else "20 at a time"
    corral = Contestant("Corral", partial(drain_corral, tuned=tuned))
    floor = Contestant("floor", partial(drain_floor, tuned=tuned))
    shown = [
        Contestant("Corral by events", partial(drain_events, tuned=tuned)),
        Contestant("Corral, a job each", partial(drain_jobs, tuned=tuned)),
    ]
    for number in range(1, rounds + 1):
        print(f"  {way}, round {number}, steps/s:", end="", flush=True)
        for contestant in (floor, corral, *shown):
            contestant.rates.append(await contestant.drain(dsn))
            print(f" {contestant.name} {contestant.rates[-1]:,.0f};", end="", flush=True)
        print(flush=True)
    return _check_share(way, corral, floor, LEAST_TUNED_SHARE if tuned else LEAST_SHARE)


def _check_share(way: str, corral: Contestant, floor: Contestant, least: float) -> Check:
    share = corral.rate / floor.rate
    return Check(
        name=f"steps, {way}: {corral.rate:,.0f}/s, share of the floor",
        found=f"{share:.0%}",
        target=f">= {least:.0%}",
        is_kept=share >= least,
    )
