"""Corral beside other queues: who is ahead is said, and who could not be measured; no page is written of fewer than all."""

from argparse import Namespace
from pathlib import Path

import msgspec
import pytest

from tests.bench.others.__main__ import report
from tests.bench.others.results import FILE, Rates, Results, load
from tests.bench.others.rivals import NAMES
from tests.bench.others.verdict import check_leads, missing_rivals

RESULTS = load()


def rates(**by_name: float) -> list[Rates]:
    kinds = {"Corral": "corral", "floor": "floor", "events": "beside"}
    return [Rates(name, kinds.get(name, "other"), "", [rate]) for name, rate in by_name.items()]  # type: ignore[arg-type]  # a Kind


def results(*, without: str | None = None, tuned: float = 20.0) -> Results:
    return msgspec.structs.replace(
        RESULTS,
        drain_20=rates(floor=90, Corral=10, PgQueuer=5, Procrastinate=1, events=99),
        drain_tuned=rates(floor=90, Corral=tuned, PgQueuer=20, Procrastinate=1),
        versions={name: "1" for name in ("PostgreSQL", *NAMES) if name != without},
    )


def options(output: Path = FILE, *, no_write: bool) -> Namespace:
    return Namespace(output=output, no_write=no_write, measures=["drain_20", "drain_tuned"])


def test_corral_is_held_against_every_other_system_and_nothing_else() -> None:
    checks = check_leads(results(), ["drain_20", "drain_tuned", "latency"])

    assert [(check.name, check.found, check.is_kept) for check in checks] == [
        ("drain, 20 at a time: 10/s against 5/s of PgQueuer", "2.00 x", True),
        ("drain, 20 at a time: 10/s against 1/s of Procrastinate", "10.00 x", True),
        ("drain, tuned: 20/s against 20/s of PgQueuer", "1.00 x", False),
        ("drain, tuned: 20/s against 1/s of Procrastinate", "20.00 x", True),
    ]


def test_what_was_not_measured_this_time_is_not_judged() -> None:
    assert check_leads(results(), ["latency"]) == []
    assert {check.name.split(":")[0] for check in check_leads(results(), ["drain_20"])} == {"drain, 20 at a time"}


def test_whoever_could_not_be_installed_is_missing() -> None:
    assert missing_rivals(results()) == []
    assert missing_rivals(results(without="pg-boss")) == ["pg-boss"]
    assert missing_rivals(None) == NAMES


@pytest.mark.parametrize(("tuned", "status"), [(20.0, 1), (21.0, 0)])
def test_it_fails_while_another_system_is_ahead_but_writes_all_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], tuned: float, status: int
) -> None:
    found = results(tuned=tuned)

    assert report(found, options(tmp_path / "found.json", no_write=False)) == status

    assert load(tmp_path / "found.json") == found
    assert ("FAIL" in capsys.readouterr().out) is bool(status)


def test_a_measurement_that_is_not_to_be_written_is_not(tmp_path: Path) -> None:
    assert report(results(tuned=21), options(tmp_path / "found.json", no_write=True)) == 0

    assert not (tmp_path / "found.json").exists()


def test_no_page_is_written_of_fewer_than_all(capsys: pytest.CaptureFixture[str]) -> None:
    before = FILE.read_bytes()

    assert report(results(without="pg-boss", tuned=21), options(no_write=False)) == 1

    said = capsys.readouterr().out
    assert "NOT MEASURED, because they could not be installed (see above): pg-boss" in said
    assert "Nothing was written" in said
    assert FILE.read_bytes() == before


def test_where_nobody_could_be_installed_that_is_said_and_no_promise_is_broken(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert report(None, options(no_write=True)) == 0

    assert (
        f"NOT MEASURED, because they could not be installed (see above): {', '.join(NAMES)}" in capsys.readouterr().out
    )
