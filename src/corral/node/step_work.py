"""The steps of distributed runs that the node holds: taken in and started at once, stopped when told to.

Nothing waits here for a slot: no more is claimed than are free. But a step whose claim was on its way for so long that somebody
else may have it by now waits for a heartbeat to say that it has not. A step leaves only by its step_finished.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Iterable
from typing import Final, Protocol
from uuid import UUID

from corral.model.states import FailureReason, StepStatus
from corral.node.claiming import StepAppetite
from corral.node.held import StopCause
from corral.node.held_step import HeldStep
from corral.node.leases import Leases
from corral.node.walk import StepEnd
from corral.telemetry import logger
from corral.wire.steps import Claimed

_MOST_CANCELS: Final = 1000
_log = logger(__name__)


class StepRunner(Protocol):
    """Executes steps."""

    async def run(self, held: HeldStep, /) -> None: ...

    def end(self, held: HeldStep, end: StepEnd, /) -> None: ...

    def has_phone(self, serial: str, /) -> bool: ...


class StepWork:
    """Everything between a claim and the acknowledgement of a step's end."""

    def __init__(
        self,
        *,
        slots: int,
        leases: Leases,
        runner: StepRunner,
        taken: Callable[[], int],
        idle_phones: Callable[[], Iterable[str]],
        on_end: Callable[[], None],
        on_doubt: Callable[[], None],
    ) -> None:
        """`on_doubt` is told of steps that a heartbeat has to ask for."""
        self._slots = slots
        self._leases = leases
        self._runner = runner
        self._taken = taken
        self._idle_phones = idle_phones
        self._on_end = on_end
        self._on_doubt = on_doubt
        self._steps: dict[UUID, HeldStep] = {}
        self._waiting: dict[UUID, HeldStep] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._cancels: OrderedDict[UUID, None] = OrderedDict()
        self._is_draining = False

    @property
    def running(self) -> int:
        return len(self._tasks) + len(self._waiting)

    def has_phone(self, serial: str) -> bool:
        """Whether a step has this phone now."""
        return self._runner.has_phone(serial)

    def appetite(self) -> StepAppetite:
        """What to ask the server for: as many steps as there are free slots."""
        is_able = self._leases.is_live and not self._is_draining
        want = max(0, self._slots - self._taken() - self.running) if is_able else 0
        phones = frozenset(each for each in self._idle_phones() if not self.has_phone(each))
        return StepAppetite(want, phones, tuple(self._cancels))

    def accept(self, claimed: Claimed, *, sent_at: float) -> None:
        """Take in what a claim brought that first left at `sent_at`, and start it."""
        specs = {spec.run_id: spec for spec in claimed.runs}
        for step in claimed.steps:
            if step.lease_token in self._leases.held:  # a repeated answer
                continue
            held = HeldStep(step, specs.get(step.run_id))
            self._leases.hold(step.lease_token, sent_at=sent_at)
            self._steps[step.lease_token] = held
            if self._is_draining:
                self._give_back(held, StopCause.STOPPING)
            else:
                self._waiting[step.lease_token] = held
        self.cancel(claimed.cancel)
        self.fill()
        if self._waiting:
            self._on_doubt()

    def fill(self) -> None:
        """Start what is surely still this node's."""
        for token in [each for each in self._waiting if self._leases.is_live_for(each)]:
            task = asyncio.create_task(self._run(self._waiting.pop(token)))
            self._tasks.add(task)
            task.add_done_callback(self._ended)

    def cancel(self, tokens: Iterable[UUID]) -> None:
        """Stop these steps: their runs were cancelled. What is no step of this node's is remembered, too: a job on a phone."""
        heard = list(tokens)
        self._cancels.update(dict.fromkeys(heard))
        while len(self._cancels) > _MOST_CANCELS:
            self._cancels.popitem(last=False)
        self._stop(heard, StopCause.CANCELLED)

    def lose(self, tokens: Iterable[UUID]) -> None:
        """Stop these steps: the server gave up on the leases."""
        self._stop(tokens, StopCause.LOST)

    def interrupt(self, cause: StopCause) -> None:
        """Stop everything."""
        self._stop(list(self._steps), cause)

    def drain(self) -> None:
        """Finish what runs, give back what waits, want nothing more."""
        self._is_draining = True
        self._stop(list(self._waiting), StopCause.STOPPING)

    def ended(self, token: UUID) -> None:
        """The server has acknowledged the end of a step."""
        self._leases.drop(token)
        self._steps.pop(token, None)

    async def finish(self) -> None:
        """Return once nothing runs."""
        while self._tasks:
            await asyncio.wait(self._tasks)

    def _stop(self, tokens: Iterable[UUID], cause: StopCause) -> None:
        for token in tokens:
            if (held := self._waiting.pop(token, None)) is not None:
                self._give_back(held, cause)
            elif (held := self._steps.get(token)) is not None:
                held.stop(cause)

    def _give_back(self, held: HeldStep, cause: StopCause) -> None:
        self._runner.end(held, StepEnd(status=StepStatus.CANCELLED, error_message=cause.words))

    async def _run(self, held: HeldStep) -> None:
        try:
            await self._runner.run(held)
        except Exception:  # noqa: BLE001 - a defect of ours: it costs this step, and no other
            _log.exception("a step broke its runner")
            reason, words = FailureReason.INTERNAL_ERROR, "the node failed; its log says why"
            self._runner.end(held, StepEnd(status=StepStatus.FAILED, failure_reason=reason, error_message=words))

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self._on_end()
