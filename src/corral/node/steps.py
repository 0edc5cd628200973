"""Take one step of a job: draw, condition, templates, attempts, grace; and tell of each as it happens.

Whatever an action raises is the step's failure and nobody else's. Only two things pass: cancellation, and
TouchForbiddenError, by which the whole job is interrupted.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from corral.drivers.protocol import Phone
from corral.model.errors import CorralError, TouchForbiddenError
from corral.model.states import FailureReason, StepStatus
from corral.node.actions.registry import NodeAction
from corral.node.bench import Artifacts, StepBench
from corral.node.events import clean, clean_text
from corral.node.failures import Failure, asks_for_grace, describe, never_started
from corral.node.files import InputFiles
from corral.node.grace import answers_within
from corral.node.job_context import JobContext
from corral.node.sharing import ShareTests
from corral.node.spool.spool import Spool
from corral.node.walk import SkipCause, StepEnd, find_skip_cause, skipped
from corral.telemetry import logger
from corral.workflow import PlannedStep, draw, evaluate_when, executes, render

_MOST_GRACES: Final = 3
_log = logger(__name__)


class StepFailedError(CorralError):
    """One attempt of a step failed. Never leaves this module."""

    def __init__(self, failure: Failure, *, is_device_lost: bool = False) -> None:
        super().__init__(failure.message)
        self.failure = failure
        self.is_device_lost = is_device_lost


class TakeSteps:
    """Executes steps with what all jobs of the node share."""

    def __init__(
        self,
        *,
        spool: Spool,
        artifacts: Artifacts,
        files: InputFiles,
        tests: ShareTests,
        actions: Mapping[str, NodeAction],
        allows_shell: bool,
        adb_program: Path | None = None,
    ) -> None:
        self._spool = spool
        self._artifacts = artifacts
        self._files = files
        self._tests = tests
        self._actions = actions
        self._allows_shell = allows_shell
        self._adb_program = adb_program

    async def take(self, job: JobContext, step: PlannedStep) -> StepEnd:
        """How the step ended, after everybody was told."""
        drawn = draw(job.spec.seed, job.grant.serial, step.id)
        told: dict[str, Any] = {"probability": step.probability, "draw": drawn, "decision": "execute"}
        cause = find_skip_cause(step, job.ended, is_device=job.is_device)
        if cause is None and not executes(step.probability, drawn):
            cause, told["decision"] = "draw", "skip"
        if cause is not None:
            return self._skip(job, step, cause, told)
        try:
            if not evaluate_when(step.when, job.see()):
                return self._skip(job, step, "when", told)
            rendered = render(step.with_, job.see())
            job.secrets.update(rendered.secrets)
            self._actions[step.uses].spec.read_args(rendered.value)
        except CorralError as error:
            self._tell_start(job, step, attempt=1, told=told)
            return self._end(job, step, _failed(step, 1, StepFailedError(describe(error))))
        told["input"] = clean(rendered.value, job.secrets)
        return self._end(job, step, await self._attempts(job, step, rendered.value, told))

    async def perform(self, job: JobContext, step: PlannedStep, args: dict[str, Any]) -> StepEnd:
        """One attempt, with arguments that are rendered already. Nobody is told: that is the caller's."""
        if step.uses not in self._actions:
            unable = Failure(FailureReason.ACTION_FAILED, f"this node cannot execute {step.uses}")
            return _failed(step, 1, StepFailedError(unable))
        try:
            output = await self._attempt(job, step, args)
        except StepFailedError as failed:
            return _failed(step, 1, failed)
        return StepEnd(status=StepStatus.SUCCEEDED, output=output)

    async def _attempts(
        self, job: JobContext, step: PlannedStep, args: dict[str, Any], told: dict[str, Any]
    ) -> StepEnd:
        attempt = 0
        while True:
            attempt += 1
            self._tell_start(job, step, attempt=attempt, told=told)
            try:
                output = await self._attempt(job, step, args)
            except StepFailedError as failed:
                if failed.is_device_lost or attempt > step.retries:
                    return _failed(step, attempt, failed)
                job.say("warning", f"attempt {attempt} failed: {failed.message}", step=step.id)
                await asyncio.sleep(step.backoff.delay_s(attempt, random.random()))  # noqa: S311 - no secret
            else:
                return StepEnd(status=StepStatus.SUCCEEDED, attempt=attempt, output=output)

    async def _attempt(self, job: JobContext, step: PlannedStep, args: dict[str, Any]) -> dict[str, Any]:
        """One attempt, repeated only where the phone failed it and repeating is safe."""
        for grace in range(_MOST_GRACES + 1):
            try:
                return await self._act(job, step, args)
            except (TouchForbiddenError, StepFailedError):
                raise
            except Exception as error:
                failure = describe(error)
                if not asks_for_grace(error):
                    if not isinstance(error, CorralError):
                        _log.exception("an action broke", step=step.id, action=step.uses)
                    raise StepFailedError(failure) from error
                job.say("warning", f"{failure.message}; waiting for the device", step=step.id)
                if not await answers_within(job.phone, job.grace_s):
                    raise StepFailedError(failure, is_device_lost=True) from error
                if grace == _MOST_GRACES or not (step.repeatable or never_started(error)):
                    raise StepFailedError(failure) from error
        raise AssertionError("unreachable")

    async def _act(self, job: JobContext, step: PlannedStep, args: dict[str, Any]) -> dict[str, Any]:
        action = self._actions[step.uses]
        bench = StepBench(
            job,
            step_id=step.id,
            artifacts=self._artifacts,
            files=self._files,
            tests=self._tests,
            allows_shell=self._allows_shell,
            adb_program=self._adb_program,
            waits_for_uploads=action.spec.uploads,
        )
        limit = asyncio.timeout(step.timeout_s)
        try:
            async with limit:
                return await action.perform(bench, args)
        except TimeoutError as error:
            if not limit.expired():
                raise StepFailedError(Failure(FailureReason.ACTION_FAILED, "the action timed out by itself")) from error
            reason = FailureReason.UPLOAD_FAILED if action.spec.uploads else FailureReason.STEP_TIMEOUT
            raise StepFailedError(Failure(reason, f"took longer than {step.timeout_s:g} s")) from error

    def _skip(self, job: JobContext, step: PlannedStep, cause: SkipCause, told: dict[str, Any]) -> StepEnd:
        return self._end(job, step, skipped(cause), told)

    def _tell_start(self, job: JobContext, step: PlannedStep, *, attempt: int, told: Mapping[str, Any]) -> None:
        job.current = step.id
        self._spool.put(job.events.make("step_started", **describe_step(job, step), attempt=attempt, **told))

    def _end(self, job: JobContext, step: PlannedStep, end: StepEnd, told: Mapping[str, Any] | None = None) -> StepEnd:
        job.ended[step.id] = end
        job.current = None
        if end.error_message is not None:
            job.say("error", end.error_message, step=step.id)
        output = clean(end.output, job.secrets) if end.output else None
        event = job.events.make(
            "step_finished", **describe_step(job, step), **describe_end(job, end), output=output, **(told or {})
        )
        self._spool.put(event)
        return end


