"""The evidence of one trial: what phones executed, what the network saw, what the nemesis did, what the books say at the end."""

import asyncio
import time
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from msgspec import Struct, field

from corral.simulator.record import Entry
from tests.chaos.farm import Farm
from tests.chaos.graph import GraphStep
from tests.chaos.proxy import Exchange
from tests.chaos.workload import Asked, Workload
from tests.node.told import count_rows
from tests.simulator.adb import Adb

T = TypeVar("T")


class JobRow(Struct, frozen=True, kw_only=True):
    job_id: str
    run_id: str
    mode: str
    device_id: str | None
    status: str
    position: int
    is_pooled: bool
    attempt: int
    max_attempts: int
    failure_reason: str | None
    output: dict[str, Any] | None


class RunRow(Struct, frozen=True, kw_only=True):
    run_id: str
    workflow: str
    status: str
    is_finished: bool
    is_cancelled: bool
    total_jobs: int
    counts: dict[str, int]
    """As the monitor tells them."""


class LeaseRow(Struct, frozen=True, kw_only=True):
    job_id: str
    lease_token: str
    node_id: str
    device_id: str | None
    fence: int


class EventRow(Struct, frozen=True, kw_only=True):
    node_id: str
    event_id: str
    job_id: str | None
    type: str
    outcome: str
    payload: dict[str, Any] | None


class StepRow(Struct, frozen=True, kw_only=True):
    """A step of a graph."""

    job_id: str
    step: str
    status: str
    lease_token: str | None
    failure_reason: str | None
    output: dict[str, Any] | None


class Execution(Struct, kw_only=True):
    """What a step's command said of itself; it says how it ended only if it came so far."""

    execution: str
    job_id: str
    step: str
    lease_token: str
    began_s: float
    ended_s: float | None = None
    status: int | None = None
    found: list[str] = field(default_factory=list)
    """In its directory, as it began and as it ended: nothing, and then the file that it made."""


class Deed(Struct, frozen=True, kw_only=True):
    kind: str
    part: str
    began_s: float
    ended_s: float


class History(Struct, kw_only=True):
    """All times are seconds of one monotonic clock."""

    lease_s: float
    serials: dict[str, str]
    """Of devices."""

    commands: list[Entry] = field(default_factory=list)
    exchanges: list[Exchange] = field(default_factory=list)
    deeds: list[Deed] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)
    graphs: dict[str, list[GraphStep]] = field(default_factory=dict)
    """By the names of their workflows."""

    executions: list[Execution] = field(default_factory=list)
    runs: list[RunRow] = field(default_factory=list)
    jobs: list[JobRow] = field(default_factory=list)
    steps: list[StepRow] = field(default_factory=list)
    leases: list[LeaseRow] = field(default_factory=list)
    events: list[EventRow] = field(default_factory=list)
    contradictions: list[str] = field(default_factory=list)
    """What the shipped check of all invariants finds."""

    untold: dict[str, int] = field(default_factory=dict)
    """Events that are still in a node's spool, or were refused, once everything is over."""

    missing_objects: list[str] = field(default_factory=list)
    """Artifacts on the books whose bytes the store does not have."""


_JOBS = """
    select job_id::text, run_id::text, mode, device_id::text, status, position, pool_tags is not null as is_pooled, attempt,
           max_attempts, failure_reason, output::text from corral.jobs
"""
_RUNS = """
    select run_id::text, w.name as workflow, status, finished_at is not null as is_finished,
           cancel_requested_at is not null as is_cancelled, total_jobs
      from corral.runs join corral.workflows w using (workflow_id)
"""
_STEPS = """
    select job_id::text, s.name as step, s.status, s.lease_token::text, s.failure_reason, s.output::text
      from corral.job_steps s join corral.jobs j using (job_id)
     where j.mode = 'distributed'
"""
_LEASES = "select job_id::text, lease_token::text, node_id, device_id::text, fence from corral.leases"
_EVENTS = "select node_id, event_id::text, job_id::text, type, outcome, payload::text from corral.node_events"


