"""Events as the server reads them, made once each: the id is minted here, when the thing happens.

Everything that leaves the node in an event goes through `clean` first: secrets are masked, and what PostgreSQL cannot
keep in text (NUL, lone surrogates) is replaced.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final
from uuid import UUID, uuid4

import msgspec

from corral.node.clock import utc_text
from corral.node.spool.records import EventKind, SpooledEvent
from corral.workflow import redact_value

MOST_MESSAGE: Final = 4_000
MOST_VALUE_BYTES: Final = 64 * 1024
_KINDS: Final[dict[str, EventKind]] = {
    "log": "log",
    "artifact_created": "artifact",
    "scan_progress": "scan",
    "scan_finished": "scan",
}


class JobEvents:
    """Makes the events of one lease, numbered in the order in which they happen.

    With `within`, the lease is that of the step of this name, and the steps told of are within it.
    """

    def __init__(self, *, job_id: UUID, lease_token: UUID, within: str | None = None) -> None:
        self.job_id = str(job_id)
        self.lease_token = str(lease_token)
        self._within = within
        self._seq = 0

    def make(self, kind: str, /, **fields: Any) -> SpooledEvent:  # noqa: ANN401 - the type decides
        """The next event; fields that are None are left out."""
        within = self._within if kind in ("step_started", "step_finished") else None
        return self._next(kind, {**fields, "within": within}, ends=kind == "job_finished")

    def make_own(self, kind: str, /, **fields: Any) -> SpooledEvent:  # noqa: ANN401 - the type decides
        """The next event of a step whose own lease this is; the server's answer to its end ends the lease."""
        return self._next(kind, fields, ends=kind == "step_finished")

    def _next(self, kind: str, fields: Mapping[str, Any], *, ends: bool) -> SpooledEvent:
        self._seq += 1
        told = {"job_id": self.job_id, "lease_token": self.lease_token, "seq": self._seq, **fields}
        return _event(kind, told, job_id=self.job_id, lease_token=self.lease_token, ends=ends)


def log_line(level: str, message: str, *, step: str | None = None) -> dict[str, str]:
    line = {"level": level, "message": message[:MOST_MESSAGE]}
    return line if step is None else {**line, "step": step}


def log_event(*, job_id: str, lease_token: str, lines: Sequence[Mapping[str, str]]) -> SpooledEvent:
    """Log lines need no place in the sequence: they count whenever they come."""
    told = {"job_id": job_id, "lease_token": lease_token, "lines": lines}
    return _event("log", told, job_id=job_id, lease_token=lease_token)


def scan_event(kind: str, scan_id: str, **fields: Any) -> SpooledEvent:  # noqa: ANN401 - the type decides
    return _event(kind, {"scan_id": scan_id, **fields})


def clean(value: Any, secrets: Collection[str]) -> Any:  # noqa: ANN401 - plain values of any shape
    """The value without secrets and without what cannot be stored; a value that is too large is only measured."""
    plain = _storable(redact_value(msgspec.to_builtins(value), secrets))
    size = len(msgspec.json.encode(plain))
    return plain if size <= MOST_VALUE_BYTES else {"is_truncated": True, "size_bytes": size}


def clean_text(text: str, secrets: Collection[str]) -> str:
    """As `clean`, for a message."""
    return clean_long_text(text, secrets, most=MOST_MESSAGE)


def clean_long_text(text: str, secrets: Collection[str], *, most: int) -> str:
    """As `clean`, for a text with a length of its own."""
    return str(_storable(redact_value(text, secrets)))[:most]


def _storable(value: Any) -> Any:  # noqa: ANN401 - as above
    if isinstance(value, str):
        return value.replace("\x00", "\ufffd").encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {_storable(key): _storable(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_storable(item) for item in value]
    return value


def _event(
    kind: str,
    fields: Mapping[str, Any],
    *,
    job_id: str | None = None,
    lease_token: str | None = None,
    ends: bool = False,
) -> SpooledEvent:
    event_id = str(uuid4())
    told = {name: value for name, value in fields.items() if value is not None}
    body = msgspec.json.encode({"event_id": event_id, "type": kind, "at": utc_text(), **told})
    return SpooledEvent(
        event_id=event_id,
        kind=_KINDS.get(kind, "state"),
        body=body,
        job_id=job_id,
        lease_token=lease_token,
        ends_job=ends,
    )
