"""The check of the books notices every way in which those of tests can be wrong."""

import pytest

from corral.engine import Engine
from tests.engine.farm import Farm
from tests.engine.suites import cases, given_phones

BROKEN = {
    "a shared test belongs to a suite of a run": "delete from corral.test_suites",
    "a suite has as many tests as were offered": "update corral.test_suites set total = total + 1",
    "a test is claimed under a lease of its run": (
        "update corral.test_units set claim_token = gen_random_uuid() where is_in_flight"
    ),
    "an ended run has no open test": "update corral.runs set status = 'failed', finished_at = corral.fn_now()",
    "a run with a test that nobody judged did not succeed": (
        "with ended as (update corral.runs set status = 'succeeded', finished_at = corral.fn_now())"
        " update corral.test_units set is_in_flight = false, verdict = 'errored', finished_at = corral.fn_now()"
        "  where verdict is null"
    ),
    "a test's failures are those that were told": "update corral.test_units set failures = 1 where verdict = 'passed'",
    "a verdict is the last result that counts": "update corral.test_units set verdict = 'skipped' where verdict = 'passed'",
    "a test is tried and lost no more often than it may be": "update corral.test_units set losses = 3 where verdict is null",
    "a job has one last word on a case": "update corral.test_results set is_last = false",
    "a result was told under a lease of its job": "update corral.test_results set attempt = 7",
}


@pytest.mark.parametrize("rule", BROKEN)
async def test_books_of_tests_that_are_wrong_are_noticed(farm_dsn: str, rule: str) -> None:
    async with Engine.connect(farm_dsn, max_connections=1) as engine:
        _, (one, two) = await given_phones(Farm(engine), 2)
        await one.offer(cases(12))
        await one.tell_all((await one.claim()).tests)
        await two.claim()
        assert await engine.upkeep.check_invariants() == []

        await engine.database.fetch(BROKEN[rule])

        assert rule in {broken.invariant for broken in await engine.upkeep.check_invariants()}
