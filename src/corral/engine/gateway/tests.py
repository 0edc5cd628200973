"""Tests: suites that the phones of a run share, and what became of every case. Results come in by Events."""

from collections.abc import Sequence
from uuid import UUID

import msgspec

from corral.engine.database import Database, to_record, to_records
from corral.model.records import Json
from corral.model.states import Chunking
from corral.model.testing import Case, CaseCounts, CaseDevice, Chunk, Offer, Suite, SuiteCase, Verdict


class Tests:
    """What phones test, and how it ended."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def offer_tests(
        self,
        node_id: str,
        job_id: UUID,
        lease_token: UUID,
        *,
        step: str,
        tests: Sequence[Json],
        chunk: Chunking = Chunking.COUNT,
        test_retries: int = 0,
        infra_retries: int = 2,
    ) -> Offer:
        """Let the phones of a run share these tests of a step, each {class_name, name}. The first list counts.

        Raises LeaseLostError unless the token is that of the job's live lease.
        """
        row = await self._database.fetch_only(
            "select * from corral.fn_offer_tests($1, $2, $3, $4, $5, $6, $7, $8)",
            node_id,
            job_id,
            lease_token,
            step,
            list(tests),
            chunk,
            test_retries,
            infra_retries,
        )
        return to_record(row, Offer)

    async def claim_tests(self, node_id: str, job_id: UUID, lease_token: UUID, *, step: str, request_id: UUID) -> Chunk:
        """The next tests for a phone. Repeating a `request_id` returns what it got.

        Raises LeaseLostError, and NotFoundError where nobody has offered tests of this step.
        """
        row = await self._database.fetch_only(
            "select * from corral.fn_claim_tests($1, $2, $3, $4, $5)", node_id, job_id, lease_token, step, request_id
        )
        return to_record(row, Chunk)

    async def count_cases(self, run_id: UUID) -> CaseCounts | None:
        """How many cases of a run have which verdict; None for a run without tests."""
        counts = await self._database.fetch_value("select corral.fn_count_cases($1)", run_id)
        return msgspec.convert(counts, CaseCounts | None)

    async def list_cases(
        self,
        run_id: UUID,
        *,
        verdicts: Sequence[Verdict] | None = None,
        differs: bool | None = None,
        is_flaky: bool | None = None,
        query: str | None = None,
        after: tuple[str, str, str] | None = None,
        limit: int = 100,
    ) -> list[Case]:
        """Cases by step, class and name, without traces; `after` names the last one seen by these. Raises NotFoundError."""
        rows = await self._database.fetch(
            "select * from corral.fn_list_cases($1, $2, $3, $4, $5, $6, $7)",
            run_id,
            None if verdicts is None else list(verdicts),
            differs,
            is_flaky,
            query,
            None if after is None else list(after),
            limit,
        )
        return to_records(rows, Case)

    async def get_case(self, run_id: UUID, class_name: str, name: str, *, step: str | None = None) -> Case:
        """One case with its traces; of the first step that has it, where none is named. Raises NotFoundError."""
        row = await self._database.fetch_only(
            "select * from corral.fn_get_case($1, $2, $3, $4)", run_id, step, class_name, name
        )
        return to_record(row, Case)

    async def list_case_devices(self, run_id: UUID) -> list[CaseDevice]:
        """The devices of a run, by their numbers, each with its job."""
        rows = await self._database.fetch("select * from corral.fn_list_case_devices($1)", run_id)
        return to_records(rows, CaseDevice)

    async def list_suites(self, run_id: UUID) -> list[Suite]:
        """The parts of a run's report: a step on a device, and what no phone gave a verdict on. Raises NotFoundError."""
        return to_records(await self._database.fetch("select * from corral.fn_list_suites($1)", run_id), Suite)

    async def list_suite_cases(self, run_id: UUID, suite: Suite) -> list[SuiteCase]:
        """The cases of one part of a report, with traces."""
        rows = await self._database.fetch(
            "select * from corral.fn_list_suite_cases($1, $2, $3, $4)",
            run_id,
            suite.step,
            suite.device_id,
            suite.is_unjudged,
        )
        return to_records(rows, SuiteCase)
