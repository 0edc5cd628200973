"""Small recipes to start a test from."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, settings

from corral.workflow import Context, DeviceContext, RunContext, StepContext, find_problems

FUZZ = settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
"""Machines under load are slow; that is no failure."""


def recipe(*steps: dict[str, Any], **members: Any) -> dict[str, Any]:
    """A valid recipe, unless the given members or steps spoil it."""
    return {"name": "smoke", "steps": list(steps) or [step("look")], **members}


def step(step_id: str, uses: str = "device.screenshot", **members: Any) -> dict[str, Any]:
    if "with_" in members:
        members["with"] = members.pop("with_")
    return {"id": step_id, "uses": uses, **members}


def report(step_id: str, message: str = "hello", **members: Any) -> dict[str, Any]:
    return step(step_id, "report", with_={"message": message}, **members)


def problems_of(source: object) -> list[tuple[str, str]]:
    return [(problem.path, problem.message) for problem in find_problems(source)]


def paths_of(source: object) -> list[str]:
    return [path for path, _ in problems_of(source)]


def context(**members: Any) -> Context:
    steps = members.pop("steps", {"open": StepContext(status="succeeded", output={"pid": 7, "items": [1, 2]})})
    device = DeviceContext(serial="ABC123", index=3, node_id="node-1", tags=["lab"])
    return Context(run=RunContext(run_id="r1", job_id="j1"), device=device, steps=steps, **members)
