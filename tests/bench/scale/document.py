"""docs/scaling.md and its plots, of what was measured: tables stand between markers, everything else is written by people."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

import msgspec

from tests.bench.scale import capacity
from tests.bench.scale.farms import housekeeping_job_s, job_cost_s, jobs_worth, postgres_job_s, server_job_s
from tests.bench.scale.plots import plots
from tests.bench.scale.records import Farm, History, Load, Percentiles, Scale
from tests.bench.tables import fill_in, write_table

ROOT: Final = Path(__file__).parents[3]
MEASUREMENTS: Final = ROOT / "docs/measurements/scale.json"
DOCUMENT: Final = ROOT / "docs/scaling.md"
IMAGES: Final = ROOT / "docs/images"
_MB: Final = 1_000_000


def read(path: Path) -> Scale:
    """Raises where the file is not what this version writes."""
    return msgspec.json.decode(path.read_bytes(), type=Scale)


def tables(scale: Scale) -> dict[str, str]:
    """Every marked part of the document, by its name."""
    return {name: make(scale) for name, make in TABLES.items()}


def write(scale: Scale) -> None:
    """The document and its plots."""
    for name, picture in plots(scale).items():
        (IMAGES / name).write_text(picture, encoding="utf-8")
    DOCUMENT.write_text(fill_in(DOCUMENT.read_text(encoding="utf-8"), tables(scale)), encoding="utf-8")


def _machine(scale: Scale) -> str:
    machine = scale.machine
    settings = ", ".join(f"`{name} = {value}`" for name, value in sorted(machine.settings.items()))
    return (
        f"Measured on {scale.measured_on} on one machine with {machine.cores} cores ({machine.processor}) and"
        f" {machine.memory_gb:.0f} GB of memory, {machine.system}: Corral {machine.corral}, PostgreSQL {machine.postgresql},"
        f" Python {machine.python}; one server process with"
        f" {machine.database_connections} connections to the database; the load came from the same machine."
        f" PostgreSQL as Corral sets up its own: {settings}."
    )


def _times(times: Percentiles) -> str:
    return f"{times.p50_ms:.1f} / {times.p99_ms:.0f}"


def _farms(scale: Scale) -> str:
    head = ("nodes", "devices", "jobs/s", "events/s", "callbacks/s", "pulls/s", "heartbeats/s",
            "callback, ms", "pull, ms", "heartbeat, ms")  # fmt: skip
    return write_table(head, (_farm_row(farm) for farm in scale.farms))


def _farm_row(farm: Farm) -> list[str]:
    work = farm.work
    rates = (work.jobs, work.events, work.callback.count, work.pulls, work.heartbeat.count)
    return [
        f"{farm.nodes:,}",
        f"{farm.devices:,}",
        *(f"{count / work.seconds:,.0f}" for count in rates),
        _times(work.callback),
        _times(work.pull),
        _times(work.heartbeat),
    ]


def _cost(scale: Scale) -> str:
    smallest = scale.farms[0]
    head = (
        "devices",
        "server, ms",
        "PostgreSQL, ms",
        "together, ms",
        "against the smallest",
        "housekeeping, ms",
        "with that and the farm's own, ms",
        "the model's, ms",
    )
    rows = []
    for farm in scale.farms:
        work = farm.work
        whole = (work.server_s + work.postgres_s) / jobs_worth(work)
        times = (server_job_s(farm), postgres_job_s(farm), job_cost_s(farm))
        rows.append([
            f"{farm.devices:,}",
            *(f"{each * 1000:.2f}" for each in times),
            f"{job_cost_s(farm) / job_cost_s(smallest):.2f} x",
            f"{housekeeping_job_s(farm) * 1000:.2f}" if work.housekeeping_s else "not counted apart",
            f"{whole * 1000:.2f}",
            f"{work.generator_s / jobs_worth(work) * 1000:.2f}",
        ])  # fmt: skip
    return write_table(head, rows)


def _idle(scale: Scale) -> str:
    head = (
        "nodes",
        "devices",
        "heartbeats/s",
        "server, cores",
        "PostgreSQL, cores",
        "log, kB/s",
        "server, MB",
        "registering, s",
    )
    rows = []
    for farm in scale.farms:
        idle = farm.idle
        rows.append([
            f"{farm.nodes:,}",
            f"{farm.devices:,}",
            f"{idle.heartbeat.count / idle.seconds:.0f}",
            f"{idle.server_s / idle.seconds:.3f}",
            f"{idle.postgres_s / idle.seconds:.3f}",
            f"{idle.wal_bytes / idle.seconds / 1000:.0f}",
            f"{farm.work.server_mb:.0f}",
            f"{farm.register_s:.1f}",
        ])  # fmt: skip
    return write_table(head, rows)


def _run(scale: Scale) -> str:
    head = ("devices", "the run's jobs made, s", "until every slot works, s", "slots")
    rows = ([f"{f.devices:,}", f"{f.fan_out_s:.1f}", f"{f.fill_s:.1f}", f"{f.nodes * 20:,}"] for f in scale.farms)
    return write_table(head, rows)


def _knee(scale: Scale) -> str:
    knee = scale.knee
    if knee is None:
        return "Not measured."
    head = ("asked for, jobs/s", "done", "callback, ms", "heartbeat, ms", "server, cores", "PostgreSQL, cores", "model, cores",
            "others, cores", "log, MB/s", "fsyncs/s", "an fsync, ms", "")  # fmt: skip
    rows = [_knee_row(stage, is_kept=knee.is_kept_by(stage)) for stage in knee.stages]
    return write_table(head, rows)


def _knee_row(stage: Load, *, is_kept: bool) -> list[str]:
    used = (stage.server_s, stage.postgres_s, stage.generator_s, stage.other_s)
    return [
        f"{stage.offered_jobs_per_s:.0f}",
        f"{stage.jobs_per_s:.0f}",
        _times(stage.callback),
        _times(stage.heartbeat),
        *(f"{each / stage.seconds:.2f}" for each in used),
        f"{stage.wal_bytes / stage.seconds / _MB:.1f}",
        f"{stage.fsyncs / stage.seconds:.0f}",
        f"{stage.fsync_s / max(1, stage.fsyncs) * 1000:.1f}",
        "kept" if is_kept else "late",
    ]


def _history(scale: Scale) -> str:
    if scale.history is None:
        return "Not measured."
    done = 0
    rows = []
    for window in scale.history.windows:
        done += window.jobs
        rows.append([
            f"{done:,}",
            f"{window.jobs / window.seconds:,.0f}",
            f"{window.postgres_s / window.jobs * 1000:.2f}",
            _times(window.pull),
            _times(window.callback),
            f"{window.wal_bytes / window.jobs / 1000:.1f}",
        ])  # fmt: skip
    return write_table(
        ("jobs so far", "jobs/s", "PostgreSQL, ms a job", "pull, ms", "callback, ms", "log, kB a job"), rows
    )


def _tables(scale: Scale) -> str:
    history = scale.history
    if history is None:
        return "Not measured."
    head = (
        "table",
        "rows",
        "dead rows",
        "rows, MB",
        "indexes, MB",
        "bytes a job",
        "rows, against fresh",
        "indexes, against fresh",
    )
    return write_table(head, _table_rows(history))


def _table_rows(history: History) -> list[list[str]]:
    rows = [
        [
            f"`{table.name}`",
            f"{table.rows:,}",
            f"{table.dead_rows:,}",
            f"{table.heap_bytes / _MB:.1f}",
            f"{table.index_bytes / _MB:.1f}",
            f"{(table.heap_bytes + table.index_bytes) / history.jobs:.0f}",
            _against(table.heap_bytes, table.fresh_heap_bytes),
            _against(table.index_bytes, table.fresh_index_bytes),
        ]
        for table in history.tables
    ]
    whole, fresh = history.database_bytes, history.fresh_database_bytes
    rows.append(
        ["the database", "", "", f"{whole / _MB:,.0f}", "", f"{whole / history.jobs:.0f}", f"{whole / fresh:.2f} x", ""]
    )
    return rows


def _against(size: int, fresh: int) -> str:
    """Of a table that is next to nothing when it is fresh, no ratio tells anything."""
    return f"{size / fresh:.2f} x" if fresh else "under 1 MB"


def _retention(scale: Scale) -> str:
    if scale.history is None:
        return "Not measured."
    kept = scale.history.retention
    rows = [
        ["jobs forgotten", f"{kept.jobs:,}", f"{kept.jobs / max(0.1, kept.runs_s):,.0f} a second"],
        ["events forgotten", f"{kept.events:,}", f"{kept.events / max(0.1, kept.events_s):,.0f} a second"],
        ["database before", f"{kept.bytes_before / _MB:,.0f} MB", "written anew"],
        ["database after", f"{kept.bytes_after / _MB:,.0f} MB", "after a plain vacuum"],
        [
            f"after {kept.jobs_after:,} more jobs",
            f"{kept.bytes_after_jobs / _MB:,.0f} MB",
            "in the space that was freed",
        ],
    ]
    return write_table(("", "", ""), rows)


TABLES: Final[dict[str, Callable[[Scale], str]]] = {
    "machine": _machine,
    "farms": _farms,
    "cost": _cost,
    "idle": _idle,
    "run": _run,
    "knee": _knee,
    "history": _history,
    "tables": _tables,
    "retention": _retention,
    "constants": lambda scale: write_table(("constant", "measured", "of"), capacity.constant_rows(scale)),
    "capacity": lambda scale: write_table(
        ("devices", *(f"{size:,}" for size in capacity.DEVICES)), capacity.capacity_rows(scale)
    ),
}
