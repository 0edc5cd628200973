"""Ask for steps of distributed runs: a claim is open whenever the node could take one.

When more is wanted, or other phones are offered, than the open claim said, a newer one is sent; the server then answers the
older one at once. A request id is kept until an answer to it has come.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final, Protocol
from uuid import UUID, uuid4

from msgspec import Struct

from corral.model.errors import RequestRefusedError, ServerUnavailableError
from corral.node.backoff import Backoff
from corral.node.clock import Clock
from corral.node.link import Link
from corral.telemetry import logger
from corral.wire.steps import MOST_STEPS, Claim, Claimed

WAIT_S: Final = 25.0
_MOST_OPEN: Final = 2
_log = logger(__name__)


class StepAppetite(Struct, frozen=True):
    """What a claim would ask for now. `cancelling` are cancels that were heard of: the server need not tell them again."""

    want: int
    phones: frozenset[str]
    cancelling: tuple[UUID, ...] = ()

    def exceeds(self, asked: StepAppetite) -> bool:
        """Whether it is worth sending a newer claim for."""
        return self.want > 0 and (asked.want == 0 or not self.phones <= asked.phones)


NOTHING: Final = StepAppetite(0, frozenset())


class Claimant(Protocol):
    """Who wants steps and gets them."""

    def appetite(self) -> StepAppetite: ...

    def accept(self, claimed: Claimed, *, sent_at: float) -> None: ...


class ClaimSteps:
    """The loop. `nudge` says that the appetite may have changed."""

    def __init__(self, link: Link, claimant: Claimant, *, node_id: str, epoch: Callable[[], int], clock: Clock) -> None:
        self._clock = clock
        self._link = link
        self._claimant = claimant
        self._node_id = node_id
        self._epoch = epoch
        self._nudged = asyncio.Event()

    def nudge(self) -> None:
        self._nudged.set()

    async def run(self) -> None:
        """For ever; raises StaleEpochError and UnknownNodeError."""
        opened: set[asyncio.Task[None]] = set()
        asked = NOTHING
        try:
            while True:
                self._nudged.clear()
                appetite = self._claimant.appetite()
                if len(opened) < _MOST_OPEN and appetite.exceeds(asked):
                    opened.add(asyncio.create_task(self._claim(appetite)))
                    asked = appetite
                opened = await self._first_answer(opened)
                if not opened:
                    asked = NOTHING
        finally:
            for task in opened:
                task.cancel()
            if opened:
                await asyncio.wait(opened)

    async def _first_answer(self, opened: set[asyncio.Task[None]]) -> set[asyncio.Task[None]]:
        """Wait for an answer or a nudge; the claims that are still open."""
        nudged = asyncio.create_task(self._nudged.wait())
        try:
            done, _ = await asyncio.wait({nudged, *opened}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            nudged.cancel()
        for task in done - {nudged}:
            task.result()
        return opened - done

    async def _claim(self, appetite: StepAppetite) -> None:
        """One request until it was answered, however often it has to be sent."""
        request_id, backoff, sent_at = uuid4(), Backoff(most_s=5.0), self._clock()
        while True:
            request = Claim(
                node_id=self._node_id,
                epoch=self._epoch(),
                want=min(appetite.want, MOST_STEPS),
                request_id=request_id,
                wait_s=WAIT_S,
                phones=sorted(appetite.phones),
                cancelling=list(appetite.cancelling),
            )
            try:
                claimed = await self._link.claim(request)
            except (ServerUnavailableError, RequestRefusedError) as error:
                if backoff.failures == 0:
                    _log.warning("no answer to a claim", why=error.message)
                await asyncio.sleep(backoff.next_s())
            else:
                self._claimant.accept(claimed, sent_at=sent_at)
                return
