"""`corral runs`."""

from typing import Annotated

from cyclopts import Parameter

from corral.cli.options import DEFAULT, Options
from corral.cli.output import age, duration, look, make_table, print_page, print_table, short, text_or_dash
from corral.model.records import Run
from corral.model.states import RunStatus


def runs(
    *,
    status: Annotated[list[RunStatus] | None, Parameter(negative_iterable="")] = None,
    going: Annotated[bool, Parameter(negative="")] = False,
    limit: Annotated[int, Parameter(name=["--limit", "-n"])] = 20,
    options: Options = DEFAULT,
) -> None:
    """List runs, newest first.

    Parameters
    ----------
    status
        Only runs in this state: queued, running, succeeded, completed-with-errors, failed, cancelled or skipped.
    going
        Only runs that have not ended.
    limit
        How many at most.
    """
    wanted = [*(status or []), *([RunStatus.QUEUED, RunStatus.RUNNING] if going else [])]
    with options.client() as client:
        found = list(client.runs.list(statuses=wanted or None, most=limit))
    if options.json:
        print_page("runs", found)
        return
    table = make_table(
        "run", "name", "status", "done", "failed", "total", "took", "created", "by", right=("done", "failed", "total")
    )
    for run in found:
        table.add_row(
            short(run.run_id),
            run.name,
            look(run.status),
            str(run.succeeded),
            str(run.failed + run.skipped_offline),
            str(run.total_jobs),
            _took(run),
            f"{age(run.created_at)} ago",
            text_or_dash(run.created_by),
        )
    print_table(table, nothing="no runs")


def _took(run: Run) -> str:
    if run.started_at is None:
        return "-"
    return age(run.started_at) if run.finished_at is None else duration(run.finished_at - run.started_at)
