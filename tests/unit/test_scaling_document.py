"""docs/scaling.md says what was measured, and nothing else."""

import msgspec
import pytest

from tests.bench.scale.capacity import constants
from tests.bench.scale.document import DOCUMENT, IMAGES, MEASUREMENTS, read, tables
from tests.bench.scale.plots import plots
from tests.bench.scale.records import Scale
from tests.bench.tables import fill_in


@pytest.fixture
def scale() -> Scale:
    return read(MEASUREMENTS)


def test_its_tables_are_those_of_the_measurements(scale: Scale) -> None:
    text = DOCUMENT.read_text(encoding="utf-8")

    assert fill_in(text, tables(scale)) == text, "make bench-scale SCALE_ARGS=--render"


def test_its_plots_are_those_of_the_measurements(scale: Scale) -> None:
    text = DOCUMENT.read_text(encoding="utf-8")

    for name, picture in plots(scale).items():
        assert (IMAGES / name).read_text(encoding="utf-8") == picture, "make bench-scale SCALE_ARGS=--render"
        assert f"](images/{name})" in text


def test_other_measurements_make_other_tables(scale: Scale) -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    other = msgspec.structs.replace(scale, farms=scale.farms[:-1], history=None)

    changed = fill_in(text, tables(other))

    assert changed != text
    assert fill_in(changed, tables(scale)) == text


def test_everything_that_make_bench_scale_measures_was_measured(scale: Scale) -> None:
    assert [farm.devices for farm in scale.farms] == [1_000, 10_000, 100_000]
    assert scale.knee is not None
    assert scale.knee.kept is not None
    assert scale.history is not None


def test_no_constant_of_the_model_is_negative(scale: Scale) -> None:
    assert all(value >= 0 for value in msgspec.structs.astuple(constants(scale)))
