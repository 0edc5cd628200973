"""When a delivery that failed is tried again: ever later, never all at once, and not for ever."""

import random
from datetime import timedelta
from typing import Final

MOST_TRIES: Final = 10
_FIRST: Final = timedelta(seconds=10)
_LONGEST: Final = timedelta(hours=1)


def retry_in(tries: int, *, asked: timedelta | None = None) -> timedelta | None:
    """How long to wait after so many tries; None where that were enough. What the receiver asked for is heeded, up to an hour."""
    if tries >= MOST_TRIES:
        return None
    pause: timedelta = min(_FIRST * 2 ** (tries - 1), _LONGEST) * random.uniform(0.5, 1.5)  # noqa: S311 - jitter
    return max(pause, min(asked or timedelta(0), _LONGEST))
