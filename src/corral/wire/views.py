"""The shapes of documents that SQL writes whole and the server only passes on: for clients and the OpenAPI document."""

from datetime import datetime
from typing import Literal
from uuid import UUID

from msgspec import Struct

from corral.model.records import Json
from corral.model.states import FailureReason, RunStatus, StepStatus
from corral.model.testing import CaseCounts

Activity = Literal["waiting", "running", "done", "error", "offline", "cancelled"]


class _View(Struct, frozen=True, kw_only=True):
    pass


class WorkflowName(_View, frozen=True, kw_only=True):
    """Which recipe a run executes."""

    name: str
    version: int


class Counts(_View, frozen=True, kw_only=True):
    """How many jobs of a run do what."""

    total: int
    waiting: int
    running: int
    done: int
    error: int
    offline: int
    cancelled: int


class MonitoredRun(_View, frozen=True, kw_only=True):
    """The run itself."""

    run_id: UUID
    name: str
    status: RunStatus
    workflow: WorkflowName
    policy: Json
    youtube_video_id: str | None
    counts: Counts
    last_error_message: str | None
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    cancel_requested_at: datetime | None
    created_by: str | None
    retry_of: UUID | None
    replay_of: UUID | None
    source_type: str | None = None
    source_id: str | None = None
    tests: CaseCounts | None = None
    """Verdicts on its test cases; null where it has none."""


class Progress(_View, frozen=True, kw_only=True):
    """How far a job has come."""

    current: int
    total: int
    step: str | None


class Tile(_View, frozen=True, kw_only=True):
    """One device of a run."""

    index: int
    device_id: UUID
    serial: str
    node_id: str
    online: bool
    activity: Activity
    progress: Progress
    attempt: int
    last_seen: datetime | None
    last_error_message: str | None
    failure_reason: FailureReason | None


class Heatmap(_View, frozen=True, kw_only=True):
    """The devices of a run, by their numbers."""

    cols: int
    items: list[Tile]


class MonitoredStep(_View, frozen=True, kw_only=True):
    """One step of the selected device's job."""

    position: int
    step: str
    title: str | None
    action: str | None
    status: StepStatus
    attempt: int
    probability: float | None
    decision: str | None
    skip_cause: str | None
    failure_reason: str | None
    error_message: str | None
    started_at: datetime | None
    finished_at: datetime | None


class LogLine(_View, frozen=True, kw_only=True, omit_defaults=True):
    """One line; `index` is the device's number where lines of several are told."""

    index: int | None = None
    at: datetime
    level: str
    step: str | None
    message: str


class MonitoredArtifact(_View, frozen=True, kw_only=True, omit_defaults=True):
    """One stored file; `index` is the device's number where files of several are told."""

    index: int | None = None
    artifact_id: UUID
    kind: str
    url: str
    created_at: datetime


class Selected(_View, frozen=True, kw_only=True):
    """One device's part in a run; index 0 where none is selected, and current_step {} where none is executed."""

    index: int
    steps: list[MonitoredStep]
    current_step: Json
    logs_tail: list[LogLine]
    last_artifacts: list[MonitoredArtifact]


class Monitor(_View, frozen=True, kw_only=True):
    """A run as the monitor shows it."""

    run: MonitoredRun
    heatmap: Heatmap
    selected: Selected
    logs_tail: list[LogLine]
    last_artifacts: list[MonitoredArtifact]
    version: int
    server_time: datetime


class Kpis(_View, frozen=True, kw_only=True):
    """The window in numbers."""

    runs: int
    runs_going: int
    runs_succeeded: int
    runs_failed: int
    device_jobs: int
    success_rate: float | None
    median_duration_s: float | None
    p95_duration_s: float | None
    devices_online: int
    devices_offline: int
    nodes_online: int
    nodes_offline: int
    needs_attention: int


class Hour(_View, frozen=True, kw_only=True):
    """What ended within one hour."""

    hour: datetime
    runs_started: int
    succeeded: int
    failed: int
    cancelled: int
    skipped_offline: int


class ToDo(_View, frozen=True, kw_only=True):
    """Something that needs a person."""

    kind: str
    message: str
    count: int
    link: str


class NodeTiles(_View, frozen=True, kw_only=True):
    """What the devices of one node do."""

    node_id: str
    name: str
    online: bool
    draining: bool
    counts: dict[str, int]
    items: list[Json]


class Dashboard(_View, frozen=True, kw_only=True):
    """The farm at a glance."""

    window_s: int
    kpis: Kpis
    hours: list[Hour]
    to_do: list[ToDo]
    heatmap: list[NodeTiles]
    server_time: datetime
