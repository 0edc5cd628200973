"""Execute one job on its phone, from job_started to job_finished, and leave nothing behind.

A job always ends with exactly one job_finished, which repeats how every step ended: succeeded, failed, cancelled (it was
asked to), or interrupted (it may no longer touch the phone, and says nothing about the work).
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, Final
from uuid import UUID

import msgspec
from msgspec import Struct

from corral.model.errors import ActionFailedError, CorralError, DeviceError, TouchForbiddenError
from corral.model.states import FailureReason, StepStatus
from corral.node.actions.registry import NodeAction
from corral.node.bench import Artifacts
from corral.node.devices import Device, Devices
from corral.node.events import clean, clean_text, log_event
from corral.node.failures import describe
from corral.node.fenced_phone import FencedPhone
from corral.node.grace import answers_within
from corral.node.held import HeldJob, StopCause
from corral.node.job_context import JobContext
from corral.node.job_log import JobLog
from corral.node.spool.spool import Spool
from corral.node.steps import TakeSteps, describe_end, describe_step, mark_phone
from corral.node.walk import StepEnd, find_failure, skipped
from corral.telemetry import bound, logger
from corral.workflow import PlannedStep, resolve_plan
from corral.workflow.recipe import Recipe

_GOODBYE_S: Final = 5.0
_MARK_S: Final = 10.0
_LOG_FILE_S: Final = 10.0
_log = logger(__name__)


class JobEnd(Struct, frozen=True, kw_only=True):
    """How a job ended, as job_finished says it."""

    outcome: str
    failure_reason: FailureReason | None = None
    error_message: str | None = None


class RunJobs:
    """Executes jobs with what all of them share."""

    def __init__(
        self,
        *,
        node_id: str,
        spool: Spool,
        devices: Devices,
        artifacts: Artifacts,
        steps: TakeSteps,
        actions: Mapping[str, NodeAction],
        may_touch: Callable[[UUID], bool],
        check_up: Callable[[Device], Awaitable[None]],
        scratch: Path,
    ) -> None:
        self._node_id = node_id
        self._spool = spool
        self._devices = devices
        self._artifacts = artifacts
        self._steps = steps
        self._specs = {name: action.spec for name, action in actions.items()}
        self._may_touch = may_touch
        self._check_up = check_up
        self._scratch = scratch

    async def run(self, held: HeldJob) -> JobEnd:
        """Execute the job; returns once its end is told and its phone is free again."""
        grant = held.grant
        with bound(run_id=str(grant.run_id), device_serial=grant.serial):
            try:
                job = self._prepare(held)
            except CorralError as error:
                _log.error("a job cannot be executed", why=error.message)
                return self.refuse(
                    held, JobEnd(outcome="failed", failure_reason=describe(error).reason, error_message=error.message)
                )
            work = asyncio.create_task(self._work(held, job))
            try:
                end = await self._await_end(held, job, work)
                await self._tell_end(job, end)
            finally:
                work.cancel()
                await asyncio.wait({work})  # a phone that is still being let go of is not free
                await asyncio.to_thread(shutil.rmtree, job.scratch, ignore_errors=True)
        return end

    def refuse(self, held: HeldJob, end: JobEnd) -> JobEnd:
        """End a job that was never started; given back, it costs no attempt."""
        self._spool.put(held.events.make("job_finished", **_tell(end)))
        return end

    def _prepare(self, held: HeldJob) -> JobContext:
        grant, spec = held.grant, held.spec
        recipe = msgspec.convert(spec.recipe, Recipe)
        if missing := {step.uses for step in recipe.steps} - self._specs.keys():
            raise ActionFailedError(f"this node cannot execute {', '.join(sorted(missing))}")
        plan = resolve_plan(recipe, spec.overrides or None, self._specs)
        scratch = self._scratch / f"{grant.job_id}.{grant.fence}"
        scratch.mkdir(parents=True, exist_ok=True)
        events = held.events
        log = JobLog(
            scratch / ".job.log",
            lambda lines: _ignore(
                self._spool.put(log_event(job_id=events.job_id, lease_token=events.lease_token, lines=lines))
            ),
        )
        return JobContext(
            grant=grant,
            spec=spec,
            plan=plan,
            node_id=self._node_id,
            phone=FencedPhone(lambda: self._devices.phone(grant.serial), lambda: self._may_touch(grant.lease_token)),
            scratch=scratch,
            events=events,
            log=log,
        )

    async def _await_end(self, held: HeldJob, job: JobContext, work: asyncio.Task[JobEnd]) -> JobEnd:
        told = asyncio.create_task(held.stopped.wait())
        try:
            await asyncio.wait({work, told}, timeout=job.grant.timeout_s, return_when=asyncio.FIRST_COMPLETED)
        finally:
            told.cancel()
        if work.done():
            return work.result()
        work.cancel()
        await asyncio.wait({work}, timeout=_GOODBYE_S)
        if not work.done():
            _log.error("the device's driver does not let go of a command")
        elif not work.cancelled() and work.exception() is None:
            return work.result()  # it was done first, and a result achieved first stands
        if held.cause is None:
            message = f"the job took longer than {job.grant.timeout_s:g} s"
            return JobEnd(outcome="failed", failure_reason=FailureReason.JOB_TIMEOUT, error_message=message)
        outcome = "cancelled" if held.cause is StopCause.CANCELLED else "interrupted"
        return JobEnd(outcome=outcome, error_message=held.cause.words)

    async def _work(self, held: HeldJob, job: JobContext) -> JobEnd:
        """All steps. The device is this job's alone meanwhile."""
        async with self._devices.exclusively(job.grant.serial) as device:
            # On disk before the phone is touched: a node that dies now must not have worked in secret.
            await self._spool.put(job.events.make("job_started", total=len(job.plan.steps)))
            with held.having_phone():
                return await self._take_steps(job, device)

    async def _take_steps(self, job: JobContext, device: Device) -> JobEnd:
        try:
            lost = await self._greet(job)
            if lost is None:
                await self._check_up(device)
            for step in job.plan.steps:
                if lost is not None:
                    job.ended[step.id] = skipped("stopped")
                else:
                    await self._steps.take(job, step)
        except TouchForbiddenError as error:
            return JobEnd(outcome="interrupted", error_message=error.message)
        failure = lost or find_failure(job.ended)
        if failure is None:
            return JobEnd(outcome="succeeded")
        return JobEnd(outcome="failed", failure_reason=failure.failure_reason, error_message=failure.error_message)

    async def _greet(self, job: JobContext) -> StepEnd | None:
        """The first command on the phone; the failure if it cannot be reached, not even after the grace wait."""
        for is_last in (False, True):
            try:
                async with asyncio.timeout(_MARK_S):
                    await mark_phone(job, job.phone)
            except (DeviceError, TimeoutError) as error:
                if is_last or not await answers_within(job.phone, job.grace_s):
                    return _unreachable(error)
            else:
                return None
        return None

    async def _tell_end(self, job: JobContext, end: JobEnd) -> None:
        if end.error_message is not None and end.outcome != "failed":
            job.say("warning", end.error_message)
        if job.current is not None:
            job.ended[job.current] = _cut_short(end)
        whole_log = job.log.close()
        if whole_log is not None:
            try:
                async with asyncio.timeout(_LOG_FILE_S):
                    await self._artifacts.store(job, whole_log, kind="log", name="job.txt", step=None, waits=False)
            except (CorralError, OSError, TimeoutError) as error:
                _log.warning("a job's whole log could not be kept", why=str(error))
        self._spool.put(job.events.make("job_finished", **_tell(end, job), **_results(job)))


