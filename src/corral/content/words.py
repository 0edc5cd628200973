"""Text and numbers of somebody else's, made fit to be kept."""

import re
from datetime import UTC, datetime, timedelta
from typing import Final

_LONGEST: Final = 500
_DURATION: Final = re.compile(r"P(?:(\d{1,4})W)?(?:(\d{1,5})D)?(?:T(?:(\d{1,6})H)?(?:(\d{1,6})M)?(?:(\d{1,8})S)?)?")


def tidy(text: object) -> str | None:
    """One line of printable text, of bounded length; None where there is nothing."""
    if not isinstance(text, str):
        return None
    kept = "".join(each if each.isprintable() else " " for each in text)
    return " ".join(kept.split())[:_LONGEST] or None


def read_duration(text: object) -> timedelta | None:
    """ISO 8601 as the Data API writes it: PT3M33S, P1DT2H; a live video's P0D is none."""
    matched = _DURATION.fullmatch(text) if isinstance(text, str) else None
    if matched is None:
        return None
    weeks, days, hours, minutes, seconds = (int(part or 0) for part in matched.groups())
    return timedelta(weeks=weeks, days=days, hours=hours, minutes=minutes, seconds=seconds) or None


def read_time(text: object) -> datetime | None:
    """An instant with its time zone, in UTC."""
    try:
        at = datetime.fromisoformat(text) if isinstance(text, str) else None
    except ValueError:
        return None
    return at.astimezone(UTC) if at is not None and at.tzinfo is not None else None


def https_url(text: object) -> str | None:
    """An address to be shown, never fetched."""
    return text if isinstance(text, str) and text.startswith("https://") and len(text) <= _LONGEST else None
