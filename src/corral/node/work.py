"""The jobs that the node holds: taken in, started when a slot and their phone are free, stopped when told to.

A job leaves only by its job_finished. One whose phone cannot take it is given back after the grace wait, at no cost in
attempts: whether it is skipped or waits is for the server to say.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Collection, Iterable
from typing import Final, Protocol
from uuid import UUID

from corral.model.records import RunSpec
from corral.model.states import FailureReason
from corral.node.clock import Clock
from corral.node.held import HeldJob, StopCause
from corral.node.leases import Leases
from corral.node.pulling import Appetite
from corral.node.runner import JobEnd
from corral.node.scheduler import Scheduler
from corral.telemetry import logger
from corral.wire.nodes import Pulled

GRACE_S: Final = 15.0
_MOST_SPECS: Final = 256
_MOST_CANCELS: Final = 1_000
_log = logger(__name__)


class Runner(Protocol):
    """Executes jobs."""

    def run(self, held: HeldJob, /) -> Awaitable[JobEnd]: ...

    def refuse(self, held: HeldJob, end: JobEnd, /) -> JobEnd: ...


class Steps(Protocol):
    """The node's other work: steps of distributed runs, which take slots and may have a phone."""

    @property
    def running(self) -> int: ...

    def has_phone(self, serial: str) -> bool: ...

    def cancel(self, tokens: Iterable[UUID]) -> None: ...


