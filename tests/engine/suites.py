"""Phones that execute tests, for tests of tests."""

from collections.abc import Iterable
from uuid import UUID, uuid4

import msgspec

from corral.model.records import EventResult, Grant, Json, Run
from corral.model.states import Chunking
from corral.model.testing import Case, Chunk, ClaimedCase, Offer
from tests.engine.farm import Farm, SimulatedNode

STEP = "suite"


def cases(count: int, *, class_name: str = "com.example.SomeTest") -> list[Json]:
    return [{"class_name": class_name, "name": f"test_{number:04d}"} for number in range(count)]


class Phone:
    """A device in the middle of a step that executes tests, by its lease."""

    def __init__(self, node: SimulatedNode, grant: Grant) -> None:
        self.node = node
        self.grant = grant

    async def offer(
        self, tests: list[Json], *, chunk: Chunking = Chunking.COUNT, test_retries: int = 0, infra_retries: int = 2
    ) -> Offer:
        return await self.node.engine.tests.offer_tests(
            self.node.node_id,
            self.grant.job_id,
            self.grant.lease_token,
            step=STEP,
            tests=tests,
            chunk=chunk,
            test_retries=test_retries,
            infra_retries=infra_retries,
        )

    async def claim(self, request_id: UUID | None = None) -> Chunk:
        return await self.node.engine.tests.claim_tests(
            self.node.node_id,
            self.grant.job_id,
            self.grant.lease_token,
            step=STEP,
            request_id=request_id or uuid4(),
        )

    def told(self, *results: Json) -> Json:
        """An event that tells results."""
        return self.node.event(self.grant, "test_results", step=STEP, results=list(results))

    async def tell(self, *results: Json) -> list[EventResult]:
        return await self.node.send(self.told(*results))

    async def tell_all(self, tests: Iterable[ClaimedCase], status: str = "passed", duration_s: float = 0.5) -> None:
        results = [result(case.name, status, try_=case.try_, duration_s=duration_s) for case in tests]
        assert [each.outcome for each in await self.tell(*results)] == ["applied"]


def result(
    name: str,
    status: str = "passed",
    *,
    try_: int = 1,
    duration_s: float = 0.5,
    message: str | None = None,
    trace: str | None = None,
    class_name: str = "com.example.SomeTest",
) -> Json:
    return {
        "class_name": class_name,
        "name": name,
        "status": status,
        "duration_s": duration_s,
        "message": message,
        "trace": trace,
        "try": try_,
    }


async def given_phones(farm: Farm, count: int) -> tuple[Run, list[Phone]]:
    """A run on phones of one node, all of which have begun."""
    node = await farm.given_node(devices=count, max_concurrency=count)
    run = await farm.given_run()
    grants = await node.pull(want=count)
    await node.start(*grants)
    return run, [Phone(node, grant) for grant in grants]


async def verdicts(farm: Farm, run: Run) -> dict[str, str]:
    return {case.name: case.verdict for case in await all_cases(farm, run)}


async def all_cases(farm: Farm, run: Run) -> list[Case]:
    return await farm.engine.tests.list_cases(run.run_id, limit=10_000)


async def counts(farm: Farm, run: Run) -> dict[str, int]:
    """The summary, without its zeros."""
    found = await farm.engine.tests.count_cases(run.run_id)
    return {name: count for name, count in msgspec.to_builtins(found).items() if count}
