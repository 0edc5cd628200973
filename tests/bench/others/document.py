"""docs/benchmarks.md and its plots, of what was measured: tables stand between markers, everything else is written by people."""

from collections.abc import Callable, Sequence
from typing import Final, TypeVar

from tests.bench.others.results import FILE, Rates, Results, Waits
from tests.bench.plot import Bar, bar_chart, range_chart
from tests.bench.tables import fill_in, write_table

DOCUMENT: Final = FILE.parents[1] / "benchmarks.md"
IMAGES: Final = FILE.parents[1] / "images"
T = TypeVar("T", Rates, Waits)


def tables(results: Results) -> dict[str, str]:
    """Every marked part of the document, by its name."""
    return {
        "setting": _setting(results),
        "drain_20": _rates(results.drain_20),
        "drain_tuned": _rates(results.drain_tuned),
        "enqueue": _rates(results.enqueue),
        "latency": _waits(results.latency),
    }


def plots(results: Results) -> dict[str, str]:
    """The pictures, by the names of their files."""
    rounds = f"bar: median of {results.rounds} rounds · whiskers: slowest and fastest round · {_where(results)}"
    spans = f"from p50 to p99, mark at p90: medians of {results.rounds} rounds of {results.samples} jobs · {_where(results)}"
    return {
        "benchmark-drain-20.svg": bar_chart(
            f"Draining {results.jobs:,} no-op jobs, 20 at a time",
            "claimed, done and completed by one worker process; more is better",
            _rate_bars(results.drain_20), unit="jobs per second", foot=rounds,
        ),
        "benchmark-drain-tuned.svg": bar_chart(
            f"Draining {results.jobs:,} no-op jobs, everybody tuned",
            "claimed, done and completed by one worker process; more is better",
            _rate_bars(results.drain_tuned), unit="jobs per second", foot=rounds,
        ),
        "benchmark-enqueue.svg": bar_chart(
            f"Enqueuing {results.jobs:,} jobs in bulk",
            "by each system's bulk API, from one process; more is better",
            _rate_bars(results.enqueue), unit="jobs per second", foot=rounds,
        ),
        "benchmark-latency.svg": range_chart(
            "From enqueuing to start",
            "one job at a time, an idle worker process; less is better",
            _wait_bars(results.latency), unit="milliseconds, logarithmic", foot=spans,
        ),
    }  # fmt: skip


def write(results: Results) -> None:
    """The document and its plots."""
    IMAGES.mkdir(exist_ok=True)
    for name, picture in plots(results).items():
        (IMAGES / name).write_text(picture, encoding="utf-8")
    DOCUMENT.write_text(fill_in(DOCUMENT.read_text(encoding="utf-8"), tables(results)), encoding="utf-8")


def summary(results: Results) -> str:
    """For a terminal."""
    return "\n\n".join(f"{name}\n{table}" for name, table in tables(results).items())


def _rates(systems: Sequence[Rates]) -> str:
    corral = next(each.middle for each in systems if each.kind == "corral")
    rows = []
    for each in _ordered(systems, lambda each: -each.middle):
        ratio = "" if each.kind in {"corral", "beside"} else f"{corral / each.middle:.2f} times"
        spread = f"{min(each.rounds):,.0f} to {max(each.rounds):,.0f}"
        rows.append([_named(each), each.settings, f"{each.middle:,.0f}", spread, ratio])
    return write_table(("", "how", "jobs/s, median", "slowest to fastest round", "Corral does"), rows, words=2)


def _waits(systems: Sequence[Waits]) -> str:
    rows = []
    for each in _ordered(systems, lambda each: each.middle.p50):
        told, medians = each.middle, [one.p50 for one in each.rounds]
        numbers = (f"{number:.2f}" for number in (told.p50, told.p90, told.p99))
        rows.append([_named(each), each.settings, *numbers, f"{min(medians):.2f} to {max(medians):.2f}"])
    return write_table(("", "how", "p50, ms", "p90, ms", "p99, ms", "p50 of the rounds"), rows, words=2)


def _named(each: Rates | Waits) -> str:
    words = {"corral": f"**{each.name}**", "floor": f"_{each.name}_"}
    return words.get(each.kind, each.name)


def _setting(results: Results) -> str:
    machine = results.machine
    versions = " · ".join(f"{name} {version}" for name, version in results.versions.items())
    settings = ", ".join(f"`{name} = {value}`" for name, value in results.postgresql.items())
    rows = [
        ["measured on", results.measured_on],
        ["machine", f"{machine['processor']}, {machine['cores']} cores, {machine['memory']}, {machine['system']}"],
        ["versions", versions],
        ["PostgreSQL's settings", f"{settings}; everything else its defaults, as Corral's embedded server has it"],
        ["sizes", f"{results.jobs:,} jobs, {results.samples} samples of latency, {results.rounds} rounds"],
    ]
    return write_table(("", ""), rows, words=2)


def _where(results: Results) -> str:
    return f"PostgreSQL {results.versions['PostgreSQL'].split()[0]}, {results.machine['cores']} cores, {results.measured_on}"


def _rate_bars(systems: Sequence[Rates]) -> list[Bar]:
    return [
        Bar(each.name, each.settings, each.kind, min(each.rounds), each.middle, max(each.rounds), f"{each.middle:,.0f}")
        for each in _ordered(systems, lambda each: -each.middle)
    ]


def _wait_bars(systems: Sequence[Waits]) -> list[Bar]:
    return [
        Bar(each.name, each.settings, each.kind, told.p50, told.p90, told.p99, f"{told.p50:.1f} to {told.p99:.1f}")
        for each in _ordered(systems, lambda each: each.middle.p50)
        for told in (each.middle,)
    ]


def _ordered(systems: Sequence[T], rank: Callable[[T], float]) -> list[T]:
    """Best first; what is only shown beside comes last."""
    return sorted(systems, key=lambda each: (each.kind == "beside", rank(each)))
