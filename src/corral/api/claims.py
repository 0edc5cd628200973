"""What is left to do to a claimed step before a worker can execute it: decide, repeat, collect, render.

It is done here rather than by the worker, so that a worker in any language needs no template engine. What needs no worker
(a step that is skipped, one that repeats, one whose templates fail) is settled on the spot, under the lease that the
worker was given for it.
"""

from collections.abc import Sequence
from typing import Any, Final
from uuid import UUID

import msgspec

from corral.engine import Engine
from corral.model.errors import RenderError
from corral.model.records import OfferedPhone, RunSpec, StepEnding, StepGrant, StepResult
from corral.model.states import FailureReason, StepStatus
from corral.wire.steps import Claimed, ClaimedRun, ClaimedStep
from corral.workflow import (
    WHOLE_JOB,
    Context,
    RunContext,
    StepContext,
    StepPlan,
    draw,
    evaluate_for_each,
    evaluate_when,
    executes,
    render,
    repeat,
)

_MOST_COLLECTED_BYTES: Final = 256 * 1024
_Endings = dict[tuple[UUID, str], StepEnding]


class PrepareSteps:
    """Prepares the steps of one claim."""

    def __init__(self, engine: Engine, *, node_id: str, phones: Sequence[str]) -> None:
        self._engine = engine
        self._node_id = node_id
        self._offered = phones
        self._settled: list[StepResult] = []

    async def prepare(self, grants: Sequence[StepGrant]) -> Claimed:
        """The steps that are the worker's to execute; the others are settled when this returns."""
        plans = {grant.lease_token: _read_plan(grant) for grant in grants}
        specs = {
            spec.run_id: spec for spec in await self._engine.runs.list_run_specs(sorted({g.run_id for g in grants}))
        }
        endings = await self._list_endings(grants, plans)
        phones = await self._list_phones(plans)
        steps: list[ClaimedStep] = []
        for grant in grants:
            plan, spec = plans[grant.lease_token], specs[grant.run_id]
            try:
                step = await self._prepare_one(grant, plan, spec, endings)
            except RenderError as error:
                self._fail(grant, f"{error.path}: {error.message}" if error.path else error.message)
                continue
            if step is not None and plan is not None and plan.phone:
                fit = [phone for phone in phones if set(plan.phone) <= set(phone.capabilities)]
                fit.sort(
                    key=lambda phone: len(phone.capabilities)
                )  # as fn_fit_phones counted on: the others may be needed
                step = msgspec.structs.replace(step, phones=fit)
                if not fit:  # it lost its tag, or was unplugged, as the step was claimed
                    self._settle(grant, StepStatus.CANCELLED)
                    continue
            if step is not None:
                steps.append(step)
        if self._settled:
            await self._engine.steps.complete_steps(self._node_id, self._settled)
        whole = {step.run_id for step in steps if step.step == WHOLE_JOB}
        return Claimed(steps=steps, runs=[specs[run_id] for run_id in sorted(whole)], cancel=[])

    async def _prepare_one(
        self, grant: StepGrant, plan: StepPlan | None, spec: RunSpec, endings: _Endings
    ) -> ClaimedStep | None:
        """The step for its worker, or None where it was settled. Raises RenderError."""
        if plan is None:  # added by hand, not from a recipe: its specification is between its maker and its worker
            return _claimed(grant, spec, grant.spec if isinstance(grant.spec, dict) else {})
        if grant.name == WHOLE_JOB:
            return _claimed(grant, spec, {})
        if plan.of is None and plan.for_each is not None and isinstance(grant.input, dict):
            self._collect(grant, int(grant.input["items"]), endings)
            return None
        context = self._context(grant, plan, spec, endings)
        if plan.of is None and (cause := _skip_cause(grant, plan, spec, context)):
            self._settle(grant, StepStatus.SKIPPED, skip_cause=cause)
            return None
        if plan.for_each is not None:
            items = evaluate_for_each(plan.for_each, context)
            if plan.of is None:
                await self._expand(grant, plan, len(items))
                return None
            context = msgspec.structs.replace(context, item=items[plan.index])
        rendered = render(plan.with_, context)
        return _claimed(grant, spec, rendered.value, secrets=sorted(rendered.secrets))

    def _context(self, grant: StepGrant, plan: StepPlan, spec: RunSpec, endings: _Endings) -> Context:
        told = {name: endings[grant.job_id, name] for name in plan.reads if (grant.job_id, name) in endings}
        return Context(
            run=RunContext(
                run_id=str(grant.run_id),
                job_id=str(grant.job_id),
                attempt=grant.attempt,
                name=spec.name,
                workflow=spec.workflow_name,
                workflow_version=spec.workflow_version,
                node_id=self._node_id,
                youtube_video_id=spec.youtube_video_id or "",
            ),
            params=spec.params,
            secret_params=spec.secret_params,
            steps={name: _see(ending) for name, ending in told.items()},
        )

    async def _expand(self, grant: StepGrant, plan: StepPlan, count: int) -> None:
        """Make a repetition for each item; a list without items is done."""
        if count == 0:
            self._settle(grant, StepStatus.SUCCEEDED, output={"items": [], "count": 0})
            return
        children = repeat(
            grant.name,
            plan,
            action=grant.action,
            title=grant.title,
            needs=grant.needs,
            harmless=grant.continue_on_failure,
            count=count,
        )
        if not await self._engine.steps.expand_step(self._node_id, grant, children):
            self._settle(grant, StepStatus.CANCELLED)

    def _collect(self, grant: StepGrant, count: int, endings: _Endings) -> None:
        """What the repetitions yielded, as the output of the step that they repeat."""
        ended = [endings[grant.job_id, f"{grant.name}[{index}]"] for index in range(count)]
        items = [{"status": _see(each).status, "output": _see(each).output} for each in ended]
        if len(msgspec.json.encode(items)) > _MOST_COLLECTED_BYTES:
            items = [{"status": item["status"], "output": {"is_truncated": True}} for item in items]
        self._settle(grant, StepStatus.SUCCEEDED, output={"items": items, "count": count})

    def _fail(self, grant: StepGrant, message: str) -> None:
        reason = FailureReason.TEMPLATE_ERROR
        self._settle(grant, StepStatus.FAILED, error_message=message[:4000], failure_reason=reason, retryable=False)

    def _settle(self, grant: StepGrant, status: StepStatus, **fields: Any) -> None:  # noqa: ANN401 - the result's own
        self._settled.append(
            StepResult(job_id=grant.job_id, step=grant.name, lease_token=grant.lease_token, status=status, **fields)
        )

    async def _list_endings(self, grants: Sequence[StepGrant], plans: dict[UUID, StepPlan | None]) -> _Endings:
        names: set[str] = set()
        for grant in grants:
            plan = plans[grant.lease_token]
            names.update(plan.reads if plan is not None else ())
            if plan is not None and plan.for_each is not None and isinstance(grant.input, dict):
                names.update(f"{grant.name}[{index}]" for index in range(int(grant.input["items"])))
        if not names:
            return {}
        found = await self._engine.steps.list_endings(sorted({grant.job_id for grant in grants}), sorted(names))
        return {(ending.job_id, ending.name): ending for ending in found}

    async def _list_phones(self, plans: dict[UUID, StepPlan | None]) -> list[OfferedPhone]:
        if not any(plan is not None and plan.phone for plan in plans.values()):
            return []
        return await self._engine.steps.list_phones(self._node_id, self._offered)


