"""The pictures of docs/scaling.md: what a job costs as the farm grows, the knee, and a million jobs."""

from typing import Final

from tests.bench.plot import Bar, bar_chart, range_chart
from tests.bench.scale.farms import job_cost_s, postgres_job_s, server_job_s
from tests.bench.scale.records import Farm, Load, Scale

_LEAST_MS: Final = 0.1
"""A logarithmic axis has no zero."""


def plots(scale: Scale) -> dict[str, str]:
    """By the names of their files. What was not measured has none."""
    machine = scale.machine
    foot = f"{scale.measured_on} · {machine.cores} cores · PostgreSQL {machine.postgresql} · load from the same machine"
    pictures = {
        "scaling-cost.svg": bar_chart(
            "What a job costs, by the size of the farm",
            "processor time of server and PostgreSQL beyond the farm's own; level bars are what one wants",
            [_cost(farm) for farm in scale.farms],
            unit="milliseconds of processor time a job",
            foot=foot,
        )
    }
    if scale.knee is not None:
        knee = scale.knee
        pictures["scaling-knee.svg"] = range_chart(
            f"A callback's latency at {scale.farms[-1].nodes:,} nodes, by the jobs asked for",
            f"blue: kept; grey: late (a 99th percentile above {knee.most_callback_p99_ms:,.0f} ms), or phones found no work",
            [_stage(stage, is_kept=knee.is_kept_by(stage)) for stage in knee.stages],
            unit="milliseconds, logarithmic",
            foot=f"from p50 to p99 · {foot}",
        )
    if scale.history is not None:
        done, bars = 0, []
        for window in scale.history.windows:
            done += window.jobs
            rate = window.jobs / window.seconds
            bars.append(_bar(f"{done:,}", "jobs so far", "corral", rate, f"{rate:,.0f}"))
        pictures["scaling-history.svg"] = bar_chart(
            "Jobs a second, as the history grows",
            "pulled, reported and ended through the library, four clients; level bars are what one wants",
            bars,
            unit="jobs per second",
            foot=foot,
        )
    return pictures


def _cost(farm: Farm) -> Bar:
    parts = f"server {server_job_s(farm) * 1000:.1f}, PostgreSQL {postgres_job_s(farm) * 1000:.1f} ms"
    cost_ms = job_cost_s(farm) * 1000
    return _bar(f"{farm.devices:,} devices", parts, "corral", cost_ms, f"{cost_ms:.1f}")


def _stage(stage: Load, *, is_kept: bool) -> Bar:
    low, high = (max(_LEAST_MS, each) for each in (stage.callback.p50_ms, stage.callback.p99_ms))
    return Bar(
        name=f"{stage.offered_jobs_per_s:,.0f} jobs/s",
        note=f"{stage.events / stage.seconds:,.0f} events/s",
        kind="corral" if is_kept else "other",
        low=low,
        middle=low,
        high=high,
        label=f"{low:,.0f} to {high:,.0f}",
    )


def _bar(name: str, note: str, kind: str, value: float, label: str) -> Bar:
    return Bar(name=name, note=note, kind=kind, low=value, middle=value, high=value, label=label)
