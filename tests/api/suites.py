"""Tests over HTTP: what a node says of them."""

from typing import Any
from uuid import uuid4

import httpx

from tests.api.client import Node

STEP = "suite"


def cases(count: int) -> list[dict[str, str]]:
    return [{"class_name": "com.example.SomeTest", "name": f"test_{number:03d}"} for number in range(count)]


def result(name: str, status: str = "passed", **fields: object) -> dict[str, Any]:
    told = {"class_name": "com.example.SomeTest", "name": name, "status": status, "duration_s": 0.25, "try": 1}
    return {**told, **fields}


async def offer(node: Node, job: dict[str, Any], tests: list[dict[str, str]], **fields: object) -> httpx.Response:
    return await node.say("tests/offer", {**_lease(job), "tests": tests, **fields})


async def claim(node: Node, job: dict[str, Any], **fields: object) -> httpx.Response:
    return await node.say("tests/claim", {**_lease(job), "request_id": str(uuid4()), **fields})


async def tell(node: Node, job: dict[str, Any], *results: dict[str, Any]) -> None:
    """Tell results, which must be taken."""
    event = node.event(job, "test_results", step=STEP, results=list(results))
    assert await node.call_back(event) == ["applied"]


async def finish(node: Node, job: dict[str, Any], **fields: object) -> None:
    assert await node.call_back(node.event(job, "job_finished", **{"outcome": "succeeded", **fields})) == ["applied"]


def _lease(job: dict[str, Any]) -> dict[str, Any]:
    return {"job_id": job["job_id"], "lease_token": job["lease_token"], "step": STEP}
