"""How long to wait before trying again: longer each time, never for ever, and never all at once."""

from __future__ import annotations

import random
from typing import Final

FIRST_S: Final = 0.25
LONGEST_S: Final = 5.0


class Backoff:
    """The pauses of one thing that is tried again and again. Jitter keeps a hundred of them from marching in step."""

    def __init__(self, *, first_s: float = FIRST_S, longest_s: float = LONGEST_S) -> None:
        self._first_s = first_s
        self._longest_s = longest_s
        self.failures = 0

    def fail(self) -> float:
        """Count a failure; the seconds to wait now."""
        self.failures += 1
        ceiling: float = min(self._longest_s, self._first_s * 2.0 ** min(self.failures - 1, 16))
        return ceiling * random.uniform(0.5, 1.0)  # noqa: S311 - jitter, not a secret

    def reset(self) -> None:
        self.failures = 0
