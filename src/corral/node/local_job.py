"""A local recipe: one worker takes all of its steps, one after the other, in an order in which their needs come first.

Unlike on a device, a failure stops only what needs the failed step, as if the steps had gone to several workers.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from corral.model.errors import ActionFailedError
from corral.model.records import RunSpec
from corral.model.states import StepStatus
from corral.node.actions.registry import NodeAction
from corral.node.job_context import JobContext
from corral.node.steps import TakeSteps
from corral.node.walk import StepEnd
from corral.workflow import Plan, PlannedStep, resolve_plan
from corral.workflow.recipe import Recipe


def read_plan(spec: RunSpec, actions: Mapping[str, NodeAction]) -> Plan:
    """What the job executes. Raises ActionFailedError where this node lacks an action."""
    recipe = msgspec.convert(spec.recipe, Recipe)
    if missing := {step.uses for step in recipe.steps} - actions.keys():
        raise ActionFailedError(f"this node cannot execute {', '.join(sorted(missing))}")
    return resolve_plan(recipe, spec.overrides or None, {name: action.spec for name, action in actions.items()})


async def run_all(job: JobContext, steps: TakeSteps) -> StepEnd:
    """Take every step; how the whole job ended, with what the steps yielded that no other needs."""
    for step in in_order(job.plan.steps):
        await steps.take(job, step)
    for step in job.plan.steps:
        end = job.ended[step.id]
        if end.status is StepStatus.FAILED and not end.is_harmless:
            message = f"step {step.id} failed: {end.error_message or end.failure_reason}"
            return StepEnd(status=StepStatus.FAILED, failure_reason=end.failure_reason, error_message=message)
    needed = {need for step in job.plan.steps for need in step.needs}
    output = {step.id: job.ended[step.id].output for step in job.plan.steps if step.id not in needed}
    return StepEnd(status=StepStatus.SUCCEEDED, output={name: value for name, value in output.items() if value})


def in_order(steps: list[PlannedStep]) -> list[PlannedStep]:
    """The steps as they were written, each after all that it needs."""
    ordered: list[PlannedStep] = []
    waiting, done = list(steps), set[str]()
    while waiting:
        step = next(each for each in waiting if done.issuperset(each.needs))
        waiting.remove(step)
        ordered.append(step)
        done.add(step.id)
    return ordered
