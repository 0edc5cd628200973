"""What is measured, as it is kept in docs/measurements/scale.json."""

from msgspec import Struct

from tests.bench.machine import Machine


class Percentiles(Struct, frozen=True, kw_only=True):
    """How long requests of one kind took."""

    count: int
    p50_ms: float
    p99_ms: float


class Load(Struct, frozen=True, kw_only=True):
    """What a farm did in an interval, and what that took. Times are seconds of processor."""

    seconds: float
    offered_jobs_per_s: float
    jobs: int
    events: int
    pull: Percentiles
    """Pulls that brought jobs; one that waits for work says nothing about the server."""

    pulls: int
    callback: Percentiles
    heartbeat: Percentiles
    server_s: float
    postgres_s: float
    generator_s: float
    other_s: float
    """Of everybody else on this machine: what disturbed the measurement."""

    wal_bytes: int
    fsyncs: int
    fsync_s: float
    starved: int
    """How often a phone of the model was due and had no job."""

    server_mb: float
    housekeeping_s: float = 0.0
    """Of PostgreSQL's: vacuum, analyze, checkpoints."""

    @property
    def jobs_per_s(self) -> float:
        return self.jobs / self.seconds


class Farm(Struct, frozen=True, kw_only=True):
    """One size of a farm: while nothing is to be done, and at work."""

    nodes: int
    devices_per_node: int
    register_s: float
    fan_out_s: float
    """To make a run on every device."""

    fill_s: float
    """From there until every slot of every node works."""

    idle: Load
    work: Load
    event_bytes: float
    """Of the table of events and its indexes, for each event."""

    @property
    def devices(self) -> int:
        return self.nodes * self.devices_per_node


class Knee(Struct, frozen=True, kw_only=True):
    """A farm that is asked for ever more jobs a second, until it cannot."""

    nodes: int
    most_callback_p99_ms: float
    most_starved: float
    """What share of the jobs asked for may find no phone with work."""

    stages: list[Load]

    def is_kept_by(self, load: Load) -> bool:
        """Whether the farm did what was asked of it."""
        is_whole = load.starved <= self.most_starved * load.offered_jobs_per_s * load.seconds
        return is_whole and load.callback.p99_ms <= self.most_callback_p99_ms

    @property
    def kept(self) -> Load | None:
        """The last stage before the first that was not kept."""
        last = None
        for stage in self.stages:
            if not self.is_kept_by(stage):
                break
            last = stage
        return last


class Window(Struct, frozen=True, kw_only=True):
    """So many jobs of a long history."""

    jobs: int
    seconds: float
    postgres_s: float
    pull: Percentiles
    callback: Percentiles
    wal_bytes: int


class Table(Struct, frozen=True, kw_only=True):
    """A table as it became, and as it would be if it were written anew."""

    name: str
    rows: int
    dead_rows: int
    heap_bytes: int
    index_bytes: int
    fresh_heap_bytes: int
    fresh_index_bytes: int


class Retention(Struct, frozen=True, kw_only=True):
    """What forgetting old runs and events takes, and gives back."""

    jobs: int
    runs_s: float
    events: int
    events_s: float
    bytes_before: int
    bytes_after: int
    """After a plain vacuum: what is empty inside stays, and is used again."""

    jobs_after: int
    bytes_after_jobs: int
    """After so many more jobs."""


class History(Struct, frozen=True, kw_only=True):
    """A database that has seen many jobs."""

    jobs: int
    clients: int
    steps: int
    events_per_job: int
    windows: list[Window]
    tables: list[Table]
    database_bytes: int
    fresh_database_bytes: int
    retention: Retention


class Setup(Machine, frozen=True, kw_only=True):
    """Where it was measured, and with which servers."""

    server_processes: int
    database_connections: int


class Scale(Struct, frozen=True, kw_only=True):
    """All of it."""

    measured_on: str
    machine: Setup
    steps_per_job: int
    events_per_job: int
    farms: list[Farm]
    knee: Knee | None = None
    history: History | None = None