class Work:
    """Everything between a grant and the acknowledgement of its end."""

    def __init__(
        self,
        *,
        max_concurrency: int,
        lookahead: int,
        leases: Leases,
        runner: Runner,
        is_ready: Callable[[str], bool],
        steps: Steps,
        on_end: Callable[[str, JobEnd], None],
        on_doubt: Callable[[], None],
        clock: Clock,
    ) -> None:
        """`on_doubt` is told of grants that were on their way for so long that a heartbeat has to ask whether they hold."""
        self._capacity = max_concurrency + lookahead
        self._refill = max(1, lookahead // 4)
        self._leases = leases
        self._runner = runner
        self._is_ready = is_ready
        self._steps = steps
        self._on_end = on_end
        self._on_doubt = on_doubt
        self._clock = clock
        self._scheduler: Scheduler[HeldJob] = Scheduler(max_concurrency, taken=lambda: steps.running)
        self._jobs: dict[UUID, HeldJob] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._specs: OrderedDict[UUID, RunSpec] = OrderedDict()
        self._cancels: OrderedDict[UUID, None] = OrderedDict()
        self._is_draining = False

    @property
    def running(self) -> int:
        return self._scheduler.running

    def appetite(self) -> Appetite:
        """What to ask the server for."""
        want = 0 if self._is_draining else max(0, self._capacity - len(self._leases.held))
        is_hungry = self._scheduler.free > self._scheduler.waiting
        return Appetite(
            want=want,
            is_urgent=want >= self._refill or (want > 0 and is_hungry),
            cancelling=tuple(self._cancels),
            known_runs=tuple(self._specs),
        )

    def accept(self, pulled: Pulled, *, sent_at: float) -> None:
        """Take in what a pull brought that first left at `sent_at`."""
        self._specs.update({each.run_id: each for each in pulled.runs})
        for grant in pulled.jobs:
            spec = self._specs.get(grant.run_id)
            if grant.lease_token in self._leases.held:  # a repeated answer
                continue
            if spec is None:
                _log.error("a job came without its run's specification; it is left to the server", job_id=grant.job_id)
                continue
            self._specs.move_to_end(grant.run_id)
            held = HeldJob(grant, spec)
            self._leases.hold(grant.lease_token, sent_at=sent_at)
            self._jobs[grant.lease_token] = held
            if self._is_draining:
                self._give_back(held, StopCause.STOPPING)
            else:
                self._scheduler.add(grant.serial, held)
        self._forget_specs()
        self.cancel(pulled.cancel)
        self.fill()
        if not all(self._leases.is_live_for(grant.lease_token) for grant in pulled.jobs):
            self._on_doubt()

    def fill(self) -> None:
        """Start whatever can start; give back what has waited in vain for its phone."""
        if self._leases.is_live:
            for serial, held in self._scheduler.start(self._is_startable):
                self._start(serial, held)
        self._review_blocked()

    def cancel(self, tokens: Collection[UUID]) -> None:
        """Stop these jobs and steps: their runs were cancelled."""
        for token in tokens:
            self._cancels[token] = None
            self._stop(token, StopCause.CANCELLED)
        self._steps.cancel(tokens)
        while len(self._cancels) > _MOST_CANCELS:
            self._cancels.popitem(last=False)

    def lose(self, tokens: Iterable[UUID]) -> None:
        """Stop these jobs: the server gave up on the leases."""
        for token in tokens:
            self._stop(token, StopCause.LOST)

    def interrupt(self, cause: StopCause, *, also_waiting: bool) -> None:
        """Stop everything that runs, and on demand give back what waits."""
        waiting = {id(held) for _, held in self._scheduler.list_waiting()}
        for token, held in list(self._jobs.items()):
            if also_waiting or id(held) not in waiting:
                self._stop(token, cause)

    def find(self, token: UUID) -> HeldJob | None:
        """The job of this lease token, if the node holds it."""
        return self._jobs.get(token)

    def is_held(self, serial: str) -> bool:
        """Whether somebody has this phone in a session: no job works with it then."""
        return any(each.is_session and each.may_be_used and each.grant.serial == serial for each in self._jobs.values())

    def drain(self) -> None:
        """Finish what runs, give back what has not started, want nothing more. Sessions end: nobody knows when they would."""
        self._is_draining = True
        for token in [token for token, held in self._jobs.items() if held.is_session]:
            self._stop(token, StopCause.STOPPING)
        for _, held in list(self._scheduler.list_waiting()):
            self._stop(held.grant.lease_token, StopCause.STOPPING)
        self.fill()

    def ended(self, token: UUID) -> None:
        """The server has acknowledged the end of a job."""
        self._leases.drop(token)
        self._jobs.pop(token, None)

    async def finish(self) -> None:
        """Return once nothing runs."""
        while self._tasks:
            await asyncio.wait(self._tasks)

    def _is_startable(self, serial: str, held: HeldJob) -> bool:
        return (
            self._leases.is_live_for(held.grant.lease_token)
            and self._is_ready(serial)
            and not self._steps.has_phone(serial)
        )

    def _stop(self, token: UUID, cause: StopCause) -> None:
        held = self._jobs.get(token)
        if held is None:
            return
        if self._scheduler.withdraw(held.grant.serial, held):
            self._give_back(held, cause)
        else:
            held.stop(cause)

    def _give_back(self, held: HeldJob, cause: StopCause) -> None:
        outcome = "cancelled" if cause is StopCause.CANCELLED else "interrupted"
        self._runner.refuse(held, JobEnd(outcome=outcome, error_message=cause.words))

    def _start(self, serial: str, held: HeldJob) -> None:
        held.blocked_at = None
        task = asyncio.create_task(self._run(serial, held))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _run(self, serial: str, held: HeldJob) -> None:
        try:
            end = await self._runner.run(held)
        except Exception:  # noqa: BLE001 - a defect of ours: it costs this job, and no other
            _log.exception("a job broke its runner")
            reason, words = FailureReason.INTERNAL_ERROR, "the node failed; its log says why"
            end = self._runner.refuse(held, JobEnd(outcome="failed", failure_reason=reason, error_message=words))
        self._scheduler.finish(serial)
        self.fill()
        self._on_end(serial, end)

    def _review_blocked(self) -> None:
        """Give back jobs whose phone has not been ready for the grace wait; look again when the next may be due."""
        now = self._clock()
        for serial, held in list(self._scheduler.list_waiting()):
            if self._is_ready(serial):
                held.blocked_at = None
            elif held.blocked_at is None:
                held.blocked_at = now
                asyncio.get_running_loop().call_later(GRACE_S + 0.1, self.fill)
            elif now - held.blocked_at >= GRACE_S:
                _log.info("a job is given back: its device cannot take it", device_serial=serial)
                self._stop(held.grant.lease_token, StopCause.BLOCKED)

    def _forget_specs(self) -> None:
        needed = {held.grant.run_id for held in self._jobs.values()}
        for run_id in list(self._specs):
            if len(self._specs) <= _MOST_SPECS:
                return
            if run_id not in needed:
                del self._specs[run_id]
