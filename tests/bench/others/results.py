"""What a comparison found, as docs/measurements/benchmarks.json keeps it: every round's number, and what it takes to judge it."""

from pathlib import Path
from statistics import median
from typing import Final, Literal

import msgspec
from msgspec import Struct

FILE: Final = Path(__file__).parents[3] / "docs" / "measurements" / "benchmarks.json"

Kind = Literal["corral", "other", "floor", "beside"]
"""Whose number: Corral's, another system's, bare SQL's, or Corral's in another way, shown beside and not compared."""


class Rates(Struct, frozen=True):
    """Jobs per second of one system, by round."""

    name: str
    kind: Kind
    settings: str
    rounds: list[float]

    @property
    def middle(self) -> float:
        return median(self.rounds)


class Percentiles(Struct, frozen=True):
    """Milliseconds, of one round."""

    p50: float
    p90: float
    p99: float


class Waits(Struct, frozen=True):
    """From enqueuing to start with one system, by round."""

    name: str
    kind: Kind
    settings: str
    rounds: list[Percentiles]

    @property
    def middle(self) -> Percentiles:
        """Each percentile's median over the rounds."""
        return Percentiles(
            *(median(getattr(each, name) for each in self.rounds) for name in Percentiles.__struct_fields__)
        )


class Results(Struct, frozen=True, kw_only=True):
    """One comparison: where, with what, and what came of it."""

    measured_on: str
    machine: dict[str, str]
    versions: dict[str, str]
    postgresql: dict[str, str]
    """Its settings that matter here, as the server told them."""

    jobs: int
    samples: int
    rounds: int
    drain_20: list[Rates]
    drain_tuned: list[Rates]
    enqueue: list[Rates]
    latency: list[Waits]


def percentiles(waits_ms: list[float]) -> Percentiles:
    """By nearest rank."""
    ordered = sorted(waits_ms)

    def at(share: float) -> float:
        return round(ordered[min(len(ordered) - 1, int(share * len(ordered)))], 3)

    return Percentiles(p50=at(0.5), p90=at(0.9), p99=at(0.99))


def load(file: Path = FILE) -> Results:
    """Raises msgspec.ValidationError where the file is not of this shape."""
    return msgspec.json.decode(file.read_bytes(), type=Results)


def save(results: Results, file: Path = FILE) -> None:
    """For people and diffs: indented."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(msgspec.json.format(msgspec.json.encode(results), indent=1) + b"\n")
