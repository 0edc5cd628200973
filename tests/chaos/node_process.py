"""`corral node` with a clock that can be moved: `node_process.py OFFSET_FILE [corral's arguments]`.

The file holds how many seconds the clock is off; it is read whenever the agent asks for the time of day.
CHAOS_BREAK=deadline lets the agent believe that its lease never ends: a bug that the checker must find.
"""

import os
import sys
from datetime import datetime, timedelta, tzinfo
from pathlib import Path
from uuid import UUID

import corral.node.bench
import corral.node.clock
from corral.cli.main import main
from corral.node.leases import Leases

_OFFSET = Path(sys.argv[1])


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


if __name__ == "__main__":
    corral.node.clock.datetime = _Jumping  # type: ignore[attr-defined]
    corral.node.bench.datetime = _Jumping  # type: ignore[attr-defined]
    if os.environ.get("CHAOS_BREAK") == "deadline":
        Leases.left_s = property(_for_ever)  # type: ignore[assignment]
        Leases.is_live_for = _always  # type: ignore[assignment,method-assign]
    sys.argv = ["corral", *sys.argv[2:]]
    main()
