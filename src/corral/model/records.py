"""What the engine hands out, as plain data. Field names are column names."""

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from msgspec import Struct

from corral.model.reasons import WaitReason
from corral.model.states import (
    Connection,
    EventOutcome,
    FailureReason,
    Health,
    JobStatus,
    RunStatus,
    ScanStatus,
    StepStatus,
)

Json = dict[str, Any]
DeviceActivity = Literal["running", "waiting", "idle", "quarantined", "offline"]


class Registration(Struct, frozen=True):
    """A node's registration: the epoch that its calls must carry from now on."""

    epoch: int
    lease_s: float
    requeued: int


class Heartbeat(Struct, frozen=True):
    """What a heartbeat tells the node: how long it may go on, what it must stop, cancel or scan, what it got wrong."""

    lease_s: float
    lost: list[UUID]
    cancel: list[UUID]
    scans: list[Json]
    draining: bool
    refused: list[str]


class News(Struct, frozen=True):
    """Why a node's waiting pull should be answered: work to be granted, tokens whose work should stop, screens to show.

    `inputs` says how far what holders did to their phones goes, by lease token; `tunnels` are those that wait for it.
    """

    node_id: str
    has_work: bool
    cancel: list[UUID]
    watch: list[UUID] = []
    inputs: dict[UUID, int] = {}
    tunnels: list[UUID] = []


class Watch(Struct, frozen=True):
    """A device whose screen somebody looks at, for so many seconds unless they go on."""

    device_id: UUID
    serial: str
    for_s: float


class Picture(Struct, frozen=True):
    """What a device's screen last showed, or why it showed nothing, and how long ago."""

    stored_at: datetime
    age_s: float
    content_type: str | None
    content: bytes | None
    error_message: str | None


class Node(Struct, frozen=True):
    """A machine that runs work."""

    node_id: str
    name: str
    capabilities: list[str]
    labels: Json
    max_concurrency: int
    lookahead: int
    epoch: int
    lease_until: datetime
    version: str | None
    meta: Json
    draining: bool
    registered_at: datetime
    last_heartbeat_at: datetime
    online: bool


class Device(Struct, frozen=True):
    """One phone on one node."""

    device_id: UUID
    node_id: str
    serial: str
    index_no: int
    runtime_handle: str | None
    label: str | None
    tags: list[str]
    model: str | None
    os_version: str | None
    battery: int | None
    temperature: float | None
    connection: Connection
    health: Health
    health_reason: str | None
    contested_node_id: str | None
    last_error_message: str | None
    changed_at: datetime
    online: bool
    activity: DeviceActivity
    held_by: str | None = None
    """Who holds it in a session, if somebody does."""
    session_id: UUID | None = None


class DeviceJob(Struct, frozen=True):
    """One job of a device's history. `position` counts up within a device."""

    position: int
    job_id: UUID
    run_id: UUID
    run_name: str
    workflow: str
    workflow_version: int
    node_id: str | None
    status: JobStatus
    attempt: int
    failure_reason: FailureReason | None
    error_message: str | None
    queued_at: datetime
    started_at: datetime | None
    finished_at: datetime | None


class DeviceSample(Struct, frozen=True):
    """How a device was at a moment."""

    at: datetime
    battery: int | None
    temperature: float | None


class HealthChange(Struct, frozen=True):
    """A change of a device's health: from when on, why, and by whom: an operator's name, or `node:<id>`."""

    at: datetime
    health: Health
    reason: str | None
    changed_by: str


class Workflow(Struct, frozen=True):
    """A versioned, immutable recipe of steps."""

    workflow_id: UUID
    name: str
    version: int
    mode: str
    recipe: Json
    created_by: str | None
    created_at: datetime


class Command(Struct, frozen=True):
    """A command asset: a reusable step. `revision` counts its changes."""

    command_id: UUID
    name: str
    title: str | None
    description: str | None
    uses: str
    with_params: Json
    params: Json
    timeout_s: float | None
    timeout_bounds_s: list[float] | None
    on_failure: str | None
    retries: int | None
    repeatable: bool | None
    tags: list[str]
    revision: int
    used_by: list[str]
    created_at: datetime
    updated_at: datetime