async def measure_clock(farm: Farm) -> float:
    """What to add to the simulator's times to get this process's: by a command of ours on one phone."""
    adb = Adb(farm.folder)
    await asyncio.to_thread(adb.start)
    try:
        address = farm.simulator.addresses[0]
        await adb("connect", address)
        windows = []
        for number in range(8):
            before = time.monotonic()
            await adb("-s", address, "shell", f": chaos-clock {number}")
            windows.append((time.monotonic() - before, before, number))
    finally:
        await asyncio.to_thread(adb.stop)
    took_s, before, number = min(windows)  # the shortest one leaves the least doubt
    entry = await farm.control.wait_for(f": chaos-clock {number}")
    return before + took_s / 2 - entry.started_s


async def read_history(farm: Farm, workload: Workload, *, shift_s: float) -> History:
    """Everything, once all is over. The simulator is still up; its record is asked for."""
    jobs, runs, steps, leases, events, devices, contradictions, artifacts = [
        [dict(row) for row in await farm.query(statement)]
        for statement in (
            _JOBS,
            _RUNS,
            _STEPS,
            _LEASES,
            _EVENTS,
            "select device_id::text, serial from corral.devices",
            "select * from corral.fn_check_invariants()",
            "select artifact_id::text from corral.artifacts where content_type is not null",
        )
    ]
    counts = {run["run_id"]: await _counts(farm, run["run_id"]) for run in runs}
    return History(
        lease_s=farm.shape.lease_s,
        serials={device["device_id"]: device["serial"] for device in devices},
        commands=[_shifted(entry, shift_s) for entry in await _read_record(farm)],
        exchanges=_read_lines(farm.folder / "requests.jsonl", Exchange),
        deeds=_read_lines(farm.folder / "acts.jsonl", Deed),
        asked=workload.asked,
        graphs=workload.graphs,
        executions=_read_executions(farm.steps_record),
        runs=[RunRow(**run, counts=counts[run["run_id"]]) for run in runs],
        jobs=[JobRow(**{**job, "output": _decoded(job["output"])}) for job in jobs],
        steps=[StepRow(**{**step, "output": _decoded(step["output"])}) for step in steps],
        leases=[LeaseRow(**lease) for lease in leases],
        events=[EventRow(**{**event, "payload": _decoded(event["payload"])}) for event in events],
        contradictions=[str(row) for row in contradictions],
        untold=await count_untold(farm),
        missing_objects=[row["artifact_id"] for row in artifacts if not await _is_stored(farm, row["artifact_id"])],
    )


async def _read_record(farm: Farm) -> list[Entry]:
    """Every command on every phone; the simulator tells so many at a time."""
    entries: list[Entry] = []
    while some := await farm.control.record(after=entries[-1].number if entries else 0):
        entries += some
    return entries


async def _counts(farm: Farm, run_id: str) -> dict[str, int]:
    counts: dict[str, int] = (await farm.ask("GET", f"/api/runs/{run_id}")).json()["run"]["counts"]
    return counts


async def _is_stored(farm: Farm, artifact_id: str) -> bool:
    answer = await farm.ask("GET", f"/api/artifacts/{artifact_id}/content")
    return len(answer.content) > 0


async def count_untold(farm: Farm) -> dict[str, int]:
    untold = {}
    for node, disk in farm.disks.items():
        for table in ("events", "refused"):
            if count := await asyncio.to_thread(count_rows, disk / "state", table):
                untold[f"{node}: {table}"] = count
    return untold


def _shifted(entry: Entry, shift_s: float) -> Entry:
    entry.started_s += shift_s
    if entry.ended_s is not None:
        entry.ended_s += shift_s
    return entry


def _decoded(text: str | None) -> Any:  # noqa: ANN401 - whatever was stored
    return None if text is None else msgspec.json.decode(text)


def _read_lines(path: Path, kind: type[T]) -> list[T]:
    with path.open("rb") as lines:
        return [msgspec.json.decode(line, type=kind) for line in lines]


def _read_executions(path: Path) -> list[Execution]:
    """Each says first who it is, and later how it ended."""
    words: dict[str, dict[str, Any]] = {}
    for word in _read_lines(path, dict[str, Any]):
        words.setdefault(word["execution"], {}).update(word)
    return [msgspec.convert(each, Execution) for each in words.values()]
