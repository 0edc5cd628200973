"""How long to wait before asking again: longer each time, and never all nodes at once."""

from __future__ import annotations

import random
from typing import Final

_FACTOR: Final = 2.0


class Backoff:
    """Exponential, with full jitter: each wait is anywhere between nothing and a bound that doubles."""

    def __init__(self, *, first_s: float = 0.25, most_s: float = 15.0) -> None:
        self._first_s = first_s
        self._most_s = most_s
        self._failures = 0
        self._random = random.Random()  # noqa: S311 - jitter, not a secret

    @property
    def failures(self) -> int:
        return self._failures

    def next_s(self) -> float:
        """The wait after one more failure."""
        bound = min(self._most_s, self._first_s * _FACTOR ** min(self._failures, 32))
        self._failures += 1
        return self._random.uniform(0, bound)

    def reset(self) -> None:
        """It worked."""
        self._failures = 0
