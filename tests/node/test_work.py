"""The jobs that a node holds: taken in, started, stopped, given back."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from typing import Any
from uuid import UUID, uuid4

import pytest

from corral.model.records import Grant, RunSpec
from corral.node.held import HeldJob, StopCause
from corral.node.leases import Leases
from corral.node.runner import JobEnd
from corral.node.work import GRACE_S, Work
from corral.wire.nodes import Pulled
from tests.node.test_leases import Hand

RUN = uuid4()
SPEC = RunSpec(RUN, uuid4(), "work", 1, {}, {}, {}, {}, {}, "seed", None)


class Runner:
    """Runs jobs until they are stopped or the test lets them end."""

    def __init__(self) -> None:
        self.running: dict[str, HeldJob] = {}
        self.given_back: list[tuple[str, str]] = []
        self.end: dict[str, asyncio.Event] = {}
        self.breaks = False

    async def run(self, held: HeldJob, /) -> JobEnd:
        if self.breaks:
            raise RuntimeError("a defect")
        serial = held.grant.serial
        self.running[serial] = held
        done = self.end.setdefault(serial, asyncio.Event())
        waits = [asyncio.create_task(each.wait()) for each in (done, held.stopped)]
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        for wait in waits:
            wait.cancel()
        del self.running[serial]
        return JobEnd(outcome="succeeded" if done.is_set() else "interrupted")

    def refuse(self, held: HeldJob, end: JobEnd, /) -> JobEnd:
        self.given_back.append((held.grant.serial, end.outcome))
        return end


class OtherSteps:
    """Steps of distributed runs that the node is at work on besides."""

    def __init__(self) -> None:
        self.running = 0
        self.phones: set[str] = set()
        self.cancelled: list[UUID] = []

    def has_phone(self, serial: str) -> bool:
        return serial in self.phones

    def cancel(self, tokens: Iterable[UUID]) -> None:
        self.cancelled += tokens


class Floor:
    def __init__(self, max_concurrency: int = 2, lookahead: int = 2) -> None:
        self.clock = Hand()
        self.leases = Leases(self.clock)
        self.leases.renew(sent_at=self.clock.now, lease_s=60)
        self.runner = Runner()
        self.broken: set[str] = set()
        self.ends: list[tuple[str, str]] = []
        self.doubts: list[float] = []
        self.steps = OtherSteps()
        self.work = Work(
            max_concurrency=max_concurrency,
            lookahead=lookahead,
            leases=self.leases,
            runner=self.runner,
            is_ready=lambda serial: serial not in self.broken,
            steps=self.steps,
            on_end=lambda serial, end: self.ends.append((serial, end.outcome)),
            on_doubt=lambda: self.doubts.append(self.clock.now),
            clock=self.clock,
        )

    def grant(self, *serials: str, sent_at: float | None = None, **fields: Any) -> list[UUID]:  # noqa: ANN401 - of a pull's answer
        jobs = [
            Grant(uuid4(), RUN, uuid4(), serial, None, uuid4(), fence=1, attempt=1, priority=0, position=1, timeout_s=9)
            for serial in serials
        ]
        sent_at = self.clock.now if sent_at is None else sent_at
        self.work.accept(Pulled(jobs=jobs, runs=[SPEC], cancel=[], **fields), sent_at=sent_at)
        return [job.lease_token for job in jobs]

    async def clear(self) -> None:
        self.work.drain()
        for done in self.runner.end.values():
            done.set()
        await self.work.finish()

    async def settle(self) -> None:
        for _ in range(10):
            await asyncio.sleep(0)


@pytest.fixture
async def floor() -> AsyncIterator[Floor]:
    made = Floor()
    yield made
    await made.clear()


async def test_as_many_run_as_there_are_slots_and_the_next_starts_when_one_ends(floor: Floor) -> None:
    floor.grant("a", "b", "c")
    await floor.settle()
    assert set(floor.runner.running) == {"a", "b"}

    floor.runner.end["a"].set()
    await floor.settle()

    assert set(floor.runner.running) == {"b", "c"}
    assert floor.ends == [("a", "succeeded")]


async def test_steps_of_distributed_runs_take_slots_and_phones(floor: Floor) -> None:
    floor.steps.running, floor.steps.phones = 1, {"a"}
    floor.grant("a", "b", "c")
    await floor.settle()
    assert set(floor.runner.running) == {"b"}

    floor.steps.running, floor.steps.phones = 0, set()
    floor.work.fill()
    await floor.settle()

    assert set(floor.runner.running) == {"a", "b"}


async def test_cancels_that_a_pull_brings_reach_the_steps_too(floor: Floor) -> None:
    token = uuid4()

    floor.work.accept(Pulled(jobs=[], runs=[], cancel=[token]), sent_at=floor.clock.now)

    assert floor.steps.cancelled == [token]


async def test_a_job_counts_as_held_until_its_end_is_acknowledged(floor: Floor) -> None:
    (token,) = floor.grant("a")
    await floor.settle()
    floor.runner.end["a"].set()
    await floor.settle()
    assert floor.leases.held == {token}
    assert floor.work.appetite().want == 3

    floor.work.ended(token)

    assert (floor.leases.held, floor.work.appetite().want) == (frozenset(), 4)


async def test_a_pull_is_worth_renewing_when_slots_are_idle_or_much_was_used_up() -> None:
    floor = Floor(max_concurrency=2, lookahead=8)
    assert floor.work.appetite().is_urgent
    tokens = floor.grant(*"abcdefghij")
    await floor.settle()
    assert not floor.work.appetite().is_urgent

    floor.work.ended(tokens[0])
    assert not floor.work.appetite().is_urgent  # much is still at hand
    floor.work.ended(tokens[1])
    assert floor.work.appetite().is_urgent
    await floor.clear()


async def test_cancelled_jobs_stop_whether_they_run_or_wait(floor: Floor) -> None:
    tokens = floor.grant("a", "b", "c")
    await floor.settle()

    floor.work.cancel([tokens[0], tokens[2]])
    await floor.settle()

    assert floor.runner.given_back == [("c", "cancelled")]
    assert set(floor.runner.running) == {"b"}
    assert set(floor.work.appetite().cancelling) == {tokens[0], tokens[2]}


async def test_a_cancel_of_something_unknown_is_remembered_so_that_it_is_not_told_for_ever(floor: Floor) -> None:
    token = uuid4()

    floor.work.cancel([token])

    assert floor.work.appetite().cancelling == (token,)


async def test_nothing_starts_without_a_live_lease_and_what_waits_starts_after_it_is_renewed(floor: Floor) -> None:
    floor.clock.now += 100
    floor.grant("a")
    await floor.settle()
    assert floor.runner.running == {}

    floor.leases.renew(sent_at=floor.clock.now, lease_s=60)
    floor.work.fill()
    await floor.settle()

    assert set(floor.runner.running) == {"a"}


async def test_a_fence_stops_what_runs_and_keeps_what_waits(floor: Floor) -> None:
    floor.grant("a", "b", "c")
    await floor.settle()
    floor.clock.now += 100

    floor.work.interrupt(StopCause.FENCED, also_waiting=False)
    await floor.settle()

    assert sorted(floor.ends) == [("a", "interrupted"), ("b", "interrupted")]
    assert floor.runner.given_back == []


async def test_draining_finishes_what_runs_gives_back_what_waits_and_wants_nothing(floor: Floor) -> None:
    floor.grant("a", "b", "c")
    await floor.settle()

    floor.work.drain()
    floor.grant("late")

    assert floor.runner.given_back == [("c", "interrupted"), ("late", "interrupted")]
    assert floor.work.appetite().want == 0
    for event in floor.runner.end.values():
        event.set()
    await floor.work.finish()
    assert sorted(floor.ends) == [("a", "succeeded"), ("b", "succeeded")]


async def test_a_job_whose_phone_is_not_ready_is_given_back_after_the_grace_wait(floor: Floor) -> None:
    floor.broken = {"a"}
    floor.grant("a", "b")
    await floor.settle()
    assert set(floor.runner.running) == {"b"}

    floor.clock.now += GRACE_S - 1
    floor.work.fill()
    assert floor.runner.given_back == []
    floor.clock.now += 1
    floor.work.fill()

    assert floor.runner.given_back == [("a", "interrupted")]


async def test_a_phone_that_becomes_ready_in_time_gets_its_job(floor: Floor) -> None:
    floor.broken = {"a"}
    floor.grant("a")

    floor.broken = set()
    floor.work.fill()
    await floor.settle()

    assert set(floor.runner.running) == {"a"}


async def test_an_answer_that_is_repeated_gives_no_job_twice(floor: Floor) -> None:
    floor.grant("a")
    (held,) = [each.grant for each in floor.work._jobs.values()]

    floor.work.accept(Pulled(jobs=[held], runs=[], cancel=[]), sent_at=floor.clock.now)

    assert len(floor.work._jobs) == 1


async def test_a_grant_that_was_on_its_way_for_longer_than_a_lease_waits_for_a_heartbeat_that_names_it(
    floor: Floor,
) -> None:
    left_at = floor.clock.now
    floor.clock.now += 100
    floor.leases.renew(sent_at=floor.clock.now, lease_s=60)  # this heartbeat did not know the grant

    (token,) = floor.grant("a", sent_at=left_at)
    await floor.settle()
    assert (floor.runner.running, floor.doubts) == ({}, [floor.clock.now])

    floor.leases.renew(sent_at=floor.clock.now, lease_s=60, named=[token])
    floor.work.fill()
    await floor.settle()
    assert list(floor.runner.running) == ["a"]


async def test_a_defect_of_the_runner_costs_its_job_and_no_other(floor: Floor) -> None:
    floor.runner.breaks = True
    floor.grant("a")
    await floor.settle()
    floor.runner.breaks = False
    floor.grant("b")
    await floor.settle()

    assert floor.runner.given_back == [("a", "failed")]
    assert set(floor.runner.running) == {"b"}
