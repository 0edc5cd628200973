"""Keep secrets out of whatever is written down: logs, outputs, errors, events."""

from __future__ import annotations

import base64
import json
import shlex
from collections.abc import Collection, Iterable
from typing import Any, Final
from urllib.parse import quote, quote_plus

from corral.workflow.limits import MIN_SECRET_LENGTH

MASK: Final = "•••"


def collect_secrets(values: Iterable[str]) -> frozenset[str]:
    """Every form in which the secrets may turn up in text: as they are, line by line, quoted, encoded."""
    found: set[str] = set()
    for value in values:
        for text in {value, value.strip(), *value.splitlines()}:
            found.update(_forms(text))
    return frozenset(form for form in found if len(form) >= MIN_SECRET_LENGTH)


def redact(text: str, secrets: Collection[str]) -> str:
    """The text with every secret masked, longest first, so that no part of a longer one remains."""
    for secret in sorted(secrets, key=len, reverse=True):
        text = text.replace(secret, MASK)
    return text


def redact_value(value: Any, secrets: Collection[str]) -> Any:
    """A plain value with every secret masked, in keys, too."""
    if isinstance(value, str):
        return redact(value, secrets)
    if isinstance(value, dict):
        return {redact(str(key), secrets): redact_value(item, secrets) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [redact_value(item, secrets) for item in value]
    if isinstance(value, int | float) and not isinstance(value, bool) and str(value) in secrets:
        return MASK
    return value


def _forms(text: str) -> set[str]:
    if len(text) < MIN_SECRET_LENGTH:
        return set()
    raw = text.encode("utf-8", "replace")
    return {
        text,
        json.dumps(text)[1:-1],
        json.dumps(text, ensure_ascii=False)[1:-1],
        repr(text)[1:-1],
        quote(raw, safe=""),
        quote_plus(raw),
        shlex.quote(text),
        text.replace(" ", "%s"),  # how adb's `input text` takes spaces
        base64.b64encode(raw).decode().rstrip("="),
    }
