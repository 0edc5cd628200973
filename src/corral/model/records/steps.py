"""Steps: of any job, and of distributed ones as workers claim and end them."""

from datetime import datetime
from typing import Any
from uuid import UUID

from msgspec import Struct

from corral.model.states import EventOutcome, FailureReason, StepStatus


class Step(Struct, frozen=True):
    """One step of a job, under the attempt of the job that it belongs to."""

    job_id: UUID
    job_attempt: int
    name: str
    position: int
    title: str | None
    description: str | None
    action: str | None
    spec: Any
    channel_id: UUID | None
    needs: list[str]
    requires: list[str]
    priority: int
    status: StepStatus
    attempt: int
    max_attempts: int
    continue_on_failure: bool
    lease_owner: str | None
    lease_token: UUID | None
    lease_until: datetime | None
    probability: float | None
    draw: float | None
    decision: str | None
    skip_cause: str | None
    input: Any
    output: Any
    failure_reason: str | None
    error_message: str | None
    created_at: datetime
    granted_at: datetime | None
    started_at: datetime | None
    finished_at: datetime | None


class NewStep(Struct, frozen=True, omit_defaults=True):
    """A step to add to a distributed job. It is ready once the steps named in `needs` have ended."""

    name: str
    action: str | None = None
    needs: list[str] = []
    requires: list[str] = []
    title: str | None = None
    description: str | None = None
    spec: Any = None
    input: Any = None
    channel_id: UUID | None = None
    priority: int | None = None
    position: int | None = None
    continue_on_failure: bool = False
    max_attempts: int = 1
    backoff_s: float = 0
    backoff_factor: float = 2
    backoff_max_s: float = 3600
    backoff_jitter: float = 0
    is_repeatable: bool = True
    timeout_s: float | None = None
    probability: float | None = None


class StepGrant(Struct, frozen=True, gc=False):
    """A step leased to a node."""

    job_id: UUID
    run_id: UUID
    name: str
    position: int
    title: str | None
    description: str | None
    action: str | None
    spec: Any
    input: Any
    needs: list[str]
    channel_id: UUID | None
    priority: int
    attempt: int
    lease_token: UUID
    timeout_s: float
    continue_on_failure: bool
    probability: float | None


class GraphStep(Struct, frozen=True):
    """A step of a distributed job as its graph shows it."""

    step: str
    position: int
    title: str | None
    action: str | None
    needs: list[str]
    requires: list[str]
    status: StepStatus
    attempt: int
    max_attempts: int
    node_id: str | None
    skip_cause: str | None
    failure_reason: str | None
    error_message: str | None
    continue_on_failure: bool
    ready_at: datetime | None
    started_at: datetime | None
    finished_at: datetime | None


class StepEnding(Struct, frozen=True):
    """How a step ended and what it yielded, for the templates of later ones."""

    job_id: UUID
    name: str
    status: StepStatus
    output: Any


class StepResult(Struct, frozen=True, omit_defaults=True, gc=False):
    """What a node says about a step that it holds; `status` cancelled gives the step back."""

    job_id: UUID
    step: str
    lease_token: UUID
    status: StepStatus
    output: Any = None
    error_message: str | None = None
    failure_reason: FailureReason | None = None
    skip_cause: str | None = None
    retryable: bool = True


class StepOutcome(Struct, frozen=True, gc=False):
    """What became of one result: applied, duplicate or stale."""

    job_id: UUID
    step: str
    outcome: EventOutcome


class StepExchange(Struct, frozen=True):
    """What became of the results that a node brought, in their order, and the steps that it got for them."""

    outcomes: list[StepOutcome]
    grants: list[StepGrant]
