"""What phones ask and tell of tests reads by key: its cost follows the suite, however many others there are."""

from collections.abc import AsyncIterator
from typing import Final
from uuid import uuid4

import pytest
import pytest_asyncio

from corral.engine import Engine
from tests.engine.farm import Farm
from tests.engine.load import analyze
from tests.engine.reads import Reads, Session, reads_of
from tests.engine.suites import STEP, Phone, cases, given_phones, result

SUITES: Final = 200
TESTS: Final = 200
MOST_ROWS: Final = 2_000  # of 40,000 units and results; a suite has 200
OLD_SUITES: Final = """
with suites as (
    insert into corral.test_suites (run_id, step, workflow_name, chunk, test_retries, infra_retries, total, digest, offer_job_id,
                                    offer_token, created_at)
    select gen_random_uuid(), 'suite', format('flow-%s', n % 10), 'count', 0, 2, $2, '', gen_random_uuid(), gen_random_uuid(),
           corral.fn_now()
      from generate_series(1, $1::integer) n
    returning run_id, offer_job_id, offer_token
), units as (
    insert into corral.test_units (run_id, step, case_id, class_name, name, position, expected_s, verdict, verdict_job_id, took_s,
                                   finished_at)
    select s.run_id, 'suite', corral.fn_case_id('com.example.SomeTest', format('test_%s', n)), 'com.example.SomeTest',
           format('test_%s', n), n, 2, 'passed', s.offer_job_id, 1, corral.fn_now()
      from suites s, generate_series(1, $2::integer) n
    returning run_id, case_id, class_name, name, verdict_job_id
)
insert into corral.test_results (job_id, step, case_id, attempt, try, run_id, node_id, lease_token, class_name, name, status,
                                 duration_s, is_unit, is_counted, is_last, at)
select u.verdict_job_id, 'suite', u.case_id, 1, 1, u.run_id, 'node-9', gen_random_uuid(), u.class_name, u.name, 'passed', 1,
       true, true, true, corral.fn_now()
  from units u
"""


@pytest_asyncio.fixture
async def engine(new_dsn: str) -> AsyncIterator[Engine]:
    async with Engine.connect(new_dsn, max_connections=1) as engine:
        yield engine


@pytest_asyncio.fixture
async def session(engine: Engine) -> AsyncIterator[Session]:
    async with engine.database.own_connection() as session:
        yield session


@pytest.mark.parametrize("statistics", ["fresh", "stale"])
async def test_offers_claims_results_and_ends_read_by_key(engine: Engine, session: Session, statistics: str) -> None:
    await engine.database.fetch(OLD_SUITES, SUITES, TESTS)
    if statistics == "fresh":
        await analyze(engine)
    _, phones = await given_phones(Farm(engine), 20)

    cycle: dict[str, Reads] = {"offer": await offer(session, phones[0])}
    for number in range(8):  # past the point where PostgreSQL may turn to generic plans
        cycle[f"claim {number}"] = await claim(session, phones[number])
        (row,) = cycle[f"claim {number}"].rows
        told = phones[number].told(*(result(each["name"], try_=each["try"]) for each in row["tests"]))
        cycle[f"tell {number}"] = await tell(session, phones[number], told)
    for phone in phones:
        await phone.node.finish(phone.grant) if phone is not phones[-1] else None
    ended = phones[-1].node.event(phones[-1].grant, "job_finished", outcome="succeeded")
    cycle["end"] = await tell(session, phones[-1], ended)

    assert {row["outcome"] for call, reads in cycle.items() if "tell" in call for row in reads.rows} == {"applied"}
    assert {call: reads.seq_scans for call, reads in cycle.items() if reads.seq_scans} == {}
    assert {call: reads.rows_read for call, reads in cycle.items() if max(reads.rows_read.values()) > MOST_ROWS} == {}


async def offer(session: Session, phone: Phone) -> Reads:
    query = "select * from corral.fn_offer_tests($1, $2, $3, $4, $5, 'count', 0, 2)"
    return await reads_of(session, query, *_lease(phone), cases(TESTS))


async def claim(session: Session, phone: Phone) -> Reads:
    return await reads_of(session, "select * from corral.fn_claim_tests($1, $2, $3, $4, $5)", *_lease(phone), uuid4())


async def tell(session: Session, phone: Phone, event: dict[str, object]) -> Reads:
    query = "select * from corral.fn_apply_node_events($1)"
    return await reads_of(session, query, [{**event, "node_id": phone.node.node_id}])


def _lease(phone: Phone) -> tuple[object, ...]:
    return phone.node.node_id, phone.grant.job_id, phone.grant.lease_token, STEP
