"""Execute one step of a distributed run, from step_started to step_finished, with a phone where it asks for one.

Its templates were rendered when it was claimed. A retry is a new claim, by whichever worker comes first; so a step that fails
here has failed once, and the server decides what that means. One that may not go on (its node is stopping, its lease ended)
is given back: it says nothing about the work.
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from corral.drivers.protocol import Phone
from corral.model.errors import CorralError, NotSupportedError, TouchForbiddenError
from corral.model.records import Grant, OfferedPhone, RunSpec
from corral.model.states import FailureReason, StepStatus
from corral.node.actions.registry import NodeAction
from corral.node.bench import Artifacts
from corral.node.devices import Devices
from corral.node.events import clean, clean_text, log_event
from corral.node.failures import describe
from corral.node.fenced_phone import FencedPhone
from corral.node.held import StopCause
from corral.node.held_step import HeldStep
from corral.node.job_context import JobContext
from corral.node.job_log import JobLog
from corral.node.local_job import read_plan, run_all
from corral.node.spool.spool import Spool
from corral.node.steps import TakeSteps, mark_phone
from corral.node.tasks import unless
from corral.node.walk import StepEnd
from corral.telemetry import bound, logger
from corral.wire.steps import ClaimedStep
from corral.workflow import Backoff, Plan, PlannedStep

_GOODBYE_S: Final = 5.0
_LOG_FILE_S: Final = 10.0
_NO_DEVICE: Final = UUID(int=0)
_log = logger(__name__)


class RunSteps:
    """Executes steps with what all of them share."""

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
        scratch: Path,
    ) -> None:
        self._node_id = node_id
        self._spool = spool
        self._devices = devices
        self._artifacts = artifacts
        self._steps = steps
        self._actions = actions
        self._may_touch = may_touch
        self._scratch = scratch
        self._phones: set[str] = set()

    def has_phone(self, serial: str) -> bool:
        """Whether a step has this phone, or waits for it."""
        return serial in self._phones

    async def run(self, held: HeldStep) -> None:
        """Execute the step; returns once its end is told and its phone is free again."""
        with bound(run_id=str(held.step.run_id)):
            async with self._phone_for(held) as phone:
                if held.cause is not None:
                    self.end(held, StepEnd(status=StepStatus.CANCELLED, error_message=held.cause.words))
                    return
                try:
                    job = self._prepare(held, phone)
                except CorralError as error:
                    self.end(held, _unable(error))
                    return
                work = asyncio.create_task(self._work(held, job))
                try:
                    end = await self._await_end(held, work)
                    await self._tell_end(held, job, end)
                finally:
                    work.cancel()
                    await asyncio.wait({work})  # a phone that is still being let go of is not free
                    await asyncio.to_thread(shutil.rmtree, job.scratch, ignore_errors=True)

    def end(self, held: HeldStep, end: StepEnd, *, job: JobContext | None = None) -> None:
        """Tell how the step ended; cancelled, it goes back to its queue, unless its run was cancelled."""
        secrets = held.step.secrets if job is None else job.secrets
        told: dict[str, Any] = {
            "step": held.step.step,
            "status": end.status.value,
            "failure_reason": end.failure_reason,
        }
        if end.error_message is not None:
            told["error_message"] = clean_text(end.error_message, secrets)
        output = clean(end.output, secrets) if end.output else None
        self._spool.put(held.events.make_own("step_finished", **told, output=output))

    @asynccontextmanager
    async def _phone_for(self, held: HeldStep) -> AsyncIterator[OfferedPhone | None]:
        """One of the phones that the step may use, to itself: an idle one, if there is. Not where it is stopped meanwhile."""
        step = held.step
        if not step.phones:
            yield None
            return
        free = [each for each in step.phones if not self.has_phone(each.serial)]
        idle = set(self._devices.list_idle())
        phone = next((each for each in free if each.serial in idle), (free or step.phones)[0])
        self._phones.add(phone.serial)
        try:
            async with AsyncExitStack() as stack:
                await unless(held.stopped, stack.enter_async_context(self._devices.exclusively(phone.serial)))
                yield phone
        finally:
            self._phones.discard(phone.serial)

    def _prepare(self, held: HeldStep, phone: OfferedPhone | None) -> JobContext:
        step, events = held.step, held.events
        scratch = self._scratch / f"{step.job_id}.{step.lease_token.hex}"
        scratch.mkdir(parents=True, exist_ok=True)
        log = JobLog(
            scratch / ".job.log",
            lambda lines: _ignore(
                self._spool.put(log_event(job_id=events.job_id, lease_token=events.lease_token, lines=lines))
            ),
        )
        job = JobContext(
            grant=_grant(step, phone),
            spec=held.spec or _spec(step),
            plan=read_plan(held.spec, self._actions)
            if held.spec
            else Plan(timeout_s=step.timeout_s, repeatable=True, steps=[]),
            node_id=self._node_id,
            phone=FencedPhone(lambda: self._find_phone(phone), lambda: self._may_touch(step.lease_token)),
            scratch=scratch,
            events=events,
            log=log,
            is_device=False,
        )
        job.secrets.update(step.secrets)
        return job

    def _find_phone(self, phone: OfferedPhone | None) -> Phone:
        if phone is None:
            raise NotSupportedError("this step has no phone")
        return self._devices.phone(phone.serial)

    async def _work(self, held: HeldStep, job: JobContext) -> StepEnd:
        step = held.step
        # On disk before anything is done: a node that dies now must not have worked in secret.
        await self._spool.put(held.events.make_own("step_started", step=step.step, attempt=step.attempt))
        try:
            if held.spec is not None:
                return await run_all(job, self._steps)
            planned = self._plan(step)
            if job.grant.serial:
                await mark_phone(job, job.phone)
            end = await self._steps.perform(job, planned, step.with_)
        except TouchForbiddenError as error:
            return StepEnd(status=StepStatus.CANCELLED, error_message=error.message)
        except CorralError as error:  # the phone could not even be marked
            return _unable(error)
        if end.error_message is not None:
            job.say("error", end.error_message, step=step.step)
        return end

    async def _await_end(self, held: HeldStep, work: asyncio.Task[StepEnd]) -> StepEnd:
        told = asyncio.create_task(held.stopped.wait())
        limit_s = held.step.timeout_s if held.spec is not None else None  # a single step's is the action's own
        try:
            await asyncio.wait({work, told}, timeout=limit_s, return_when=asyncio.FIRST_COMPLETED)
        finally:
            told.cancel()
        if work.done():
            return work.result()
        work.cancel()
        await asyncio.wait({work}, timeout=_GOODBYE_S)
        if not work.done():
            _log.error("an action does not let go")
        elif not work.cancelled() and work.exception() is None:
            return work.result()  # it was done first, and a result achieved first stands
        if held.cause is None:
            message = f"the job took longer than {held.step.timeout_s:g} s"
            return StepEnd(status=StepStatus.FAILED, failure_reason=FailureReason.JOB_TIMEOUT, error_message=message)
        return StepEnd(status=StepStatus.CANCELLED, error_message=held.cause.words)

    async def _tell_end(self, held: HeldStep, job: JobContext, end: StepEnd) -> None:
        if end.status is StepStatus.CANCELLED and held.cause is not StopCause.LOST:
            job.say("warning", end.error_message or "given back", step=held.step.step)
        whole_log = job.log.close()
        if whole_log is not None:
            try:
                async with asyncio.timeout(_LOG_FILE_S):
                    await self._artifacts.store(job, whole_log, kind="log", name="job.txt", step=None, waits=False)
            except (CorralError, OSError, TimeoutError) as error:
                _log.warning("a step's whole log could not be kept", why=str(error))
        self.end(held, end, job=job)

    def _plan(self, step: ClaimedStep) -> PlannedStep:
        uses = step.action or ""
        action = self._actions.get(uses)
        return PlannedStep(
            position=0,
            id=step.step,
            uses=uses,
            title=step.title or "",
            with_={},
            needs=[],
            when=None,
            for_each=None,
            sequential=False,
            probability=1.0,
            timeout_s=step.timeout_s,
            timeout_bounds_s=(step.timeout_s, step.timeout_s),
            upload_timeout_s=step.timeout_s,
            on_failure="stop",
            retries=0,
            backoff=Backoff(),
            continue_on_failure=False,
            repeatable=action is not None and action.spec.repeatable,
            requires=[],
        )


def _grant(step: ClaimedStep, phone: OfferedPhone | None) -> Grant:
    """The step as jobs of phones are described; without a phone, its serial is empty."""
    return Grant(
        job_id=step.job_id,
        run_id=step.run_id,
        device_id=_NO_DEVICE,
        serial="" if phone is None else phone.serial,
        runtime_handle=None,
        lease_token=step.lease_token,
        fence=0,
        attempt=step.attempt,
        priority=0,
        position=0,
        timeout_s=step.timeout_s,
        index_no=0 if phone is None else phone.index_no,
        label=None if phone is None else phone.label,
        model=None if phone is None else phone.model,
        os_version=None if phone is None else phone.os_version,
        tags=[] if phone is None else phone.tags,
    )


def _spec(step: ClaimedStep) -> RunSpec:
    """The run as far as a single step is told of it: what is secret in it is in the step's own list."""
    return RunSpec(
        run_id=step.run_id,
        workflow_id=_NO_DEVICE,
        workflow_name=step.run.workflow,
        workflow_version=step.run.workflow_version,
        recipe={},
        params={},
        secret_params={},
        overrides={},
        policy=step.run.policy,
        seed="",
        youtube_video_id=step.run.youtube_video_id,
        name=step.run.name,
    )


def _unable(error: CorralError) -> StepEnd:
    failure = describe(error)
    return StepEnd(status=StepStatus.FAILED, failure_reason=failure.reason, error_message=failure.message)


def _ignore(_: object) -> None:
    pass
