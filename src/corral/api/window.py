"""How far back to look, as callers write it: hours (24h) or days (7d)."""

from datetime import timedelta
from typing import Final

from corral.model.errors import InvalidRequestError

WINDOW: Final = r"^[1-9][0-9]{0,3}[hd]$"
_UNITS: Final = {"h": timedelta(hours=1), "d": timedelta(days=1)}
_LONGEST: Final = timedelta(days=31)


def read_window(text: str) -> timedelta:
    """The span that a text of the pattern WINDOW means. Raises InvalidRequestError beyond 31 days."""
    span = int(text[:-1]) * _UNITS[text[-1]]
    if span > _LONGEST:
        raise InvalidRequestError("a window is at most 31 days long", path="window")
    return span
