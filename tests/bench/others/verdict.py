"""Promise: one worker process drains jobs faster with Corral than with any of the others on the same PostgreSQL.

It holds for claims of 20 at a time, and with everybody tuned to its best. Enqueuing and latency are shown and not judged.
"""

from collections.abc import Collection
from typing import Final

from tests.bench.others.results import Results
from tests.bench.others.rivals import NAMES
from tests.bench.report import Check

_WAYS: Final = {"drain_20": "20 at a time", "drain_tuned": "tuned"}


def check_leads(results: Results, measures: Collection[str]) -> list[Check]:
    """Corral against each of the others, in what was measured this time."""
    checks = []
    for measure, way in _WAYS.items():
        if measure not in measures:
            continue
        systems = getattr(results, measure)
        corral = next(each.middle for each in systems if each.kind == "corral")
        for other in (each for each in systems if each.kind == "other"):
            ratio = corral / other.middle
            checks.append(
                Check(
                    name=f"drain, {way}: {corral:,.0f}/s against {other.middle:,.0f}/s of {other.name}",
                    found=f"{ratio:.2f} x",
                    target="> 1 x",
                    is_kept=ratio > 1,
                )
            )
    return checks


def missing_rivals(results: Results | None) -> list[str]:
    """Who could not be installed, and was therefore not measured."""
    return [name for name in NAMES if results is None or name not in results.versions]
