"""Why jobs wait, as a table: devices that wait for the same reason share a line."""

from collections.abc import Iterable
from typing import Final

from rich.console import Console

from corral.cli.output import age, make_table, text_or_dash
from corral.model.records import Explanation

_MOST_STEPS: Final = 5


def print_explanations(jobs: list[Explanation], console: Console) -> None:
    """Who waits, and why; the longest wait of a line is told, and the earliest start that is expected."""
    if not jobs:
        console.print("nothing waits", style="dim")
        return
    alike: dict[tuple[str | None, str, str], list[Explanation]] = {}
    for job in jobs:
        alike.setdefault((job.node_id, str(job.reason), job.message), []).append(job)
    table = make_table("waiting", "count", "node", "reason", "since", "expected", "because", right=("count", "since"))
    for (node_id, reason, message), group in alike.items():
        starts = [job.expected_start_at for job in group if job.expected_start_at is not None]
        table.add_row(
            _say_who(group),
            str(len(group)),
            text_or_dash(node_id),
            reason,
            age(min(job.since for job in group)),
            f"{min(starts).astimezone():%H:%M:%S}" if starts else "-",
            message,
        )
    console.print(table)


def _say_who(group: list[Explanation]) -> str:
    """The devices by their numbers; of a distributed run, the first of its steps."""
    steps = [job.step for job in group if job.step is not None]
    if steps:
        return ", ".join(steps[:_MOST_STEPS]) + (", …" if len(steps) > _MOST_STEPS else "")
    return say_numbers(job.index_no for job in group if job.index_no is not None)


def say_numbers(numbers: Iterable[int]) -> str:
    """Numbers as `corral run --on` takes them: 1-4,6."""
    spans: list[tuple[int, int]] = []
    for number in sorted(numbers):
        if spans and spans[-1][1] == number - 1:
            spans[-1] = (spans[-1][0], number)
        else:
            spans.append((number, number))
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in spans) or "-"
