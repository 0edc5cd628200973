"""Tests: nodes offer and claim them, operators read what became of them, build servers as JUnit XML."""

import asyncio
import base64
import binascii
from functools import partial
from typing import Annotated, Any, Final
from uuid import UUID

import msgspec
from litestar import Request, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, FromQuery, JSONBody, QueryParameter
from litestar.response import Stream

from corral.api.auth import caller_of, check_speaks_for
from corral.api.junit import write_junit
from corral.api.long_poll import until_gone
from corral.api.server import Server
from corral.model.errors import InvalidRequestError
from corral.model.reading import read_json
from corral.model.testing import Case, Chunk, Offer, Verdict
from corral.telemetry import bound
from corral.wire.testing import LONGEST_NAME, CasePage, ClaimTests, OfferTests

_LOOK_EVERY_S: Final = 1.0
"""Only spares wait, two a suite: they may look themselves."""


@post("/api/nodes/tests/offer", status_code=200)
async def offer_tests(
    data: JSONBody[OfferTests], server: NamedDependency[Server], request: Request[Any, Any, Any]
) -> Offer:
    """Let the phones of a run share the tests of a step. The first list counts; another is noted in the run's log."""
    check_speaks_for(request, data.node_id)
    with bound(node_id=data.node_id):
        return await server.engine.tests.offer_tests(
            data.node_id,
            data.job_id,
            data.lease_token,
            step=data.step,
            tests=msgspec.to_builtins(data.tests),
            chunk=data.chunk,
            test_retries=data.test_retries,
            infra_retries=data.infra_retries,
        )


@post("/api/nodes/tests/claim", status_code=200)
async def claim_tests(
    data: JSONBody[ClaimTests], server: NamedDependency[Server], request: Request[Any, Any, Any]
) -> Chunk:
    """The next tests for a phone; waits up to `wait_s` while all that is left is in flight elsewhere, then answers empty."""
    check_speaks_for(request, data.node_id)
    loop = asyncio.get_running_loop()
    deadline = loop.time() + data.wait_s
    gone = asyncio.create_task(until_gone(request))
    try:
        with bound(node_id=data.node_id):
            while True:
                chunk = await server.engine.tests.claim_tests(
                    data.node_id, data.job_id, data.lease_token, step=data.step, request_id=data.request_id
                )
                left_s = deadline - loop.time()
                if chunk.tests or chunk.is_done or left_s <= 0 or server.waiting.is_closed:
                    return chunk
                await asyncio.wait({gone}, timeout=min(_LOOK_EVERY_S, left_s))
                if gone.done():  # looking again would give tests to nobody
                    return chunk
                await server.doorkeeper.check_still_good(caller_of(request))
    finally:
        gone.cancel()


@get("/api/runs/{run_id:uuid}/tests")
async def list_tests(
    run_id: FromPath[UUID],
    server: NamedDependency[Server],
    *,
    status: FromQuery[list[Verdict] | None] = None,
    differs: FromQuery[bool | None] = None,
    flaky: FromQuery[bool | None] = None,
    find: Annotated[str | None, QueryParameter(name="query", max_length=LONGEST_NAME)] = None,
    after: Annotated[str | None, QueryParameter(max_length=10_000)] = None,
    limit: Annotated[int, QueryParameter(ge=1, le=1000)] = 200,
) -> CasePage:
    """The test cases of a run: those with certain verdicts, those that devices differ on, flaky ones, or all."""
    tests = server.engine.tests
    cases = await tests.list_cases(
        run_id,
        verdicts=status,
        differs=differs,
        is_flaky=flaky,
        query=find,
        after=None if after is None else _read_cursor(after),
        limit=limit,
    )
    summary = await tests.count_cases(run_id)
    devices = [] if summary is None else await tests.list_case_devices(run_id)
    return CasePage(
        summary=summary, devices=devices, cases=cases, next=_cursor(cases[-1]) if len(cases) == limit else None
    )


@get("/api/runs/{run_id:uuid}/tests/case")
async def get_test(
    run_id: FromPath[UUID],
    server: NamedDependency[Server],
    *,
    class_name: Annotated[str, QueryParameter(max_length=LONGEST_NAME)],
    name: Annotated[str, QueryParameter(max_length=LONGEST_NAME)],
    step: Annotated[str | None, QueryParameter(max_length=200)] = None,
) -> Case:
    """One test case with the traces of all its results; of the first step that has it, where none is named."""
    return await server.engine.tests.get_case(run_id, class_name, name, step=step)


@get("/api/runs/{run_id:uuid}/junit", media_type="application/xml")
async def get_junit(run_id: FromPath[UUID], server: NamedDependency[Server]) -> Stream:
    """The results of a run's tests as JUnit XML: those so far, while it is going."""
    run = await server.engine.runs.get(run_id)
    suites = await server.engine.tests.list_suites(run_id)
    list_cases = partial(server.engine.tests.list_suite_cases, run_id)
    headers = {
        "cache-control": "private, no-store",
        "x-content-type-options": "nosniff",
        "content-disposition": f'attachment; filename="junit-{run_id}.xml"',
    }
    return Stream(write_junit(run_id, run.name, suites, list_cases), media_type="application/xml", headers=headers)


HANDLERS: Final = [offer_tests, claim_tests, list_tests, get_test, get_junit]


def _cursor(case: Case) -> str:
    place = msgspec.json.encode([case.step, case.class_name, case.name])
    return base64.urlsafe_b64encode(place).decode().rstrip("=")


def _read_cursor(text: str) -> tuple[str, str, str]:
    try:
        place = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
        return read_json(place, tuple[str, str, str])
    except (ValueError, binascii.Error, msgspec.DecodeError) as error:
        raise InvalidRequestError("after must be the next of the page before", path="after") from error
