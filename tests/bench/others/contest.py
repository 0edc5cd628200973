"""Everybody in turn, round after round, so that a noisy neighbour hits all."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Generic, TypeVar

from tests.bench.floor import drain_by_pgbench
from tests.bench.others.enqueue import BATCHES, enqueue_corral, enqueue_floor, enqueue_phones
from tests.bench.others.latency import wait_corral, wait_corral_http, wait_floor
from tests.bench.others.results import Kind, Percentiles, Rates, Waits, percentiles
from tests.bench.others.rivals import Rival
from tests.bench.steps_corral import BATCH, TUNED_BATCH, drain_corral, drain_events, drain_jobs
from tests.bench.steps_floor import TUNED_BATCH as FLOOR_TUNED_BATCH
from tests.bench.steps_floor import drain_floor

T = TypeVar("T")


@dataclass(frozen=True)
class Contestant(Generic[T]):
    """Who is measured, with which settings, and how."""

    name: str
    kind: Kind
    settings: str
    measure: Callable[..., Awaitable[T]]
    """Called with the server's URL."""


async def compare_drains(
    dsn: str, rivals: Sequence[Rival], *, bin_dir: Path, rounds: int, jobs: int, tuned: bool
) -> list[Rates]:
    """Jobs claimed, done and completed per second."""
    batch, floor_batch = (TUNED_BATCH, FLOOR_TUNED_BATCH) if tuned else (BATCH, BATCH)
    at_a_time = f"{batch:,} at a time, 2 connections"
    contestants = [
        Contestant("bare SQL", "floor", f"{floor_batch:,} at a time", partial(drain_floor, tuned=tuned, steps=jobs)),
        Contestant(
            "bare SQL, pgbench",
            "floor",
            f"{floor_batch:,} at a time, 2 clients",
            partial(drain_by_pgbench, bin_dir=bin_dir, batch=floor_batch, clients=2),
        ),
        Contestant("Corral", "corral", at_a_time, partial(drain_corral, tuned=tuned, steps=jobs)),
        *(
            Contestant(rival.name, "other", rival.drains(tuned=tuned), partial(rival.drain, tuned=tuned, jobs=jobs))
            for rival in rivals
        ),
        Contestant("Corral, by events", "beside", at_a_time, partial(drain_events, tuned=tuned, steps=jobs)),
        Contestant("Corral, a job each", "beside", at_a_time, partial(drain_jobs, tuned=tuned, jobs=jobs)),
    ]
    return await _rates(dsn, f"drain, {'tuned' if tuned else '20 at a time'}", contestants, rounds=rounds)


async def compare_enqueues(dsn: str, rivals: Sequence[Rival], *, rounds: int, jobs: int) -> list[Rates]:
    """Jobs taken in per second, by whatever is each system's way to take in many, in batches of the size that suits it best."""
    entrants = [
        Contestant("bare SQL, COPY", "floor", "COPY", partial(enqueue_floor, jobs=jobs, copies=True)),
        Contestant("bare SQL, INSERT", "floor", "INSERT", partial(enqueue_floor, jobs=jobs, copies=False)),
        Contestant("Corral", "corral", "create_steps", partial(enqueue_corral, jobs=jobs)),
        *(Contestant(rival.name, "other", rival.bulk, partial(rival.enqueue, jobs=jobs)) for rival in rivals),
        Contestant("Corral, a run on as many phones", "beside", "create_run", partial(enqueue_phones, jobs=jobs)),
    ]
    return await _rates(dsn, "enqueue", [await _with_best_batch(dsn, each) for each in entrants], rounds=rounds)


async def compare_latencies(dsn: str, rivals: Sequence[Rival], *, rounds: int, samples: int) -> list[Waits]:
    """Milliseconds from before the enqueuing of one job until an idle worker starts it."""
    library, http = partial(wait_corral, samples=samples), partial(wait_corral_http, samples=samples)
    contestants = [
        Contestant("bare SQL", "floor", "LISTEN, SKIP LOCKED", partial(wait_floor, samples=samples)),
        Contestant("Corral", "corral", "LISTEN; a step of an open job", partial(library, way="steps")),
        *(Contestant(rival.name, "other", rival.waits, partial(rival.wait, samples=samples)) for rival in rivals),
        Contestant("Corral, a run each", "beside", "LISTEN; a run of one step", partial(library, way="runs")),
        Contestant("Corral over HTTP, a worker", "beside", "a claim that waits at the server", partial(http, way="claim")),
        Contestant("Corral over HTTP, a phone", "beside", "a pull that waits at the server", partial(http, way="pull")),
    ]  # fmt: skip
    found: dict[str, list[Percentiles]] = {}
    for number in range(1, rounds + 1):
        for each in contestants:
            told = percentiles(await each.measure(dsn))
            found.setdefault(each.name, []).append(told)
            print(
                f"  latency, round {number}: {each.name} p50 {told.p50:.2f}, p90 {told.p90:.2f}, p99 {told.p99:.2f} ms",
                flush=True,
            )
    return [Waits(each.name, each.kind, each.settings, found[each.name]) for each in contestants]


async def _with_best_batch(dsn: str, entrant: Contestant[float]) -> Contestant[float]:
    """Tries that do not count: the better of two with each size decides."""
    best: dict[int, float] = {}
    for batch in BATCHES * 2:
        rate = await partial(entrant.measure, batch=batch)(dsn)
        best[batch] = max(rate, best.get(batch, 0.0))
    told = ", ".join(f"{batch:,}: {rate:,.0f}/s" for batch, rate in best.items())
    print(f"  enqueue, batches of {entrant.name}: {told}", flush=True)
    batch = max(best, key=lambda each: best[each])
    settings = f"{entrant.settings}, {batch:,} at a time"
    return Contestant(entrant.name, entrant.kind, settings, partial(entrant.measure, batch=batch))


async def _rates(dsn: str, what: str, contestants: Sequence[Contestant[float]], *, rounds: int) -> list[Rates]:
    found: dict[str, list[float]] = {}
    for number in range(1, rounds + 1):
        for each in contestants:
            rate = round(await each.measure(dsn), 1)
            found.setdefault(each.name, []).append(rate)
            print(f"  {what}, round {number}: {each.name} {rate:,.0f}/s", flush=True)
    return [Rates(each.name, each.kind, each.settings, found[each.name]) for each in contestants]
