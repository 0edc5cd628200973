"""What the nodes of a farm did and how long it took, since it was last asked."""

from tests.bench.scale.records import Percentiles


class Tally:
    """Shared by all nodes of a farm. Times are seconds."""

    def __init__(self) -> None:
        self.all_jobs = 0
        self.reset()

    def reset(self) -> None:
        self.jobs = 0
        self.events = 0
        self.pulls = 0
        self.starved = 0
        self.pull_times: list[float] = []
        self.callback_times: list[float] = []
        self.heartbeat_times: list[float] = []


def percentiles(times: list[float]) -> Percentiles:
    """Of times in seconds; of none, zeros."""
    ordered = sorted(times) or [0.0]
    middle, last = ordered[len(ordered) // 2], ordered[min(len(ordered) - 1, len(ordered) * 99 // 100)]
    return Percentiles(count=len(times), p50_ms=round(middle * 1000, 2), p99_ms=round(last * 1000, 2))
