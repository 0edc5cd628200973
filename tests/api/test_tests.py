"""Tests over HTTP: nodes offer, claim and tell; operators read, as JSON and as JUnit XML."""

import asyncio
from typing import Any
from uuid import uuid4

import httpx
import pytest

from tests.api.client import AS_NODE, AS_OPERATOR, Node, Operator
from tests.api.suites import STEP, cases, claim, finish, offer, result, tell
from tests.junit_schema import check_junit

CLASS = "com.example.SomeTest"


async def given_jobs(operator: Operator, node: Node, count: int = 2) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    await node.register(*(f"R58M{number}" for number in range(1, count + 1)))
    run = await operator.given_run()
    return run, (await node.pull())["jobs"]


async def list_tests(operator: Operator, run: dict[str, Any], **query: object) -> dict[str, Any]:
    answer = await operator.get(f"/api/runs/{run['run_id']}/tests", params=query)
    assert answer.status_code == 200, answer.text
    page: dict[str, Any] = answer.json()
    return page


async def test_two_phones_share_a_suite_from_the_offer_to_the_junit_file(operator: Operator, node: Node) -> None:
    run, jobs = await given_jobs(operator, node)
    assert (await offer(node, jobs[0], cases(10), test_retries=1)).json() == {"total": 10, "is_first": True}
    assert (await offer(node, jobs[1], cases(10), test_retries=1)).json() == {"total": 10, "is_first": False}

    working, failed = list(jobs), set()
    while working:
        job = working.pop(0)
        chunk = (await claim(node, job)).json()
        for each in chunk["tests"]:
            is_bad = each["name"] == "test_003" or (each["name"] == "test_004" and each["try"] == 1)
            failed |= {job["job_id"]} if is_bad and each["try"] == 2 else set()
            status = "failed" if is_bad else "passed"
            await tell(
                node, job, result(each["name"], status, **{"try": each["try"], "message": "no", "trace": "at x"})
            )
        working += [] if chunk["is_done"] else [job]
    for job in jobs:
        bad = {"outcome": "failed", "failure_reason": "tests_failed", "error_message": "1 test failed"}
        await finish(node, job, **(bad if job["job_id"] in failed else {}))

    view = (await operator.monitor(run))["run"]
    assert view["status"] == "completed_with_errors"
    summary = {
        "total": 10,
        "passed": 9,
        "failed": 1,
        "errored": 0,
        "skipped": 0,
        "flaky": 1,
        "pending": 0,
        "running": 0,
    }
    assert view["tests"] == summary
    page = await list_tests(operator, run)
    assert page["summary"] == summary
    assert [device["index"] for device in page["devices"]] == [1, 2]
    assert page["next"] is None
    (flaky,) = (await list_tests(operator, run, flaky="true"))["cases"]
    assert (flaky["name"], [each["status"] for each in flaky["results"]]) == ("test_004", ["failed", "passed"])
    tiles = (await operator.monitor(run))["heatmap"]["items"]
    assert [tile["failure_reason"] for tile in tiles if tile["activity"] == "error"] == ["tests_failed"]

    answer = await operator.get(f"/api/runs/{run['run_id']}/junit")
    assert answer.headers["content-type"] == "application/xml"
    root = check_junit(answer.content)
    assert sorted(case.get("name", "") for case in root.iter("testcase")) == [case["name"] for case in cases(10)]
    assert [case.get("name") for case in root.iter("testcase") if case.find("failure") is not None] == ["test_003"]
    outputs = {case.get("name"): case.findtext("system-out", "") for case in root.iter("testcase")}
    assert "flaky" in outputs["test_004"]
    assert outputs["test_004"].count("try 1 on") == 1
    assert "try 1 on" in outputs["test_003"]


async def test_every_phones_results_make_a_suite_of_their_own(operator: Operator, node: Node) -> None:
    run, jobs = await given_jobs(operator, node)
    for job, status in zip(jobs, ("passed", "failed"), strict=True):
        await tell(node, job, result("a", status, message="]]> \u0001", trace="<at>"), result("b", "skipped"))

    page = await list_tests(operator, run, differs="true")
    assert [(case["name"], case["verdict"]) for case in page["cases"]] == [("a", "failed")]
    assert [each["index"] for each in page["cases"][0]["results"]] == [1, 2]
    assert {each["trace"] for each in page["cases"][0]["results"]} == {None}

    answer = await operator.get(f"/api/runs/{run['run_id']}/tests/case", params={"class_name": CLASS, "name": "a"})
    assert [each["trace"] for each in answer.json()["results"]] == ["<at>", "<at>"]
    root = check_junit((await operator.get(f"/api/runs/{run['run_id']}/junit")).content)
    assert [(suite.get("name"), suite.get("tests")) for suite in root] == [
        ("suite on 1 (R58M1)", "2"),
        ("suite on 2 (R58M2)", "2"),
    ]


async def test_what_no_phone_executed_is_an_error_in_the_junit_file(operator: Operator, node: Node) -> None:
    run, (one, two) = await given_jobs(operator, node)
    await offer(node, one, cases(3))
    (only,) = (await claim(node, one)).json()["tests"]
    await tell(node, one, result(only["name"]))
    for job in (one, two):
        await finish(node, job, outcome="failed", failure_reason="device_offline")

    root = check_junit((await operator.get(f"/api/runs/{run['run_id']}/junit")).content)

    assert [(suite.get("name"), suite.get("errors")) for suite in root] == [
        ("suite on 1 (R58M1)", "0"),
        ("suite on no phone", "2"),
    ]
    assert {error.get("message") for error in root.iter("error")} == {"not run: no phone was left"}


