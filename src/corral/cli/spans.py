"""Lengths of time as people write them: 90s, 10m, 2h."""

import re
from typing import Final

from corral.model.errors import InvalidRequestError

_SPAN: Final = re.compile(r"(\d+(?:\.\d+)?)([smh]?)")
_SECONDS: Final = {"": 1, "s": 1, "m": 60, "h": 3600}


def read_span(text: str, *, path: str) -> float:
    """The seconds that are meant; a number alone is seconds. Raises InvalidRequestError."""
    found = _SPAN.fullmatch(text.strip().lower())
    if found is None:
        raise InvalidRequestError(f"'{text:.40}' is no length of time: write 90s, 10m or 2h", path=path)
    return float(found[1]) * _SECONDS[found[2]]
