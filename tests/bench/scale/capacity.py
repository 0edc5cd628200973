"""A capacity model: constants that were measured, and what farms of other sizes would need by them."""

import math
from typing import Final

from msgspec import Struct

from tests.bench.scale.farms import housekeeping_job_s, jobs_worth, postgres_job_s, server_job_s
from tests.bench.scale.records import Scale

DEVICES: Final = (1_000, 10_000, 100_000, 1_000_000)
DEVICES_PER_NODE: Final = 100
JOBS_PER_DEVICE_DAY: Final = 24
PEAK: Final = 3.0
BUSY: Final = 0.5
"""How much of a core is planned to be used at the peak."""

EVENT_DAYS: Final = 30
RUN_DAYS: Final = 90
_DAY_S: Final = 86_400
_GB: Final = 1_000_000_000


class Constants(Struct, frozen=True, kw_only=True):
    """By the largest farm that was measured, and by the history."""

    server_job_s: float
    postgres_job_s: float
    server_node: float
    postgres_node: float
    log_job_bytes: float
    log_node_bytes: float
    job_bytes: float
    event_bytes: float
    events_per_job: int
    server_base_mb: float
    server_node_mb: float
    forgotten_jobs_per_s: float
    forgotten_events_per_s: float
    connections: int


def constants(scale: Scale) -> Constants:
    """Raises where farms or history were not measured."""
    history = scale.history
    if not scale.farms or history is None:
        raise ValueError("farms and history are needed")
    smallest, largest = scale.farms[0], scale.farms[-1]
    idle, work = largest.idle, largest.work
    log_node = idle.wal_bytes / idle.seconds / largest.nodes
    log_job = (work.wal_bytes - log_node * largest.nodes * work.seconds) / jobs_worth(work)
    events = sum(t.heap_bytes + t.index_bytes for t in history.tables if t.name == "node_events")
    per_node_mb = max(0.0, (work.server_mb - smallest.work.server_mb) / max(1, largest.nodes - smallest.nodes))
    return Constants(
        server_job_s=server_job_s(largest),
        postgres_job_s=postgres_job_s(largest) + housekeeping_job_s(largest),
        server_node=idle.server_s / idle.seconds / largest.nodes,
        postgres_node=idle.postgres_s / idle.seconds / largest.nodes,
        log_job_bytes=log_job,
        log_node_bytes=log_node,
        job_bytes=(history.database_bytes - events) / history.jobs,
        event_bytes=largest.event_bytes,
        events_per_job=scale.events_per_job,
        server_base_mb=smallest.work.server_mb,
        server_node_mb=per_node_mb,
        forgotten_jobs_per_s=history.retention.jobs / max(0.1, history.retention.runs_s),
        forgotten_events_per_s=history.retention.events / max(0.1, history.retention.events_s),
        connections=scale.machine.database_connections + 2,
    )


def constant_rows(scale: Scale) -> list[list[str]]:
    if not scale.farms or scale.history is None:
        return [["not measured", "", ""]]
    known = constants(scale)
    memory = f"{known.server_base_mb:.0f} MB + {known.server_node_mb * 1000:.0f} kB"
    return [
        ["s_job", f"{known.server_job_s * 1000:.2f} ms", "processor time of servers, a job"],
        ["p_job", f"{known.postgres_job_s * 1000:.2f} ms", "processor time of PostgreSQL, a job, with its housekeeping"],
        ["s_node", f"{known.server_node * 1000:.3f} ms/s", "processor time of servers, a node that waits"],
        ["p_node", f"{known.postgres_node * 1000:.3f} ms/s", "processor time of PostgreSQL, a node that waits"],
        ["w_job", f"{known.log_job_bytes / 1000:.1f} kB", "write-ahead log, a job"],
        ["w_node", f"{known.log_node_bytes:.0f} B/s", "write-ahead log, a node that waits"],
        ["d_job", f"{known.job_bytes / 1000:.2f} kB", "disk, a job with its steps and lease"],
        ["d_event", f"{known.event_bytes:.0f} B", f"disk, an event; a job has {known.events_per_job}"],
        ["m_server", memory, "memory of a server process, and for each node at it"],
    ]  # fmt: skip


def capacity_rows(scale: Scale) -> list[list[str]]:
    if not scale.farms or scale.history is None:
        return [["not measured", *("" for _ in DEVICES)]]
    known = constants(scale)
    columns = [_column(known, devices) for devices in DEVICES]
    return [[name, *(column[name] for column in columns)] for name in columns[0]]


def _column(known: Constants, devices: int) -> dict[str, str]:
    nodes = devices // DEVICES_PER_NODE
    average = devices * JOBS_PER_DEVICE_DAY / _DAY_S
    peak = average * PEAK
    server = peak * known.server_job_s + nodes * known.server_node
    postgres = peak * known.postgres_job_s + nodes * known.postgres_node
    processes = max(1, math.ceil(server / BUSY))
    log_day = (average * known.log_job_bytes + nodes * known.log_node_bytes) * _DAY_S
    jobs_day = average * _DAY_S
    events_disk = jobs_day * known.events_per_job * known.event_bytes * EVENT_DAYS
    jobs_disk = jobs_day * known.job_bytes * RUN_DAYS
    forget_s = jobs_day / known.forgotten_jobs_per_s + jobs_day * known.events_per_job / known.forgotten_events_per_s
    return {
        "nodes": f"{nodes:,}",
        "jobs/s, on average and at the peak": f"{average:,.1f}, {peak:,.1f}",
        "heartbeats/s": f"{nodes / 10:,.0f}",
        "connections of nodes": f"{nodes * 4:,}",
        "servers: cores used at the peak": f"{server:.2f}",
        "server processes": f"{processes:,}",
        "memory of each, MB": f"{known.server_base_mb + known.server_node_mb * nodes / processes:.0f}",
        "connections to PostgreSQL": f"{processes * known.connections:,}",
        "PostgreSQL: cores used at the peak": f"{postgres:.2f}",
        "PostgreSQL: cores to have": f"{max(1, math.ceil(postgres / BUSY)):,}",
        "write-ahead log, GB a day": f"{log_day / _GB:,.1f}",
        f"disk: events of {EVENT_DAYS} days, GB": f"{events_disk / _GB:,.1f}",
        f"disk: jobs of {RUN_DAYS} days, GB": f"{jobs_disk / _GB:,.1f}",
        "forgetting a day's jobs and events, h": f"{forget_s / 3600:.2f}",
    }
