"""The benchmarks that are published: the document and its plots say what was measured, and nothing else."""

from collections.abc import Callable
from xml.etree import ElementTree as ET

import pytest

from tests.bench.others import document
from tests.bench.others.results import Percentiles, Rates, Waits, load, percentiles
from tests.bench.plot import Bar, bar_chart, range_chart
from tests.bench.tables import fill_in

RESULTS = load()
SVG = "{http://www.w3.org/2000/svg}"


def bar(name: str, low: float, middle: float, high: float, *, kind: str = "other") -> Bar:
    return Bar(name, "a note", kind, low, middle, high, f"{middle:g}")


def test_the_tables_of_the_document_are_those_of_the_measurements() -> None:
    text = document.DOCUMENT.read_text(encoding="utf-8")

    assert fill_in(text, document.tables(RESULTS)) == text, "make bench-others BENCH_ARGS=--render"


def test_the_plots_are_those_of_the_measurements_and_shown() -> None:
    text = document.DOCUMENT.read_text(encoding="utf-8")
    for name, picture in document.plots(RESULTS).items():
        assert (document.IMAGES / name).read_text(encoding="utf-8") == picture, "make bench-others BENCH_ARGS=--render"
        assert f"(images/{name})" in text


def test_everybody_was_measured_in_every_round() -> None:
    for systems in (RESULTS.drain_20, RESULTS.drain_tuned, RESULTS.enqueue, RESULTS.latency):
        assert [each.name for each in systems if each.kind == "corral"] == ["Corral"]
        assert {each.name for each in systems if each.kind == "other"} == {
            "PgQueuer",
            "Procrastinate",
            "pg-boss",
            "Graphile Worker",
        }
        assert {len(each.rounds) for each in systems} == {RESULTS.rounds}


@pytest.mark.parametrize("chart", [bar_chart, range_chart])
def test_a_chart_is_well_formed_and_names_everybody(chart: Callable[..., str]) -> None:
    bars = [bar("Corral", 9, 10, 12, kind="corral"), bar("a < b & c", 1, 2, 90)]

    picture = ET.fromstring(chart("Who & what", "more is better", bars, unit="jobs/s", foot="a foot"))

    words = [each.text for each in picture.iter(f"{SVG}text")]
    assert picture.tag == f"{SVG}svg"
    assert {"Who & what", "more is better", "Corral", "a < b & c", "jobs/s", "a foot"} <= set(words)


def test_bars_grow_with_their_values_and_whiskers_span_the_rounds() -> None:
    picture = ET.fromstring(bar_chart("", "", [bar("one", 50, 100, 150), bar("two", 40, 50, 60)], unit="", foot=""))

    widths = [float(each.attrib["width"]) for each in picture.iter(f"{SVG}rect") if each.attrib["class"] == "other"]
    whiskers = [each.attrib for each in picture.iter(f"{SVG}line") if each.attrib["class"] == "whisker"]
    spans = [float(each["x2"]) - float(each["x1"]) for each in whiskers if each["y1"] == each["y2"]]
    assert widths[0] == pytest.approx(2 * widths[1], abs=0.2)
    assert spans[0] == pytest.approx(5 * spans[1], abs=0.3)


def test_percentiles_are_waits_that_happened() -> None:
    assert percentiles([float(n) for n in range(1, 101)]) == Percentiles(p50=51, p90=91, p99=100)
    assert percentiles([3.0]) == Percentiles(3, 3, 3)


def test_the_middle_of_the_rounds_is_their_median() -> None:
    assert Rates("a", "other", "", [3, 1, 2]).middle == 2
    rounds = [Percentiles(1, 20, 30), Percentiles(2, 10, 50), Percentiles(3, 30, 40)]
    assert Waits("a", "other", "", rounds).middle == Percentiles(2, 20, 40)
