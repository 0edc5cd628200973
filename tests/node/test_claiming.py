"""A claim is open whenever a step could be taken, and tells what the server need not say again; what it brings too late waits."""

import asyncio
from collections.abc import AsyncIterator, Callable
from uuid import UUID, uuid4

import pytest

from corral.model.states import StepStatus
from corral.node.claiming import ClaimSteps
from corral.node.held import StopCause
from corral.node.held_step import HeldStep
from corral.node.leases import Leases
from corral.node.link import Link
from corral.node.step_work import StepWork
from corral.node.walk import StepEnd
from corral.wire.steps import Claim, Claimed, ClaimedRun, ClaimedStep

NOW = 1000.0


class Server(Link):
    """A link whose claims the test answers."""

    def __init__(self) -> None:
        self.asked: asyncio.Queue[tuple[Claim, asyncio.Future[Claimed]]] = asyncio.Queue()

    async def claim(self, request: Claim) -> Claimed:
        answer: asyncio.Future[Claimed] = asyncio.get_running_loop().create_future()
        self.asked.put_nowait((request, answer))
        return await answer


class Runner:
    """Begins steps, and takes its time to stop them."""

    def __init__(self) -> None:
        self.begun: list[UUID] = []
        self.given_back: list[UUID] = []
        self.stopped = asyncio.Event()
        self.wound_down = asyncio.Event()

    async def run(self, held: HeldStep, /) -> None:
        self.begun.append(held.step.lease_token)
        await held.stopped.wait()
        self.stopped.set()
        await self.wound_down.wait()

    def end(self, held: HeldStep, end: StepEnd, /) -> None:
        assert end.status is StepStatus.CANCELLED
        self.given_back.append(held.step.lease_token)

    def has_phone(self, _serial: str, /) -> bool:
        return False


class Case:
    def __init__(self) -> None:
        self.leases = leases = Leases(lambda: NOW)
        leases.renew(sent_at=NOW, lease_s=60)
        self.doubts = 0
        self.server, self.runner = Server(), Runner()
        self.phones: list[str] = []
        self.work = StepWork(
            slots=4,
            leases=leases,
            runner=self.runner,
            taken=lambda: 0,
            idle_phones=lambda: self.phones,
            on_end=lambda: None,
            on_doubt=self._doubt,
        )
        self.claiming = ClaimSteps(self.server, self.work, node_id="desk", epoch=lambda: 1, clock=lambda: NOW)
        self.task = asyncio.create_task(self.claiming.run())

    def _doubt(self) -> None:
        self.doubts += 1

    async def next(self) -> tuple[Claim, asyncio.Future[Claimed]]:
        return await asyncio.wait_for(self.server.asked.get(), 60)


@pytest.fixture
async def case() -> AsyncIterator[Case]:
    made = Case()
    yield made
    made.runner.wound_down.set()
    made.work.interrupt(StopCause.STOPPING)
    await made.work.finish()
    made.task.cancel()
    await asyncio.wait({made.task})


def claimed(*tokens: UUID, cancel: list[UUID] | None = None) -> Claimed:
    run = ClaimedRun(name="", workflow="spread", workflow_version=1, youtube_video_id=None, policy={})
    steps = [
        ClaimedStep(
            job_id=uuid4(), run_id=uuid4(), step="one", action="report", title=None, with_={}, attempt=1,
            lease_token=token, timeout_s=9, run=run,
        )
        for token in tokens
    ]  # fmt: skip
    return Claimed(steps=steps, runs=[], cancel=cancel or [])


async def test_a_cancelled_step_that_winds_down_is_named_so_that_the_next_claim_waits(case: Case) -> None:
    token, job = uuid4(), uuid4()
    (_, answer) = await case.next()
    answer.set_result(claimed(token))
    (_, answer) = await case.next()

    answer.set_result(claimed(cancel=[token, job]))  # the latter is a job's on a phone, which pulls are told of
    await case.runner.stopped.wait()

    (claim, _) = await case.next()
    assert set(claim.cancelling) == {token, job}
    assert case.server.asked.empty()


async def test_a_cancel_that_a_pull_brought_need_not_be_told_by_claims(case: Case) -> None:
    await case.next()
    token = uuid4()
    case.work.cancel([token])
    case.phones = ["R1"]
    case.claiming.nudge()

    (claim, _) = await case.next()
    assert (claim.cancelling, claim.phones) == ([token], ["R1"])


async def test_a_step_whose_claim_was_on_its_way_for_a_lease_begins_once_a_heartbeat_named_it(case: Case) -> None:
    token = uuid4()
    case.work.accept(claimed(token), sent_at=NOW - 60)
    case.leases.renew(sent_at=NOW, lease_s=60)  # a beat that did not know of it
    case.work.fill()
    await asyncio.sleep(0)
    assert (case.runner.begun, case.doubts, case.work.running) == ([], 1, 1)

    case.leases.renew(sent_at=NOW, lease_s=60, named=[token])
    case.work.fill()
    await asyncio.sleep(0)

    assert (case.runner.begun, case.work.running) == ([token], 1)


@pytest.mark.parametrize("stop", [
    lambda work, token: work.lose([token]),
    lambda work, token: work.cancel([token]),
    lambda work, _: work.interrupt(StopCause.FENCED),
    lambda work, _: work.drain(),
])  # fmt: skip
async def test_a_step_that_waits_for_a_heartbeat_is_given_back_unbegun(
    case: Case, stop: Callable[[StepWork, UUID], None]
) -> None:
    token = uuid4()
    case.work.accept(claimed(token), sent_at=NOW - 60)

    stop(case.work, token)

    case.leases.renew(sent_at=NOW, lease_s=60, named=[token])
    case.work.fill()
    await asyncio.sleep(0)
    assert (case.runner.begun, case.runner.given_back, case.work.running) == ([], [token], 0)
