"""Words for whoever reads the run."""

from __future__ import annotations

from typing import Any

from corral.node.actions.protocol import Action, Bench
from corral.workflow.catalog.report import ReportArgs


async def report(bench: Bench, args: ReportArgs) -> dict[str, Any]:
    """Write the line; the values become the step's output, and so stay with the job."""
    bench.log(args.level, args.message)
    return args.data


ACTIONS: dict[str, Action] = {"report": report}