def describe_step(job: JobContext, step: PlannedStep) -> dict[str, Any]:
    """What a step is, as events say it; positions count from 1, so that the last one's is the total."""
    return {
        "step": step.id,
        "position": step.position + 1,
        "total": len(job.plan.steps),
        "title": step.title or None,
        "action": step.uses,
    }


def describe_end(job: JobContext, end: StepEnd) -> dict[str, Any]:
    """How a step ended, as events say it. Its output is told once, by step_finished."""
    return {
        "status": end.status.value,
        "attempt": end.attempt,
        "skip_cause": end.skip_cause,
        "failure_reason": end.failure_reason,
        "error_message": None if end.error_message is None else clean_text(end.error_message, job.secrets),
    }


async def mark_phone(job: JobContext, phone: Phone) -> None:
    """Say on the phone itself whose commands follow. Harmless anywhere, and what a device's own log can be read by."""
    await phone.shell(f": corral-job={job.grant.job_id} fence={job.grant.fence}")


def _failed(step: PlannedStep, attempt: int, failed: StepFailedError) -> StepEnd:
    return StepEnd(
        status=StepStatus.FAILED,
        attempt=attempt,
        failure_reason=failed.failure.reason,
        error_message=failed.failure.message,
        is_harmless=step.continue_on_failure,
        is_device_lost=failed.is_device_lost,
    )
