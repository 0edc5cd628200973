"""Why jobs wait, as a table."""

from rich.console import Console

from corral.cli.output import age, make_table, text_or_dash
from corral.model.records import Explanation


def print_explanations(jobs: list[Explanation], console: Console) -> None:
    """One line for each job that has not started."""
    if not jobs:
        console.print("nothing waits", style="dim")
        return
    table = make_table("device", "serial", "node", "reason", "since", "expected", "because", right=("device", "since"))
    for job in jobs:
        expected = "-" if job.expected_start_at is None else f"{job.expected_start_at.astimezone():%H:%M:%S}"
        table.add_row(
            text_or_dash(job.index_no),
            text_or_dash(job.serial),
            text_or_dash(job.node_id),
            str(job.reason),
            age(job.since),
            expected,
            job.message,
        )
    console.print(table)
