"""Telling of tests, offering and claiming them, as the server hears it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from corral.model.errors import ServerUnavailableError
from corral.model.states import CaseStatus, Chunking, FailureReason
from corral.model.testing import Chunk, ClaimedCase, Offer
from corral.node import sharing
from corral.node.actions.protocol import Bench
from corral.node.backoff import Backoff
from corral.node.link import Link
from corral.node.suites.results import make_result
from corral.wire.testing import LONGEST_MESSAGE, ClaimTests, OfferTests
from tests.node.workbench import workbench

STEP = {"id": "suite", "uses": "do.tests"}
REQUEST = uuid4()


class Server:
    """What the server is asked, and what it answers: errors are raised."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *answers: Offer | Chunk | Exception) -> None:
        self.asked: list[OfferTests | ClaimTests] = []
        self._answers = [*answers]

        async def answer(_link: Link, request: OfferTests | ClaimTests) -> Offer | Chunk:
            self.asked.append(request)
            answered = self._answers.pop(0)
            if isinstance(answered, Exception):
                raise answered
            return answered

        monkeypatch.setattr(Link, "offer_tests", answer)
        monkeypatch.setattr(Link, "claim_tests", answer)

    @property
    def claims(self) -> list[ClaimTests]:
        return [each for each in self.asked if isinstance(each, ClaimTests)]


@pytest.fixture(autouse=True)
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Backoff, "next_s", lambda _: 0.0)
    monkeypatch.setattr(sharing, "_LOOK_AGAIN_S", 0.0)


async def test_results_are_events_of_the_lease_without_secrets(tmp_path: Path) -> None:
    async def report(bench: Bench, _args: object) -> None:
        bad = make_result(
            ("C", "a"),
            CaseStatus.FAILED,
            try_=2,
            duration_s=1.25,
            message=f"{'x' * (LONGEST_MESSAGE - 4)}hunter22 and more",
            trace="at hunter22\x00",
        )
        bench.report_tests([bad, make_result(("C", "b"), CaseStatus.PASSED, try_=1, duration_s=0)])

    async with workbench(tmp_path, do_tests=report) as bench:
        await bench.run(STEP, secret_params={"password": "hunter22"})

        [told] = await bench.told("test_results")
        assert (told["step"], told["seq"]) == ("suite", 3)
        first, second = told["results"]
        assert "hunter22"[:4] not in await bench.text()
        assert len(first["message"]) == LONGEST_MESSAGE
        assert (first["try"], first["status"], first["duration_s"]) == (2, "failed", 1.25)
        assert first["trace"].endswith("\ufffd")
        assert second == {"class_name": "C", "name": "b", "status": "passed", "duration_s": 0.0, "try": 1}


async def test_tests_are_offered_and_claimed_under_the_jobs_lease(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = Server(monkeypatch, Offer(2, is_first=True), Chunk([ClaimedCase("C", "a", 1)], is_done=False))
    seen: list[object] = []

    async def share(bench: Bench, _args: object) -> None:
        seen.append(
            await bench.offer_tests([("C", "a"), ("C", "b")], chunk="duration", test_retries=1, infra_retries=3)
        )
        seen.append(await bench.claim_tests(REQUEST))

    async with workbench(tmp_path, do_tests=share) as bench:
        job = bench.job(STEP)
        await bench.runner.run(job)

    offer, claim = server.asked
    assert isinstance(offer, OfferTests)
    assert (offer.node_id, offer.job_id, offer.lease_token) == ("desk", job.grant.job_id, job.grant.lease_token)
    assert (offer.step, offer.chunk, offer.test_retries, offer.infra_retries) == ("suite", Chunking.DURATION, 1, 3)
    assert [(each.class_name, each.name) for each in offer.tests] == [("C", "a"), ("C", "b")]
    assert isinstance(claim, ClaimTests)
    assert (claim.request_id, claim.lease_token) == (REQUEST, job.grant.lease_token)
    assert seen == [Offer(2, is_first=True), Chunk([ClaimedCase("C", "a", 1)], is_done=False)]


async def test_a_server_that_is_away_is_asked_again_with_the_same_request(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    away = ServerUnavailableError("away")
    server = Server(monkeypatch, away, away, Chunk([], is_done=True))

    async def claim(bench: Bench, _args: object) -> None:
        assert (await bench.claim_tests(REQUEST)).is_done

    async with workbench(tmp_path, do_tests=claim) as bench:
        assert (await bench.run(STEP)).outcome == "succeeded"

    assert [each.request_id for each in server.claims] == [REQUEST] * 3


async def test_more_tests_than_phones_can_share_are_refused_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sharing, "MOST_TESTS", 1)

    async def share(bench: Bench, _args: object) -> None:
        await bench.offer_tests([("C", "a"), ("C", "b")], chunk="count", test_retries=0, infra_retries=0)

    async with workbench(tmp_path, do_tests=share) as bench:
        end = await bench.run(STEP)

    assert end.failure_reason is FailureReason.ACTION_FAILED
    assert end.error_message == "2 tests are more than phones can share, which is 1"


async def test_waiting_claims_leave_connections_to_everything_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting: list[ClaimTests] = []
    all_wait, goes_on = asyncio.Event(), asyncio.Event()

    async def answer(_link: Link, request: ClaimTests) -> Chunk:
        if request.wait_s == 0:
            return Chunk([], is_done=False)
        waiting.append(request)
        if len(waiting) == 4:
            all_wait.set()
        await goes_on.wait()
        return Chunk([], is_done=True)

    monkeypatch.setattr(Link, "claim_tests", answer)

    async def claim(bench: Bench, _args: object) -> None:
        others = [asyncio.create_task(bench.claim_tests(_id(number))) for number in range(4)]
        await all_wait.wait()
        assert await bench.claim_tests(REQUEST) == Chunk([], is_done=False)
        goes_on.set()
        await asyncio.gather(*others)

    async with workbench(tmp_path, do_tests=claim) as bench:
        assert (await bench.run(STEP)).outcome == "succeeded"


def _id(number: int) -> UUID:
    return UUID(int=number)
