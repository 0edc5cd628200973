"""Runs, and what is told of a whole run."""

from datetime import datetime
from uuid import UUID

from msgspec import Struct

from corral.model.reasons import WaitReason
from corral.model.records.values import Json
from corral.model.states import JobStatus, RunStatus


class Run(Struct, frozen=True):
    """One request to execute a workflow on a target. Secret params are never here."""

    run_id: UUID
    workflow_id: UUID
    workspace: str
    name: str
    mode: str
    target: Json
    params: Json
    overrides: Json
    policy: Json
    priority: int
    seed: str
    youtube_video_id: str | None
    source_type: str | None
    source_id: str | None
    created_by: str | None
    retry_of: UUID | None
    replay_of: UUID | None
    status: RunStatus
    total_jobs: int
    waiting: int
    leased: int
    succeeded: int
    failed: int
    cancelled: int
    skipped_offline: int
    version: int
    last_error_message: str | None
    cancel_requested_at: datetime | None
    fanned_out_at: datetime | None
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    reviewed_at: datetime | None


class Explanation(Struct, frozen=True):
    """Why a job that has not started waits. `ahead` counts the jobs before it on its device."""

    job_id: UUID
    device_id: UUID | None
    index_no: int | None
    serial: str | None
    node_id: str | None
    status: JobStatus
    reason: WaitReason
    message: str
    since: datetime
    ahead: int
    ahead_run_id: UUID | None
    expected_start_at: datetime | None
    step: str | None = None
    """Of a distributed run: the step that waits to be claimed."""


class StepTally(Struct, frozen=True):
    """How one step went over all jobs of a run, each by its present attempt.

    `chosen` and `left_out` are the draws: of the jobs that came as far as the step, those that it fell to and those that it
    did not. The rest count how it ended, or that it goes on; `skipped` leaves out the draws. `median_s` is of those that ended.
    """

    position: int
    step: str
    title: str | None
    action: str | None
    probability: float
    jobs: int
    chosen: int
    left_out: int
    running: int
    succeeded: int
    failed: int
    skipped: int
    cancelled: int
    median_s: float | None


class RunLogLine(Struct, frozen=True):
    """One log line of a run; numbers count up, with gaps."""

    line_no: int
    job_id: UUID
    index_no: int | None
    serial: str | None
    attempt: int
    at: datetime
    level: str
    step: str | None
    message: str


class RunSpec(Struct, frozen=True):
    """What a node needs to execute jobs of a run, secrets included. Never shown to people."""

    run_id: UUID
    workflow_id: UUID
    workflow_name: str
    workflow_version: int
    recipe: Json
    params: Json
    secret_params: Json
    overrides: Json
    policy: Json
    seed: str
    youtube_video_id: str | None
    name: str = ""
