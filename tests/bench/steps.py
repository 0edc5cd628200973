"""Promise: one worker process drains no-op steps faster with Corral than with other queues on the same PostgreSQL.

What is drained: one distributed job of 20,000 steps that need nothing, the fair counterpart of 20,000 jobs in a queue.
Each step is claimed by capability, in its order, under a lease with a token of its own; its end is judged by that token,
closes the lease, counts down the job and, with the last one, ends the job and its run. Nothing of that is left out,
though the others do less. Printed beside it, and not judged: jobs of one step each, where every end also ends a job
and a run; and the steps of the one job reported as events (the callback), each of which is kept under its id.

Everybody drains twice: claiming 20 at a time, and tuned to its best. The other queues are measured only on request
(`--with-others`), because they have to be installed, into a directory that is thrown away. Without them, Corral is held
against the floor, a bare loop of SQL: where all were measured, the best of the others reached 70 % of it with batches of
20, and 60 % tuned.
"""

from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from functools import partial
from statistics import median

from tests.bench.others.rivals import NAMES, Rival, installed_rivals
from tests.bench.report import Check
from tests.bench.steps_corral import drain_corral, drain_events, drain_jobs
from tests.bench.steps_floor import drain_floor

LEAST_SHARE, LEAST_TUNED_SHARE = 0.7, 0.6


@dataclass
class Contestant:
    """A way to drain, and how many steps per second it did in each round."""

    name: str
    drain: Callable[[str], Awaitable[float]]
    rates: list[float] = field(default_factory=list)

    @property
    def rate(self) -> float:
        return median(self.rates)


async def check_steps(dsn: str, *, rounds: int, with_others: bool) -> list[Check]:
    """Everybody in turn, round after round, so that a noisy neighbour hits all."""
    async with AsyncExitStack() as stack:
        if with_others:
            rivals = await stack.enter_async_context(installed_rivals())
        else:
            print(
                f"  not measured: {', '.join(NAMES)} (--with-others installs them, for as long as it takes)", flush=True
            )
            rivals = []
        checks = []
        for tuned in (False, True):
            checks += await _compare(dsn, rivals, rounds=rounds, tuned=tuned)
    return checks


async def _compare(dsn: str, rivals: list[Rival], *, rounds: int, tuned: bool) -> list[Check]:
    way = "tuned" if tuned else "20 at a time"
    corral = Contestant("Corral", partial(drain_corral, tuned=tuned))
    floor = Contestant("floor", partial(drain_floor, tuned=tuned))
    others = [Contestant(rival.name, partial(rival.drain, tuned=tuned)) for rival in rivals]
    shown = [
        Contestant("Corral by events", partial(drain_events, tuned=tuned)),
        Contestant("Corral, a job each", partial(drain_jobs, tuned=tuned)),
    ]
    for number in range(1, rounds + 1):
        print(f"  {way}, round {number}, steps/s:", end="", flush=True)
        for contestant in (floor, corral, *others, *shown):
            contestant.rates.append(await contestant.drain(dsn))
            print(f" {contestant.name} {contestant.rates[-1]:,.0f};", end="", flush=True)
        print(flush=True)
    least = LEAST_TUNED_SHARE if tuned else LEAST_SHARE
    return [_check_share(way, corral, floor, least), *(_check_lead(way, corral, other) for other in others)]


def _check_share(way: str, corral: Contestant, floor: Contestant, least: float) -> Check:
    share = corral.rate / floor.rate
    return Check(
        name=f"steps, {way}: {corral.rate:,.0f}/s, share of the floor",
        found=f"{share:.0%}",
        target=f">= {least:.0%}",
        is_kept=share >= least,
    )


def _check_lead(way: str, corral: Contestant, other: Contestant) -> Check:
    ratio = corral.rate / other.rate
    return Check(
        name=f"steps, {way}: {corral.rate:,.0f}/s against {other.rate:,.0f}/s of {other.name}",
        found=f"{ratio:.2f} x",
        target="> 1 x",
        is_kept=ratio > 1,
    )