class Playbook(Struct, frozen=True):
    """An ordered choice of command assets, and the workflow version that it was compiled to.

    Outdated when one of its commands was changed since.
    """

    playbook_id: UUID
    name: str
    title: str | None
    description: str | None
    timeout_s: float | None
    defaults: Json
    steps: list[Json]
    workflow_id: UUID
    workflow_version: int
    is_outdated: bool
    created_at: datetime
    updated_at: datetime


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


class Grant(Struct, frozen=True):
    """A job leased to a node."""

    job_id: UUID
    run_id: UUID
    device_id: UUID
    serial: str
    runtime_handle: str | None
    lease_token: UUID
    fence: int
    attempt: int
    priority: int
    position: int
    timeout_s: float
    input: Any = None
    index_no: int = 0
    label: str | None = None
    model: str | None = None
    os_version: str | None = None
    tags: list[str] = []


class Job(Struct, frozen=True):
    """A run on one device, or a distributed run itself."""

    job_id: UUID
    run_id: UUID
    workspace: str
    device_id: UUID | None
    node_id: str | None
    mode: str
    position: int
    priority: int
    status: JobStatus
    attempt: int
    max_attempts: int
    lease_owner: str | None
    lease_token: UUID | None
    lease_until: datetime | None
    current_step: str | None
    steps_done: int
    steps_total: int
    is_open: bool
    log_path: str | None
    input: Any
    output: Any
    failure_reason: FailureReason | None
    error_message: str | None
    source_type: str | None
    source_id: str | None
    queued_at: datetime
    leased_at: datetime | None
    started_at: datetime | None
    finished_at: datetime | None


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


class OfferedPhone(Struct, frozen=True):
    """A phone that a step could use, as its node's server knows it."""

    serial: str
    index_no: int
    label: str | None
    model: str | None
    os_version: str | None
    tags: list[str]
    capabilities: list[str]


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


class EventResult(Struct, frozen=True):
    """What became of one event of a callback."""

    event_id: str | None
    outcome: EventOutcome
    message: str | None = None


class Artifact(Struct, frozen=True):
    """A stored file that a job brought. `url` is where its bytes are, if `is_stored`."""

    artifact_id: UUID
    key: str
    run_id: UUID
    job_id: UUID
    device_id: UUID | None
    serial: str | None
    index_no: int | None
    node_id: str
    step: str | None
    attempt: int
    kind: str
    content_type: str | None
    size_bytes: int | None
    sha256: str | None
    is_stored: bool
    url: str
    at: datetime
    created_at: datetime


class ArtifactUpload(Struct, frozen=True):
    """An artifact's bytes on their way into the store, or there since `stored_at`."""

    key: str
    job_id: UUID
    sha256: str | None
    size_bytes: int | None
    content_type: str | None
    stored_at: datetime | None


class InputFile(Struct, frozen=True):
    """A name and contents that it has, or had before something newer. `file_no` counts up with every save."""

    file_no: int
    name: str
    sha256: str
    size_bytes: int
    content_type: str | None
    is_newest: bool
    created_by: str | None
    created_at: datetime


class Scan(Struct, frozen=True):
    """A request to a node to rediscover its devices."""

    scan_id: UUID
    node_id: str
    status: ScanStatus
    addresses: list[str]
    found: int
    progress: Json
    error_message: str | None
    requested_by: str | None
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None


class Tick(Struct, frozen=True):
    """What an upkeep tick found: whether verdicts may be passed, and the silence that forbids them."""

    verdicts_open: bool
    silence_since: datetime | None
    silent_nodes: int


class Violation(Struct, frozen=True):
    """A broken invariant, with enough to find it."""

    invariant: str
    object: str
    detail: str


class AuditEntry(Struct, frozen=True):
    """Who did what to which."""

    audit_id: UUID
    at: datetime
    actor: str
    action: str
    subject: str
    detail: Json
