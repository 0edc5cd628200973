"""A step's tests and the server: results told through the spool, shared tests offered and claimed.

The server is asked again for as long as it is away: the step's own timeout is the limit. Repeating a request changes nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, TypeVar
from uuid import UUID

import msgspec

from corral.model.errors import ActionFailedError, ServerUnavailableError
from corral.model.states import Chunking
from corral.model.testing import Chunk, Offer
from corral.node.backoff import Backoff
from corral.node.events import clean_long_text
from corral.node.job_context import JobContext
from corral.node.link import Link
from corral.node.spool.spool import Spool
from corral.wire.testing import (
    LONGEST_MESSAGE,
    LONGEST_NAME,
    LONGEST_TRACE,
    MOST_TESTS,
    ClaimTests,
    OfferedCase,
    OfferTests,
    ToldResult,
)

T = TypeVar("T")
WAIT_S: Final = 20.0
"""How long a claim waits at the server for tests to come back."""

_MOST_WAITING: Final = 4
"""Of the link's connections, which everything else of the node needs too; further claims ask every second instead."""

_LOOK_AGAIN_S: Final = 1.0


class ShareTests:
    """For all jobs of the node."""

    def __init__(self, link: Link, spool: Spool) -> None:
        self._link = link
        self._spool = spool
        self._waiting = asyncio.Semaphore(_MOST_WAITING)

    def report(self, job: JobContext, step: str, results: Sequence[ToldResult]) -> None:
        """Tell of results, cleaned. They belong to jobs of phones: of a worker's step, its own end says enough."""
        if job.is_device:
            told = [msgspec.to_builtins(_clean(result, job)) for result in results]
            self._spool.put(job.events.make("test_results", step=step, results=told))

    async def offer(
        self,
        job: JobContext,
        step: str,
        tests: Sequence[tuple[str, str]],
        *,
        chunk: str,
        test_retries: int,
        infra_retries: int,
    ) -> Offer:
        """Raises ActionFailedError for what cannot be shared, RequestRefusedError."""
        if not job.is_device:
            raise ActionFailedError("phones share tests in device runs alone: say shard: none")
        if len(tests) > MOST_TESTS:
            raise ActionFailedError(f"{len(tests)} tests are more than phones can share, which is {MOST_TESTS}")
        request = OfferTests(
            node_id=job.node_id,
            job_id=job.grant.job_id,
            lease_token=job.token,
            step=step,
            tests=[OfferedCase(class_name=class_name, name=name) for class_name, name in tests],
            chunk=Chunking(chunk),
            test_retries=test_retries,
            infra_retries=infra_retries,
        )
        return await _insist(lambda: self._link.offer_tests(request))

    async def claim(self, job: JobContext, step: str, request_id: UUID) -> Chunk:
        """Raises RequestRefusedError."""
        may_wait = not self._waiting.locked()
        request = ClaimTests(
            node_id=job.node_id,
            job_id=job.grant.job_id,
            lease_token=job.token,
            step=step,
            request_id=request_id,
            wait_s=WAIT_S if may_wait else 0.0,
        )
        if may_wait:
            async with self._waiting:
                return await _insist(lambda: self._link.claim_tests(request))
        chunk = await _insist(lambda: self._link.claim_tests(request))
        if not chunk.tests and not chunk.is_done:
            await asyncio.sleep(_LOOK_AGAIN_S)
        return chunk


async def _insist(ask: Callable[[], Awaitable[T]]) -> T:
    backoff = Backoff()
    while True:
        try:
            return await ask()
        except ServerUnavailableError:
            await asyncio.sleep(backoff.next_s())


def _clean(result: ToldResult, job: JobContext) -> ToldResult:
    """Secrets are masked first, and what is then too long is cut."""

    def cleaned(text: str | None, most: int) -> str | None:
        return None if text is None else clean_long_text(text, job.secrets, most=most)

    return msgspec.structs.replace(
        result,
        class_name=cleaned(result.class_name, LONGEST_NAME) or "",
        name=cleaned(result.name, LONGEST_NAME) or "?",
        message=cleaned(result.message, LONGEST_MESSAGE),
        trace=cleaned(result.trace, LONGEST_TRACE),
    )