async def test_pages_follow_one_another(operator: Operator, node: Node) -> None:
    run, (job, _) = await given_jobs(operator, node)
    await tell(node, job, *(result(f"t{number:02d}") for number in range(25)))
    seen: list[str] = []
    after = None
    while True:
        page = await list_tests(operator, run, limit=10, **({} if after is None else {"after": after}))
        seen += [case["name"] for case in page["cases"]]
        if (after := page["next"]) is None:
            break

    assert seen == [f"t{number:02d}" for number in range(25)]
    assert len((await list_tests(operator, run, query="T1"))["cases"]) == 10
    assert (await list_tests(operator, run, status=["failed", "errored"]))["cases"] == []


async def test_a_spare_waits_and_gets_the_tests_of_a_phone_that_died(operator: Operator, node: Node) -> None:
    _, (one, two) = await given_jobs(operator, node)
    await offer(node, one, cases(1))
    (only,) = (await claim(node, one)).json()["tests"]
    assert (await claim(node, two)).json() == {"tests": [], "is_done": False}

    waiting = asyncio.create_task(claim(node, two, wait_s=30))
    await finish(node, one, outcome="failed", failure_reason="device_offline")

    assert (await waiting).json() == {"tests": [only], "is_done": False}
    await tell(node, two, result(only["name"]))
    assert (await claim(node, two, wait_s=30)).json() == {"tests": [], "is_done": True}


async def test_a_repeated_request_is_answered_alike(operator: Operator, node: Node) -> None:
    _, (job, _) = await given_jobs(operator, node)
    await offer(node, job, cases(8))
    request_id = str(uuid4())

    first = (await claim(node, job, request_id=request_id)).json()

    assert first["tests"] == [{**case, "try": 1} for case in cases(2)]
    assert (await claim(node, job, request_id=request_id)).json() == first


async def test_what_is_not_a_live_lease_or_not_offered_is_refused(operator: Operator, node: Node) -> None:
    _, (one, two) = await given_jobs(operator, node)
    stranger = {**one, "lease_token": str(uuid4())}

    for answer in (await offer(node, stranger, cases(1)), await claim(node, stranger, wait_s=30)):
        assert (answer.status_code, answer.json()["error"]["code"]) == (409, "lease_lost")
        assert answer.json()["error"]["path"] == "lease_token"
    answer = await claim(node, two)
    assert (answer.status_code, answer.json()["error"]["path"]) == (404, "step")


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ({"tests": [{"class_name": "a", "name": ""}]}, "tests[0].name"),
        ({"tests": [{"class_name": "a" * 501, "name": "b"}]}, "tests[0].class_name"),
        ({"tests": [{"name": "b"}]}, "tests[0]"),
        ({"tests": [], "chunk": "colour"}, "chunk"),
        ({"tests": [], "test_retries": -1}, "test_retries"),
        ({"tests": [], "infra_retries": 11}, "infra_retries"),
        ({"tests": [], "step": ""}, "step"),
        ({"tests": [], "colour": "red"}, ""),
    ],
)
async def test_an_offer_that_makes_no_sense_says_where(
    operator: Operator, node: Node, fields: dict[str, Any], path: str
) -> None:
    _, (job, _) = await given_jobs(operator, node)

    answer = await node.say(
        "tests/offer", {"job_id": job["job_id"], "lease_token": job["lease_token"], "step": STEP, **fields}
    )

    assert answer.status_code == 400, answer.text
    assert (answer.json()["error"].get("path") or "").startswith(path)


async def test_what_operators_ask_wrongly_says_where(operator: Operator, node: Node) -> None:
    run, _ = await given_jobs(operator, node)
    path = f"/api/runs/{run['run_id']}/tests"

    for query, where in {
        "after=!!": "after",
        "after=YWJj": "after",
        "limit=0": "limit",
        "status=good": "status",
    }.items():
        answer = await operator.get(f"{path}?{query}")
        assert (answer.status_code, answer.json()["error"]["path"]) == (400, where), query.join(answer.text)
    for missing in (path.replace(run["run_id"], str(uuid4())), f"{path}/case?class_name=a&name=b"):
        assert (await operator.get(missing)).status_code == 404
    assert (await operator.get(f"/api/runs/{uuid4()}/junit")).status_code == 404


async def test_a_run_without_tests_has_an_empty_page_and_an_empty_report(operator: Operator, node: Node) -> None:
    run, _ = await given_jobs(operator, node)

    assert await list_tests(operator, run) == {"summary": None, "devices": [], "cases": [], "next": None}
    assert len(check_junit((await operator.get(f"/api/runs/{run['run_id']}/junit")).content)) == 0


async def test_nodes_offer_and_claim_and_only_operators_read(
    http: httpx.AsyncClient, operator: Operator, node: Node
) -> None:
    run, (job, _) = await given_jobs(operator, node)

    for what in ("offer", "claim"):
        body = {"node_id": "node-1", "job_id": job["job_id"], "lease_token": job["lease_token"], "step": STEP}
        answer = await http.post(f"/api/nodes/tests/{what}", json=body, headers=AS_OPERATOR)
        assert answer.status_code in {401, 403}
    for path in ("tests", "tests/case?class_name=a&name=b", "junit"):
        assert (await http.get(f"/api/runs/{run['run_id']}/{path}", headers=AS_NODE)).status_code in {401, 403}