def _unreachable(error: Exception) -> StepEnd:
    if isinstance(error, DeviceError):
        return StepEnd(status=StepStatus.FAILED, failure_reason=error.reason, error_message=error.message)
    message = f"the device did not answer within {_MARK_S:g} s"
    return StepEnd(status=StepStatus.FAILED, failure_reason=FailureReason.DEVICE_OFFLINE, error_message=message)


def _cut_short(end: JobEnd) -> StepEnd:
    """The end of the step that was under way when the job was stopped."""
    if end.outcome == "failed":
        return StepEnd(status=StepStatus.FAILED, failure_reason=end.failure_reason, error_message=end.error_message)
    return StepEnd(status=StepStatus.CANCELLED, error_message=end.error_message)


def _tell(end: JobEnd, job: JobContext | None = None) -> dict[str, Any]:
    secrets = job.secrets if job is not None else ()
    message = None if end.error_message is None else clean_text(end.error_message, secrets)
    return {"outcome": end.outcome, "failure_reason": end.failure_reason, "error_message": message}


def _results(job: JobContext) -> dict[str, Any]:
    """Every step's final state, and what `report` steps kept."""
    kept: dict[str, Any] = {}
    for step in job.plan.steps:
        if step.uses == "report" and step.id in job.ended:
            kept |= job.ended[step.id].output
    return {
        "total": len(job.plan.steps),
        "steps": [_final(job, step) for step in job.plan.steps if step.id in job.ended],
        "output": clean(kept, job.secrets) if kept else None,
    }


def _final(job: JobContext, step: PlannedStep) -> dict[str, Any]:
    told = {**describe_step(job, step), **describe_end(job, job.ended[step.id])}
    return {name: value for name, value in told.items() if value is not None}


def _ignore(_: object) -> None:
    pass
