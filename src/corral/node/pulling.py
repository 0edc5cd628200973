"""Ask for work: one pull is always open, also when nothing is wanted, because cancels arrive by it.

When more is wanted than the open pull asked for, a newer one is sent; the server then answers the older one at once, so
that no grant is lost. A request id is kept until an answer to it has come.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import Final, Protocol
from uuid import UUID, uuid4

from msgspec import Struct

from corral.model.errors import RequestRefusedError, ServerUnavailableError
from corral.model.records import Watch
from corral.model.sessions import SessionInput
from corral.model.tunnels import Tunnel
from corral.node.backoff import Backoff
from corral.node.clock import Clock
from corral.node.link import Link
from corral.telemetry import logger
from corral.wire.nodes import Pull, Pulled

WAIT_S: Final = 25.0
_MOST_OPEN: Final = 2
_log = logger(__name__)


class Appetite(Struct, frozen=True):
    """What a pull would ask for now."""

    want: int
    is_urgent: bool
    """Whether it is worth sending a newer pull for: slots are idle, or a good part of the lookahead is used up."""

    cancelling: tuple[UUID, ...]
    known_runs: tuple[UUID, ...]


class Worker(Protocol):
    """Who wants work and gets it."""

    def appetite(self) -> Appetite: ...

    def accept(self, pulled: Pulled, *, sent_at: float) -> None: ...


class Screens(Protocol):
    """Who shows screens that somebody looks at."""

    @property
    def watching(self) -> frozenset[UUID]: ...

    def take(self, watches: Iterable[Watch], /) -> None: ...


class Inputs(Protocol):
    """Who does to held phones what their holders do to them."""

    @property
    def taken(self) -> dict[UUID, int]: ...

    def take(self, inputs: Iterable[SessionInput], /) -> None: ...


class Tunnellers(Protocol):
    """Who opens tunnels to phones that somebody holds."""

    @property
    def known(self) -> frozenset[UUID]: ...

    def take(self, tunnels: Iterable[Tunnel], /) -> None: ...


class PullJobs:
    """The loop. `nudge` says that the appetite may have grown, or that a screen is no longer looked at."""

    def __init__(
        self,
        link: Link,
        worker: Worker,
        *,
        screens: Screens,
        inputs: Inputs,
        tunnels: Tunnellers,
        node_id: str,
        epoch: Callable[[], int],
        clock: Clock,
    ) -> None:
        self._clock = clock
        self._link = link
        self._worker = worker
        self._screens = screens
        self._inputs = inputs
        self._tunnels = tunnels
        self._node_id = node_id
        self._epoch = epoch
        self._nudged = asyncio.Event()

    def nudge(self) -> None:
        self._nudged.set()

    async def run(self) -> None:
        """For ever; raises StaleEpochError and UnknownNodeError."""
        opened: set[asyncio.Task[None]] = set()
        asked = 0
        shown: frozenset[UUID] = frozenset()
        try:
            while True:
                appetite, watching = self._worker.appetite(), self._screens.watching
                is_hungrier = appetite.is_urgent and appetite.want > asked
                # What the open pull says is being shown the server would not name again.
                if not opened or (len(opened) < _MOST_OPEN and (is_hungrier or not shown <= watching)):
                    opened.add(asyncio.create_task(self._pull(appetite, watching)))
                    asked, shown = appetite.want, watching
                self._nudged.clear()
                opened = await self._first_answer(opened)
                if not opened:
                    asked = 0
        finally:
            for task in opened:
                task.cancel()
            if opened:
                await asyncio.wait(opened)

    async def _first_answer(self, opened: set[asyncio.Task[None]]) -> set[asyncio.Task[None]]:
        """Wait for an answer or a nudge; the pulls that are still open."""
        nudged = asyncio.create_task(self._nudged.wait())
        try:
            done, _ = await asyncio.wait({nudged, *opened}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            nudged.cancel()
        for task in done - {nudged}:
            task.result()
        return opened - done

    async def _pull(self, appetite: Appetite, watching: frozenset[UUID]) -> None:
        """One request until it was answered, however often it has to be sent."""
        request_id, backoff, sent_at = uuid4(), Backoff(most_s=5.0), self._clock()
        while True:
            request = Pull(
                node_id=self._node_id,
                epoch=self._epoch(),
                want=appetite.want,
                request_id=request_id,
                wait_s=WAIT_S,
                cancelling=list(appetite.cancelling),
                known_runs=list(appetite.known_runs),
                watching=sorted(watching),
                inputs_taken=self._inputs.taken,
                tunnelling=sorted(self._tunnels.known),
            )
            try:
                pulled = await self._link.pull(request)
            except (ServerUnavailableError, RequestRefusedError) as error:
                if backoff.failures == 0:
                    _log.warning("no answer to a pull", why=error.message)
                await asyncio.sleep(backoff.next_s())
            else:
                self._worker.accept(pulled, sent_at=sent_at)
                self._screens.take(pulled.watch)
                self._inputs.take(pulled.inputs)
                self._tunnels.take(pulled.tunnels)
                return
