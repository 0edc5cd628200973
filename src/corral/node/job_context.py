"""Everything that one job's execution knows, in one place; made when the job starts and gone with it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal
from uuid import UUID

from corral.model.records import Grant, RunSpec
from corral.model.states import StepStatus
from corral.node.events import JobEvents, clean_text
from corral.node.fenced_phone import FencedPhone
from corral.node.job_log import JobLog
from corral.node.walk import StepEnd
from corral.workflow import Context, DeviceContext, Plan, RunContext, StepContext, collect_secrets


@dataclass(kw_only=True, slots=True)
class JobContext:
    """`secrets` grows while templates are rendered; whatever is told is cleaned of all of them."""

    grant: Grant
    spec: RunSpec
    plan: Plan
    node_id: str
    phone: FencedPhone
    scratch: Path
    events: JobEvents
    log: JobLog
    ended: dict[str, StepEnd] = field(default_factory=dict)
    current: str | None = None
    """The step that has started and not ended."""

    secrets: set[str] = field(default_factory=set)
    is_device: bool = True
    """Whether it is a job of a phone, rather than of a worker."""

    def __post_init__(self) -> None:
        self.secrets.update(collect_secrets(self.spec.secret_params.values()))

    @property
    def token(self) -> UUID:
        return self.grant.lease_token

    @property
    def run(self) -> RunContext:
        return RunContext(
            run_id=str(self.spec.run_id),
            job_id=str(self.grant.job_id),
            attempt=self.grant.attempt,
            name=self.spec.name,
            workflow=self.spec.workflow_name,
            workflow_version=self.spec.workflow_version,
            node_id=self.node_id,
            youtube_video_id=self.spec.youtube_video_id or "",
        )

    @property
    def device(self) -> DeviceContext:
        return DeviceContext(
            serial=self.grant.serial,
            index=self.grant.index_no,
            node_id=self.node_id,
            label=self.grant.label or "",
            model=self.grant.model or "",
            os_version=self.grant.os_version or "",
            tags=self.grant.tags,
        )

    @property
    def grace_s(self) -> float:
        """How long a phone that stopped answering is waited for."""
        grace = self.spec.policy.get("grace_wait_s", 15.0)
        return float(grace) if isinstance(grace, int | float) else 15.0

    def see(self) -> Context:
        """What templates see now."""
        steps = {name: StepContext(status=_status(end), output=end.output) for name, end in self.ended.items()}
        return Context(
            run=self.run,
            device=self.device,
            params=self.spec.params,
            secret_params=self.spec.secret_params,
            steps=steps,
        )

    def say(self, level: str, message: str, *, step: str | None = None) -> None:
        """A line for the job's log, cleaned."""
        self.log.add(level, clean_text(message, self.secrets), step=step)


def _status(end: StepEnd) -> Literal["succeeded", "failed", "skipped"]:
    if end.status is StepStatus.SUCCEEDED:
        return "succeeded"
    return "failed" if end.status is StepStatus.FAILED else "skipped"
