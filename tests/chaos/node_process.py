"""`corral node` with a clock that can be moved: `node_process.py OFFSET_FILE [corral's arguments]`.

The file holds how many seconds the clock is off; it is read whenever the agent asks for the time of day.
Commands of steps find the token of their lease in LEASE_TOKEN. CHAOS_BREAK puts in a bug that the checker must find: `deadline`
lets the agent believe that its lease never ends, `directory` gives steps that were claimed together the same directory.
"""

import os
import sys
from datetime import datetime, timedelta, tzinfo
from pathlib import Path
from typing import Any
from uuid import UUID

import msgspec

import corral.node.bench
import corral.node.clock
from corral.cli.main import main
from corral.model.records import OfferedPhone
from corral.node.actions import registry, shell
from corral.node.bench import StepBench
from corral.node.held_step import HeldStep
from corral.node.job_context import JobContext
from corral.node.leases import Leases
from corral.node.step_runner import RunSteps
from corral.workflow.catalog.shell import RunArgs

_OFFSET = Path(sys.argv[1])
_prepare = RunSteps._prepare


class _Jumping(datetime):
    """The time of day, off by what the file says."""

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]
        try:
            offset_s = float(_OFFSET.read_text())
        except (OSError, ValueError):
            offset_s = 0.0
        return datetime.now(tz) + timedelta(seconds=offset_s)


def _for_ever(_: Leases) -> float:
    return 3600.0


def _always(_: Leases, __: UUID) -> bool:
    return True


async def _run_with_token(bench: StepBench, args: RunArgs) -> dict[str, Any]:
    environment = {**args.environment, "LEASE_TOKEN": str(bench._job.token)}
    return await shell.run(bench, msgspec.structs.replace(args, environment=environment))


def _prepare_together(self: RunSteps, held: HeldStep, phone: OfferedPhone | None) -> JobContext:
    """Tokens of one claim begin alike."""
    job = _prepare(self, held, phone)
    job.scratch = self._scratch / f"{held.step.job_id}.{held.step.lease_token.hex[:12]}"
    job.scratch.mkdir(exist_ok=True)
    return job


if __name__ == "__main__":
    corral.node.clock.datetime = _Jumping  # type: ignore[attr-defined]
    corral.node.bench.datetime = _Jumping  # type: ignore[attr-defined]
    if os.environ.get("CHAOS_BREAK") == "deadline":
        Leases.left_s = property(_for_ever)  # type: ignore[assignment]
        Leases.is_live_for = _always  # type: ignore[assignment,method-assign]
    if os.environ.get("CHAOS_BREAK") == "directory":
        RunSteps._prepare = _prepare_together  # type: ignore[method-assign]
    registry.BUILT_IN["shell.run"] = _run_with_token  # type: ignore[index]
    sys.argv = ["corral", *sys.argv[2:]]
    main()
