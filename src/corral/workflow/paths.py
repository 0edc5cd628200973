"""How problems name places in a document: `steps[2].with.package`."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterable

_PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*\Z")


def at_key(path: str, key: str) -> str:
    """The path of a member of an object."""
    if not _PLAIN_KEY.match(key):
        return f"{path}[{json.dumps(key[:80])}]"
    return f"{path}.{key}" if path else key


def at_index(path: str, index: int) -> str:
    """The path of an item of a list."""
    return f"{path}[{index}]"


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """`; did you mean 'x'?` when a known word is close, else nothing."""
    close = difflib.get_close_matches(word[:100], sorted(known), n=1)
    return f"; did you mean '{close[0]}'?" if close else ""