def _read_plan(grant: StepGrant) -> StepPlan | None:
    if not isinstance(grant.spec, dict) or "with" not in grant.spec:
        return None
    return msgspec.convert(grant.spec, StepPlan)


def _skip_cause(grant: StepGrant, plan: StepPlan, spec: RunSpec, context: Context) -> str | None:
    if not executes(plan.probability, draw(spec.seed, "", grant.name)):
        return "draw"
    return None if evaluate_when(plan.when, context) else "when"


def _see(ending: StepEnding) -> StepContext:
    output = ending.output if isinstance(ending.output, dict) and ending.status is StepStatus.SUCCEEDED else {}
    match ending.status:
        case StepStatus.SUCCEEDED:
            return StepContext(status="succeeded", output=output)
        case StepStatus.FAILED:
            return StepContext(status="failed")
        case _:
            return StepContext(status="skipped")


def _claimed(grant: StepGrant, spec: RunSpec, with_: dict[str, Any], *, secrets: Sequence[str] = ()) -> ClaimedStep:
    return ClaimedStep(
        job_id=grant.job_id,
        run_id=grant.run_id,
        step=grant.name,
        action=grant.action,
        title=grant.title,
        with_=with_,
        attempt=grant.attempt,
        lease_token=grant.lease_token,
        timeout_s=grant.timeout_s,
        run=ClaimedRun(
            name=spec.name,
            workflow=spec.workflow_name,
            workflow_version=spec.workflow_version,
            youtube_video_id=spec.youtube_video_id,
            policy=spec.policy,
        ),
        secrets=list(secrets),
    )
