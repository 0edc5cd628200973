"""Capabilities with a meaning of their own. All others are words that a recipe and a worker agree on, action names among them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

LOCAL: Final = "local"
"""To take a local recipe as a whole: to render its templates and decide its conditions."""

PHONE: Final = "phone"
"""To have a phone; `phone:<word>`, one with that tag or label. The server works it out from what it knows of the phones."""


def asks_for_phone(requires: Iterable[str]) -> list[str]:
    """Of these capabilities, those that a phone gives."""
    return [each for each in requires if each == PHONE or each.startswith(f"{PHONE}:")]
