"""The clock that rights to touch a phone are measured by: it never goes back, and it counts the time asleep."""

import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial

Clock = Callable[[], float]


def boot_time() -> float:
    """Seconds since some moment in the past. A laptop that was closed for an hour is an hour older."""
    return _read()


def utc_text() -> str:
    """The time of day as events carry it; the server keeps it within what the database knows."""
    return datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def _reader() -> Clock:
    """Linux counts the time asleep by CLOCK_BOOTTIME. On a Mac CLOCK_MONOTONIC does, which Python's own does not."""
    for name in ("CLOCK_BOOTTIME", "CLOCK_MONOTONIC"):
        clock_id: int | None = getattr(time, name, None)
        if clock_id is not None:
            return partial(time.clock_gettime, clock_id)
    return time.monotonic  # on Windows it counts the time asleep


_read = _reader()
