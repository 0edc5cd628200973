"""Runs with test results for a browser to look at, told by a node that executes nothing: what a phone would say is scripted."""

from typing import Any
from uuid import uuid4

import httpx

from tests.api.client import Node

CLASSES = ("com.example.shop.LoginTest", "com.example.shop.CheckoutTest", "com.example.feed.FeedTest")
NAMES = ("opens", "rejects_a_wrong_password", "pays_by_card", "scrolls_to_the_end", "keeps_its_place")
TESTS = [(each, name) for each in CLASSES for name in NAMES]
PHONES = 6
EVERYWHERE = ("com.example.shop.LoginTest", "rejects_a_wrong_password")
ON_TWO = ("com.example.shop.CheckoutTest", "pays_by_card")
FLAKY = ("com.example.feed.FeedTest", "scrolls_to_the_end")
SKIPPED = ("com.example.feed.FeedTest", "keeps_its_place")
TRACE = """java.lang.AssertionError: expected:<Paid> but was:<Declined>
\tat org.junit.Assert.fail(Assert.java:89)
\tat com.example.shop.CheckoutTest.pays_by_card(CheckoutTest.kt:42)
\tat java.lang.reflect.Method.invoke(Native Method)"""
RECIPE = """
name: suite
title: Suite
steps:
  - {id: tests, title: Execute the tests, uses: device.shell, with: {command: "true"}}
"""


def result(test: tuple[str, str], status: str, *, number: int = 1, **fields: object) -> dict[str, Any]:
    told = {"class_name": test[0], "name": test[1], "status": status, "try": number, "duration_s": 1.25}
    if status == "failed":
        told |= {"message": "expected:<Paid> but was:<Declined>", "trace": TRACE}
    return {**told, **fields}


def results_of(phone: int) -> list[dict[str, Any]]:
    """What one of the phones, counted from 0, says of every test."""
    told = []
    for test in TESTS:
        if test == FLAKY and phone == 0:
            told += [result(test, "failed"), result(test, "passed", number=2)]
            continue
        fails = test == EVERYWHERE or (test == ON_TWO and phone in {1, 3})
        told.append(result(test, "failed" if fails else "skipped" if test == SKIPPED else "passed"))
    return told


class Lab:
    """A node of phones that say what they are told to."""

    def __init__(self, http: httpx.AsyncClient) -> None:
        self._http = http
        self._node = Node(http, "lab", headers={})

    async def begin(self, *serials: str) -> None:
        await self._node.register(*serials)
        answer = await self._http.post("/api/workflows", content=RECIPE, headers={"content-type": "application/yaml"})
        answer.raise_for_status()

    async def start(self, name: str) -> tuple[str, list[dict[str, Any]]]:
        """A run on all of the node's phones, and its jobs, which have started."""
        target = {"workflow": "suite", "name": name, "target": {"nodes": ["lab"]}}
        run: dict[str, Any] = (await self._http.post("/api/runs", json=target)).json()
        jobs: list[dict[str, Any]] = (await self._node.pull(want=20, wait_s=10))["jobs"]
        await self._node.call_back(*(self._node.event(job, "job_started") for job in jobs))
        return run["run_id"], jobs

    async def tell(self, job: dict[str, Any], results: list[dict[str, Any]]) -> None:
        assert await self._node.call_back(self._node.event(job, "test_results", step="tests", results=results)) == [
            "applied"
        ]

    async def finish(self, job: dict[str, Any], *, outcome: str = "succeeded", **fields: object) -> None:
        await self._node.call_back(self._node.event(job, "job_finished", outcome=outcome, **fields))

    async def share(self, job: dict[str, Any]) -> list[dict[str, Any]]:
        """Offer all tests of the step, and claim the first of them for this phone."""
        said = {"job_id": job["job_id"], "lease_token": job["lease_token"], "step": "tests"}
        tests = [{"class_name": class_name, "name": name} for class_name, name in TESTS]
        (await self._node.say("tests/offer", {**said, "tests": tests, "test_retries": 1})).raise_for_status()
        answer = await self._node.say("tests/claim", {**said, "request_id": str(uuid4())})
        answer.raise_for_status()
        claimed: list[dict[str, Any]] = answer.json()["tests"]
        return claimed


async def given_suite(lab: Lab, name: str) -> str:
    """A run that every phone executed all tests in; its id."""
    run_id, jobs = await lab.start(name)
    for phone, job in enumerate(sorted(jobs, key=lambda each: str(each["serial"]))):
        await lab.tell(job, results_of(phone))
        await lab.finish(job, outcome="failed", failure_reason="tests_failed", error_message="1 test failed")
    return run_id
